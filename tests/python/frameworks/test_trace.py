"""taffrail.trace: which steps, in which files, what is said where it cannot record; and the example that is walked through in docs/python/profiling.md."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import taffrail
import torch

EXAMPLES = Path(__file__).resolve().parents[3] / "examples/python"
COMMAND = Path(os.environ.get("TAFFRAIL_BUILD", EXAMPLES.parents[1] / "build/ci")) / "bin/taffrail"
ACCEPTED = re.compile(r"^(.*?)(\.\d+)?\.pt\.trace\.json(?:\.gz)?$")  # by the profiler plugin of TensorBoard


def steps_of(path) -> list:
    text = gzip.decompress(Path(path).read_bytes()) if str(path).endswith(".gz") else Path(path).read_bytes()
    events = json.loads(text)["traceEvents"]
    return sorted({int(event["name"].split("#")[1]) for event in events if event.get("cat") == "user_annotation" and event["name"].startswith("ProfilerStep#")})


def work() -> torch.Tensor:
    return torch.ones(8, 8) @ torch.ones(8, 8)


@pytest.mark.parametrize("schedule, count, expected", [
    ({}, 10, [[2, 3, 4]]), ({"skip_first": 2, "wait": 0, "warmup": 1, "active": 2, "repeat": 2}, 12, [[3, 4], [6, 7]]), ({"wait": 0, "warmup": 0, "active": 1}, 3, [[0]]),
    ({"wait": 5, "active": 3}, 8, [[6, 7, 8]]), ({"wait": 9}, 5, []),
])
def test_a_file_for_each_window_with_its_steps_and_no_other(root, schedule, count, expected):
    with taffrail.init(name="traced") as run, taffrail.trace(run=run, **schedule) as tracer:
        for _ in range(count):
            work()
            tracer.step()
        folder = Path(run.folder) / "profiles"
    found = [path for path in tracer.files if steps_of(path)]
    assert [steps_of(path) for path in found] == expected
    for path in found:
        assert Path(path).parent == folder and ACCEPTED.match(Path(path).name).group(2), "named as viewers want it"
    assert not list(folder.glob(".unfinished*")) if folder.exists() else not expected
    assert tracer.summary().count("trace: /") == len(tracer.files)
    if not expected:
        assert "ended after 5 steps" in tracer.summary() and "number 11" in tracer.summary()


def test_without_a_gpu_one_line_says_what_is_missing(root):
    assert not torch.cuda.is_available()
    with taffrail.init(name="cpu") as run, taffrail.trace(run=run, wait=0, warmup=0, active=1) as tracer:
        work()
        tracer.step()
    assert [line for line in tracer.summary().splitlines() if not line.startswith("trace: ")] == [
        "no GPU trace: this PyTorch finds no GPU; what the processor did is all there is"]


def test_without_kineto_one_warning_says_so_and_the_program_goes_on(root, monkeypatch):
    monkeypatch.setattr(torch.profiler, "kineto_available", lambda: False)
    taffrail.reset_zones()
    with taffrail.init(name="plain") as run, pytest.warns(UserWarning, match=r"built without Kineto \(USE_KINETO=1\)") as said:
        with taffrail.trace(run=run) as tracer:
            for _ in range(6):
                with taffrail.zone("work"):
                    work()
                tracer.step()
    assert len(said) == 1 and torch.__version__ in tracer.summary() and not tracer.files
    assert "work" in taffrail.zone_table_text(), "the clock of the processor is left"


def test_an_old_torch_is_named_with_its_version(root, monkeypatch):
    for version, refused in (("1.8.0", True), ("1.7.1+cu110", True), ("1.8.1", False), ("2.0.0a0+git", False)):
        monkeypatch.setattr(torch, "__version__", version)
        if refused:
            with pytest.raises(RuntimeError, match=rf"needs PyTorch 1\.8\.1 or newer; this one is {re.escape(version)}"):
                taffrail.trace(folder=root)
        else:
            taffrail.trace(folder=root)


def test_what_makes_no_sense_is_refused_with_its_name(root):
    for name, value in (("skip_first", -1), ("wait", -2), ("active", 0), ("repeat", -1)):
        with pytest.raises(ValueError, match=f"{name}={value}"):
            taffrail.trace(folder=root, **{name: value})
    with pytest.raises(ValueError, match="open a run before it, or give folder="):
        taffrail.trace()


def test_an_exception_in_the_block_still_gives_its_trace(root, tmp_path):
    with pytest.raises(ZeroDivisionError), taffrail.trace(folder=tmp_path / "traces", wait=0, warmup=0, active=5, worker="rank 0/of 2", use_gzip=False) as tracer:
        work()
        tracer.step()
        1 / 0  # noqa: B018
    assert [Path(path).name.split(".")[0] for path in tracer.files] == ["rank_0_of_2"] and steps_of(tracer.files[0])[0] == 0


def analyze(path) -> dict:
    done = subprocess.run([COMMAND, "profile", "analyze", path, "--json", "-n", "0"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["traces"][0]


def loader_share(path) -> float:
    """Out of the file itself: time in the data loader, of the steps' time."""
    events = json.loads(gzip.decompress(Path(path).read_bytes()))["traceEvents"]
    steps = [event for event in events if event.get("cat") == "user_annotation" and event["name"].startswith("ProfilerStep#")]
    loading = [event for event in events if event.get("ph") == "X" and event["name"].startswith("enumerate(DataLoader)#")]
    inside = sum(max(0.0, min(load["ts"] + load["dur"], step["ts"] + step["dur"]) - max(load["ts"], step["ts"])) for load in loading for step in steps)
    return inside / sum(step["dur"] for step in steps)


# An epoch of the variational autoencoder, profiled; the advice names what the program does wrong, with its number; mended, the advice is gone.
def test_the_solution_leaves_a_trace_whose_advice_names_the_loader(root, tmp_path):
    pytest.importorskip("PIL")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(EXAMPLES), *sys.path])}

    def run(*arguments) -> str:
        done = subprocess.run([sys.executable, EXAMPLES / "vae_profiler.py", *arguments], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"torch {torch.__version__}, taffrail {taffrail.__version__}" in done.stdout
        return re.search(r"^trace: (.+)$", done.stdout, re.M).group(1)

    slow, quick = run(), run("--tensors")
    assert steps_of(slow) == steps_of(quick) == [3, 4, 5, 6, 7]
    advice = {one["rule"]: one for one in analyze(slow)["advice"]}
    assert advice["R1"]["measured"] == pytest.approx(loader_share(slow), abs=0.002) and advice["R1"]["measured"] > 0.05
    assert "R1" not in {one["rule"] for one in analyze(quick)["advice"]}
    operators = {row["name"] for row in analyze(quick)["operators"]["by_name"]}
    assert {"aten::linear", "aten::addmm"} <= operators
    assert taffrail.read(root).run("vae-profiler").info.name == "vae-profiler"
