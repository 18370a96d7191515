"""The example under a real launcher: ranks meet in one run, agree on synced values, and name the one that was killed."""

import json
import math
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).parents[3]
BUILD = pathlib.Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))
PROGRAM = BUILD / "examples" / "vae_digits" / "vae_digits"
TAFFRAIL = BUILD / "bin" / "taffrail"
RANKS = 4
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS)]
SMALL = ["data.train_digits=640", "data.held_out_digits=101", "model.hidden=32", "trainer.enable_progress_bar=false"]


def settings(folder):
    return {**os.environ, "TAFFRAIL_DIR": str(folder / "taffrail")}


def points(folder):
    """Every point of the run; none while there is no run yet."""
    out = subprocess.run([TAFFRAIL, "export", folder / "taffrail", "--format", "jsonl"], capture_output=True, text=True, timeout=60).stdout
    return [json.loads(line) for line in out.splitlines()]


def the_run(folder):
    out = subprocess.run([TAFFRAIL, "show", folder / "taffrail", "--json"], capture_output=True, text=True, timeout=60, check=True).stdout
    return json.loads(out)["run"]


def of_key(all_points, key):
    """{(rank, step): value}"""
    return {(point["rank"], point["step"]): point["value"] for point in all_points if point["key"] == key}


def test_synced_means_over_uneven_ranks_are_exact(tmp_path):
    done = subprocess.run([*LAUNCH, str(PROGRAM), "trainer.max_epochs=2", *SMALL], cwd=tmp_path, capture_output=True, text=True,
                          timeout=180, env=settings(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("held-out PSNR") == 1, "one rank speaks"
    assert "rank 0 alone" not in done.stderr and "warning: \"val" not in done.stderr
    found = points(tmp_path)
    # 101 digits on four ranks are 26 + 25 + 25 + 25: a mean that took every rank for the same would be off in the fourth digit.
    quality, error = of_key(found, "val/psnr_db"), of_key(found, "val/squared_error")
    assert {rank for rank, _ in quality} == set(range(RANKS)) == {rank for rank, _ in error}
    for step in {step for _, step in error}:
        values = {error[rank, step] for rank in range(RANKS)}
        assert len(values) == 1, "every rank holds the same synced mean"
        assert abs(-10 * math.log10(values.pop()) - quality[0, step]) < 1e-5
    assert the_run(tmp_path)["state"] == "finished"


def rank_process(number, folder):
    """The process of a rank of this test, by its environment."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            program = (entry / "comm").read_text().strip()
        except OSError:
            continue
        if (program == "vae_digits" and f"OMPI_COMM_WORLD_RANK={number}".encode() in variables and
                f"TAFFRAIL_DIR={folder / 'taffrail'}".encode() in variables):
            return int(entry.name)
    return None


def wait_until(holds, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if (value := holds()):
            return value
        time.sleep(0.1)
    pytest.fail(f"{what} did not happen within {seconds} s")


@pytest.mark.parametrize("launcher", [["--enable-recovery"], []], ids=["others_live", "others_are_ended"])
def test_killed_rank_is_named_and_all_data_is_kept(tmp_path, launcher):
    output = tmp_path / "output"
    with output.open("w") as out:
        job = subprocess.Popen([*LAUNCH, *launcher, str(PROGRAM), "trainer.max_epochs=100000", *SMALL], cwd=tmp_path, stdout=out,
                               stderr=subprocess.STDOUT, env=settings(tmp_path))
    try:
        # Some data of every rank, so that there is something to keep.
        wait_until(lambda: {rank for rank, _ in of_key(points(tmp_path), "val/psnr_db")} == set(range(RANKS)), 60, "validation on all ranks")
        before = of_key(points(tmp_path), "train/loss")
        process = rank_process(2, tmp_path)
        os.kill(process, signal.SIGKILL)
        begin = time.monotonic()
        # Open MPI itself sometimes stays after a recovery, so the ranks are waited for and not their launcher.
        wait_until(lambda: all(rank_process(number, tmp_path) is None for number in range(RANKS)), 40, "the end of every rank")
        seconds = time.monotonic() - begin
        time.sleep(0.2)  # for what the launcher still has to pass on
    finally:
        job.terminate()
        job.wait(timeout=20)
    text = output.read_text()
    run = the_run(tmp_path)
    # Where the launcher ended the others before they could say so, they are named too: nobody knows who began.
    assert run["state"] == "crashed" and re.match(r"rank 2 \(|the processes of ranks [0-3, ]*2", run["message"]), run
    after = of_key(points(tmp_path), "train/loss")
    assert before.items() <= after.items() and {rank for rank, _ in after} == set(range(RANKS))
    last = [max(step for rank, step in after if rank == number) for number in range(RANKS)]
    assert max(last) - min(last) <= 1, f"ranks end together: {last}"
    if launcher:
        assert run["message"].startswith(f"rank 2 (process {process}"), run
        assert text.count(f"taffrail: error: rank 2 (process {process}") == RANKS - 1, text
        assert "vae_digits:" in text and "waiting in" in text, "the loop ended with the reason"
        assert seconds < 20 + 1, "sooner than the time-out of the ranks, and one second"
