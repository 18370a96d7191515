"""Writing while TensorBoard looks on; writers that die, share a folder, or share a writer."""

import os
import re
import signal
import subprocess
import time

import pytest
from conftest import dump, program, write


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_15_points_appear_while_the_run_goes_on_and_survive_its_death(tmp_path, start_tensorboard, loader):
    flags = ["--reload_interval", "1"] + (["--reload_task=thread"] if loader == "python" else [])
    board = start_tensorboard(tmp_path, loader, *flags)
    writer = subprocess.Popen([program("tensorboard_write"), "forever", str(tmp_path / "run")], stdout=subprocess.PIPE, text=True)
    try:
        board.wait_for_runs({"run"})
        first = len(board.get("plugin/scalars/scalars", run="run", tag="loss"))
        end = time.monotonic() + 30
        while len(board.get("plugin/scalars/scalars", run="run", tag="loss")) <= first and time.monotonic() < end:
            time.sleep(0.5)
        assert len(board.get("plugin/scalars/scalars", run="run", tag="loss")) > first
    finally:
        os.kill(writer.pid, signal.SIGKILL)
    flushed = [int(line) for line in writer.stdout.read().split()]
    writer.wait()
    points = dump(tmp_path)["run"]["keys"]["loss scalar"]
    assert len(points) > flushed[-1], "what was flushed is never lost"
    assert [point[0] for point in points] == list(range(len(points)))
    assert not dump(tmp_path)["run"]["damage"]


def test_18_two_processes_share_a_folder(tmp_path, start_tensorboard):
    writers = [subprocess.Popen([program("tensorboard_write"), "process", str(tmp_path / "run"), f"p{i}"]) for i in range(4)]
    assert all(writer.wait(60) == 0 for writer in writers)
    for loader in ("rust", "python"):
        board = start_tensorboard(tmp_path, loader)
        board.wait_for_runs({"run"})
        for i in range(4):
            points = board.get("plugin/scalars/scalars", run="run", tag=f"p{i}")
            assert [point[1] for point in points] == list(range(2000)), (loader, i)


def test_19_eight_threads_lose_nothing(tmp_path):
    write("threads", tmp_path)
    keys = dump(tmp_path)["threads"]["keys"]
    assert len(keys) == 8
    for points in keys.values():
        assert [point[0] for point in points] == list(range(125_000))


def test_14_named_folders(tmp_path, start_tensorboard):
    for name in ("one", "two"):
        write("process", tmp_path / name / "sub", "loss")
        write("process", tmp_path / name, "loss")
    spec = f"A:{tmp_path}/one,B:{tmp_path}/two"
    board = start_tensorboard(spec, "python", spec=True)
    runs = board.wait_for_runs({"A/.", "A/sub", "B/.", "B/sub"})
    assert set(dump(spec)) == runs


def test_a_full_disk_fills_no_memory_and_is_said(tmp_path):
    done = subprocess.run(["bash", "-c", f"ulimit -f 200; exec {program('tensorboard_write')} too_much {tmp_path / 'run'}"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    failure, peak = done.stdout.strip().splitlines()
    assert "too large" in failure.lower() and "tfevents" in failure, failure
    assert "gave up" in done.stderr and "events" in done.stderr
    assert int(peak.split()[1]) < 400_000, peak
    steps = [point[0] for point in dump(tmp_path)["run"]["keys"]["loss scalar"]]
    assert steps[:2000] == list(range(2000)), "what came before the disk was full is whole"
    assert all(earlier < later for earlier, later in zip(steps, steps[1:])), "nothing twice, nothing out of order"
    # Whole writes only: a later one that still fits may stand behind a gap, and a gap is what was said to be given up.
    said = {int(count) for count in re.findall(r"gave up (\d+) events so far", done.stderr)}
    missing = {later - at for at, (earlier, later) in enumerate(zip(steps, steps[1:]), 1) if later != earlier + 1}
    assert missing <= said, f"{missing} events are not there, {said} were said to be"
    assert not dump(tmp_path)["run"]["damage"]
