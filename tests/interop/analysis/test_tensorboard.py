"""A training with `profiler=trace`, and real TensorBoard with the profiler plugin over its folder: the same numbers as the command's. A slow data loader
that was planted is named by both, with the number that the trace itself gives."""

import gzip
import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from conftest import DATA, PARTS, ROOT, analyze, load, plugin, repaired
from test_tb_profiler import compare_all, compare_kernels

BUILD = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))
QUICK = ["trainer.max_epochs=1", "trainer.enable_progress_bar=false", "data.train_digits=640", "data.held_out_digits=100"]
LOADER = "enumerate(DataLoader)#get_train_batch.__next__"


def train(folder, *words) -> tuple:
    """The run's folder, its only trace, and what was printed."""
    done = subprocess.run([BUILD / "examples/vae_digits/vae_digits", *QUICK, "profiler=trace", *words], cwd=folder, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "TAFFRAIL_DIR": str(folder / "taffrail"), "TAFFRAIL_CUPTI_LIBRARY": str(folder / "libcupti.so")})
    assert done.returncode == 0, done.stdout + done.stderr
    traces = list((folder / "taffrail").rglob("profiles/*.pt.trace.json.gz"))
    assert len(traces) == 1
    return traces[0].parent.parent, traces[0], done.stdout


def events_of(path) -> list:
    return json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]


def loader_share(events) -> float:
    """By hand: time with the loader open, of the time of the steps. Of a step, what is in the loader of it and of no other."""
    steps = [event for event in events if event["ph"] == "X" and event["name"].startswith("ProfilerStep#")]
    loads = [event for event in events if event["ph"] == "X" and event["name"] == LOADER]
    assert len(steps) == len(loads) == 3
    inside = sum(max(0, min(load["ts"] + load["dur"], step["ts"] + step["dur"]) - max(load["ts"], step["ts"])) for load in loads for step in steps)
    return inside / sum(step["dur"] for step in steps)


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return train(tmp_path_factory.mktemp("slow"), "data.read_ms=40")


class TensorBoard:
    """One process, with the plugin that its environment brings; ends with the test."""

    def __init__(self, logdir):
        self.process = subprocess.Popen([sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir), "--host", "127.0.0.1", "--port", "0"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.log, self.address = [], None
        for line in self.process.stderr:
            self.log.append(line)
            if found := re.search(r"at (http://[^ ]+)/ ", line):
                self.address = found.group(1)
                break
        assert self.address, "".join(self.log)
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def get(self, path: str, **query):
        with urllib.request.urlopen(f"{self.address}/data/{path}?{urllib.parse.urlencode(query)}", timeout=60) as reply:
            body = reply.read()
        return json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)

    def profiler(self, path: str, **query):
        return self.get(f"plugin/pytorch_profiler/{path}", **query)

    def loaded(self) -> list:
        """Names of the runs with traces. It looks for them every ten seconds and reads them in processes of their own."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            found = self.profiler("runs")
            if found["runs"] and not found["loading"]:
                return found["runs"]
            time.sleep(0.2)
        raise AssertionError("no run appeared:\n" + "".join(self.log))

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def tensorboard():
    started = []

    def start(logdir) -> TensorBoard:
        started.append(TensorBoard(logdir))
        return started[-1]

    yield start
    for server in started:
        server.close()


def test_the_trace_of_a_training_opens_in_real_tensorboard_with_the_same_numbers(slow, tensorboard):
    folder, trace, _ = slow
    ours = analyze(trace)[0]
    server = tensorboard(folder)
    assert server.get("plugins_listing")["pytorch_profiler"]["enabled"] is True
    assert server.loaded() == ["profiles"]
    one = {"run": "profiles"}
    assert server.profiler("views", **one) == ["Overview", "Operator", "Trace"]
    worker = trace.name.split(".")[0]
    assert server.profiler("workers", **one, view="Overview") == [worker]
    assert server.profiler("spans", **one, worker=worker) == ["1"]
    one |= {"worker": worker, "span": "1"}
    overview = server.profiler("overview", **one)
    mean = {row["name"]: row["value"] for row in overview["performance"][0]["children"]}
    # It shows whole microseconds, out of floating point.
    assert overview["performance"][0]["value"] == pytest.approx(ours["steps"]["mean_ns"] / 1000, abs=0.51)
    assert mean == {"DataLoader": pytest.approx(ours["steps"]["mean"]["data_loader"] / 1000, abs=0.51), "CPU Exec": pytest.approx(ours["steps"]["mean"]["cpu"] / 1000, abs=0.51),
                    "Other": pytest.approx(ours["steps"]["mean"]["other"] / 1000, abs=0.51)}
    rows = overview["steps"]["rows"]
    assert [row[0] for row in rows] == [step["name"] for step in ours["steps"]["steps"]] == ["2", "3", "4"]
    for row, step in zip(rows, ours["steps"]["steps"]):
        assert [row[1], row[3], row[5]] == pytest.approx([step["time"][f"{part}_ns"] / 1000 for part in ("data_loader", "cpu", "other")], abs=0.01)
    said = re.search(r"([\d.]+)% of the step time is in DataLoader", overview["recommendations"].replace("<b>", "").replace("</b>", ""))
    advice = {one["rule"]: one["measured"] for one in ours["advice"]}
    assert said and float(said[1]) == pytest.approx(advice["R1"] * 100, abs=0.06)
    operators = {row["name"]: row["calls"] for row in server.profiler("operation/table", **one, group_by="Operation")["data"]}
    assert operators == {row["name"]: row["calls"] for row in ours["operators"]["by_name"]}
    assert operators["Model::gather"] == operators["run_training_batch"] == 3
    assert server.profiler("trace", **one)["traceEvents"] == events_of(trace)


def test_the_plugin_itself_finds_what_the_command_finds_in_our_trace(slow):
    assert not compare_all(plugin(json.loads(gzip.decompress(slow[1].read_bytes()))), analyze(slow[1])[0])


@pytest.mark.parametrize("name", ["ours", "injected"])
def test_kernels_that_our_library_recorded_are_the_same_in_the_plugin(name):
    file = f"h200/{name}.pt.trace.json.gz"
    # Without operators or steps of the processor it knows no step, and so no utilisation.
    compare_kernels(plugin(repaired(load(file))), analyze(DATA / file)[0], tensor_cores=False)


def test_a_planted_slow_loader_is_named_with_its_number(slow):
    _, trace, said = slow
    ours = analyze(trace)[0]
    expected = loader_share(events_of(trace))
    advice = {one["rule"]: one for one in ours["advice"]}
    assert advice["R1"]["measured"] == pytest.approx(expected, abs=1e-4) and advice["R1"]["threshold"] == 0.05
    assert ours["steps"]["mean"]["data_loader"] >= 40e6, "each batch is read for 40 ms"
    # Nothing of CUDA is on this path: one line says so, and that is all.
    assert said.count("no GPU trace: CUDA's profiling library (libcupti.so) is not installed") == 1


def test_the_cure_is_seen_when_it_is_measured_again(slow, tmp_path):
    # Before, a step waits at least as long as its files are read: it sleeps for that itself. After, it waits for what the
    # computation left of the reading, unless somebody else had the processor meanwhile: then the training is traced again.
    before = analyze(slow[1])[0]
    assert min(step["time"]["data_loader_ns"] for step in before["steps"]["steps"]) >= 40e6
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        _, cured, _ = train(folder, "data.read_ms=40", "data.workers=1", "+profiler.with_stack=true", "+profiler.record_shapes=true")
        after = analyze(cured)[0]
        if after["steps"]["mean"]["data_loader"] < 40e6:
            break
    assert after["steps"]["mean"]["data_loader"] < 40e6 <= before["steps"]["mean"]["data_loader"]
    events = [event for event in events_of(cured) if event["ph"] == "X"]
    reads = {event["tid"] for event in events if event["name"] == "read files"}
    assert reads and not reads & {event["tid"] for event in events if event["name"] == LOADER}, "files are read beside the computation"
    gather = [event["args"] for event in events if event["name"] == "Model::gather"]
    assert len(gather) == 3 and all(args["Input Dims"] == [[64, 784]] for args in gather)
    assert re.match(r"[^;]*module\.cpp\(\d+\): Model::gather;[^;]*module\.cpp\(\d+\): vae_digits::DigitsModule::training_step;", gather[0]["Call stack"])
    assert sum(after["steps"]["mean"][part] for part in PARTS) == pytest.approx(after["steps"]["mean_ns"])
    shown = subprocess.run([BUILD / "bin/taffrail", "profile", "analyze", cured, "--before", slow[1]], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
    assert "Data loader" in shown.stdout
