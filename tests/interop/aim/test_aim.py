"""Our repositories, read by the real Aim during and after the run; and its repositories, read by ours."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import build_folder, taffrail, write


def aim_program(folder: Path, text: str, *arguments) -> str:
    """A program with the official package, in a process of its own."""
    (folder / "program.py").write_text(text)
    done = subprocess.run([sys.executable, folder / "program.py", *map(str, arguments)], timeout=300, capture_output=True, text=True, cwd=folder,
                          env={"PATH": os.environ["PATH"], "HOME": str(folder), "AIM_UI_TELEMETRY_ENABLED": "0"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


READ = """
import json, sys
from aim import Repo
from aim.storage.context import Context
repo = Repo(sys.argv[1])
runs = []
for run in repo.iter_runs():
    told = {"hash": run.hash, "name": run.name, "experiment": run.experiment, "tags": sorted(run.tags), "params": run.get("hparams"), "active": run.active, "metrics": {}, "objects": {}}
    for metric in run.metrics():
        steps, columns = metric.data.items_list()
        told["metrics"].setdefault(metric.name, []).append({"context": metric.context.to_dict(), "steps": list(map(int, steps)), "values": [repr(float(v)) for v in columns[0]]})
    for kind, getter, name in (("texts", run.get_text_sequence, "text"), ("images", run.get_image_sequence, "img"), ("images", run.get_image_sequence, "folder/imgs"),
                               ("distributions", run.get_distribution_sequence, "hist"), ("audios", run.get_audio_sequence, "sound"), ("figures", run.get_figure_sequence, "figure"),
                               ("figures", run.get_figure_sequence, "mesh")):
        sequence = getter(name, Context({}))
        if sequence is None:
            continue
        steps, columns = sequence.data.items_list()
        value = columns[0][0]
        value = value[0] if isinstance(value, list) else value
        told["objects"][name] = {"kind": kind, "steps": list(map(int, steps)), "value": value.data if kind == "texts" else list(value.size) if kind == "images" else
                                 [float(sum(value.weights)), list(value.range)] if kind == "distributions" else None}
    runs.append(told)
print(json.dumps(runs))
"""


def read(folder: Path, repository: Path) -> list[dict]:
    return json.loads(aim_program(folder, READ, repository).splitlines()[-1])


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    return write("all", folder)


def test_aim_reads_everything(everything, tmp_path):
    (run,) = read(tmp_path, everything)
    assert run["name"] == "nice" and run["experiment"] == "demo" and run["tags"] == ["a", "b", "late"] and run["active"] is False
    assert run["params"] == {"lr": 0.1, "opt": {"name": "adam", "layers": 3}, "x.y": True}
    (acc,) = run["metrics"]["acc"]
    assert (acc["steps"], list(map(float, acc["values"]))) == ([0, 1, 2], [0.0, 0.1, 0.2])
    (loss,) = run["metrics"]["loss"]
    assert sorted(zip(loss["steps"], map(float, loss["values"]))) == [(0, 1.0), (1, 0.5), (2, 1 / 3), (7, 0.5), (8, 0.25), (9, 0.125), (10, 0.1)]
    (true,) = run["metrics"]["step/loss"]
    assert sorted(zip(true["steps"], map(float, true["values"]))) == [(8, 6.0), (9, 6.0), (10, 9.0)]
    assert run["metrics"]["nan"][0]["values"] == ["nan"] and run["metrics"]["inf"][0]["values"] == ["inf"]
    objects = run["objects"]
    assert objects["text"]["value"] == "hello" and objects["img"]["value"] == [5, 4] and objects["folder/imgs"]["kind"] == "images"
    assert objects["hist"]["value"][0] == pytest.approx(4) and objects["sound"]["kind"] == "audios" and objects["figure"]["kind"] == "figures" and objects["mesh"]["kind"] == "figures"


SAME = """
import sys, math
from aim import Run, Text, Distribution
run = Run(repo=sys.argv[1], experiment="demo", system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)
run.name, run.description = "nice", "hello"
for tag in ("a", "b", "late"):
    run.add_tag(tag)
run["hparams"] = {"lr": 0.1, "opt": {"name": "adam", "layers": 3}, "x.y": True}
for step in range(3):
    for name, value in (("loss", 1 / (step + 1)), ("acc", step * 0.1), ("epoch", step), ("val/loss", 10 - step), ("dot.key", step), ("ünïcode ✓", step)):
        run.track(float(value), name=name, step=step)
run.track(math.nan, name="nan", step=3)
run.track(math.inf, name="inf", step=3)
run.track(Text("hello"), name="text", step=4)
run.close()
"""


def test_the_same_calls_by_the_official_package_give_the_same_run(everything, tmp_path):
    """But for steps that fall, which write over a point there and get a place of their own here (docs/trackers/aim.md)."""
    (tmp_path / "repo").mkdir()
    aim_program(tmp_path, SAME, tmp_path / "repo")
    subprocess.run([Path(sys.executable).with_name("aim"), "storage", "--repo", str(tmp_path / "repo"), "reindex", "--yes"], timeout=300, capture_output=True, check=True,
                   env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AIM_UI_TELEMETRY_ENABLED": "0"})
    (theirs,), (ours,) = read(tmp_path, tmp_path / "repo"), read(tmp_path, everything)
    for word in ("name", "experiment", "tags", "params", "active"):
        assert ours[word] == theirs[word], word
    points = lambda run, name: [(one["context"], sorted(zip(one["steps"], one["values"]))[:3]) for one in run["metrics"][name]]
    assert theirs["metrics"].keys() <= ours["metrics"].keys()
    for name in theirs["metrics"]:
        assert points(ours, name) == points(theirs, name), name
    assert ours["objects"]["text"] == theirs["objects"]["text"]


def test_reindexing_passes(everything, tmp_path):
    done = subprocess.run([Path(sys.executable).with_name("aim"), "storage", "--repo", str(everything), "reindex", "--yes"], timeout=300, capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AIM_UI_TELEMETRY_ENABLED": "0"}, input="y\n")
    assert done.returncode == 0 and "rror" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert len(read(tmp_path, everything)) == 1


def test_failure_is_told(tmp_path):
    shown = json.loads(taffrail("show", write("failed", tmp_path), "--json"))
    assert shown["run"]["state"] == "failed"


WRITE = """
import sys
from aim import Run, Text, Distribution
run = Run(repo=sys.argv[1], experiment="demo", system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)
run.name = "official"
run.add_tag("a")
run["hparams"] = {"lr": 0.1, "opt": {"name": "adam"}}
for step in range(300):
    run.track(1 / (step + 1), name="loss", step=step, context={"subset": "train"})
    run.track(2 / (step + 1), name="loss", step=step, context={"subset": "val"})
run.track(float("nan"), name="nan", step=3)
run.track(Text("hello"), name="text", step=4)
run.track(Distribution([1, 2, 3, 4]), name="dist", step=4)
run.close()
"""


def test_a_live_run_beside_a_python_writer_is_read(tmp_path):
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/comet/tracker_write"
    process = subprocess.Popen([program, "aim", "killed", tmp_path / "root", tmp_path / "log"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        aim_program(tmp_path, WRITE, tmp_path / "log")
        deadline, ours = time.monotonic() + 300, []
        while time.monotonic() < deadline and len(ours) < 10:
            ours = [value for run in read(tmp_path, tmp_path / "log") if run["name"] == "nice" for metric in run["metrics"].get("loss", []) for value in metric["values"]]
        assert len(ours) >= 10
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")
    found = {run["name"]: run for run in read(tmp_path, tmp_path / "log")}
    (loss,) = found["nice"]["metrics"]["loss"]
    pairs = sorted(zip(loss["steps"], map(float, loss["values"])))
    assert pairs == [(step, float(step)) for step in range(len(pairs))] and len(pairs) >= len(ours)
    assert len(found["official"]["metrics"]["loss"]) == 2


MANY = {f"many/{i}": [step + i * 0.125 for step in range(4000)] for i in range(10)}


def many_of(run: dict) -> dict:
    return {name: [float(value) for _, value in sorted(zip(one["steps"], one["values"]))] for name, (one,) in run["metrics"].items()}


def test_points_by_the_megabyte_are_read_live_and_whole_after_a_kill(tmp_path):
    """They join the repository as sorted files, not through RocksDB's log; a Python writer is beside, and the SDK goes on in our run."""
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/comet/tracker_write"
    process = subprocess.Popen([program, "aim", "many_killed", tmp_path / "root", tmp_path / "log"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        aim_program(tmp_path, WRITE, tmp_path / "log")
        deadline, live = time.monotonic() + 300, {}
        while time.monotonic() < deadline and live != MANY:
            live = next((many_of(run) for run in read(tmp_path, tmp_path / "log") if run["name"] == "nice"), {})
        assert live == MANY
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")
    found = {run["name"]: run for run in read(tmp_path, tmp_path / "log")}
    assert many_of(found["nice"]) == MANY and found["nice"]["active"] is False and len(found["official"]["metrics"]["loss"]) == 2
    aim_program(tmp_path, APPEND, tmp_path / "log", found["nice"]["hash"])
    appended = {run["name"]: many_of(run) for run in read(tmp_path, tmp_path / "log") if run["name"] == "nice"}["nice"]
    assert appended == MANY | {"many/0": [*MANY["many/0"], -1.0], "theirs": [0.5]}
    done = subprocess.run([Path(sys.executable).with_name("aim"), "storage", "--repo", str(tmp_path / "log"), "reindex", "--yes"], timeout=300, capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AIM_UI_TELEMETRY_ENABLED": "0"}, input="y\n")
    assert done.returncode == 0 and "rror" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert {run["name"]: many_of(run) for run in read(tmp_path, tmp_path / "log") if run["name"] == "nice"}["nice"] == appended


APPEND = """
import sys
from aim import Run
run = Run(run_hash=sys.argv[2], repo=sys.argv[1], system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)
run.track(-1.0, name="many/0", step=4000)
run.track(0.5, name="theirs", step=0)
run.close()
"""


@pytest.mark.parametrize("wait", [step * 0.03 for step in range(30)] if os.environ.get("TAFFRAIL_FULL") else [0.02, 0.3])
def test_a_kill_at_any_moment_costs_and_doubles_nothing(tmp_path, wait):
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/comet/tracker_write"
    process = subprocess.Popen([program, "aim", "many_killed", tmp_path / "root", tmp_path / "log"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(wait)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    (run,) = (tmp_path / "root/runs").iterdir()
    logged = json.loads(taffrail("show", run, "--json"))
    taffrail("sync", run, "--yes")
    arrived = json.loads(taffrail("show", tmp_path / "log", "--json"))
    kept = {key["key"]: key["count"] for key in logged["keys"] if key["key"].startswith("many/")}
    assert {key["key"]: key["count"] for key in arrived["keys"] if key["key"].startswith("many/")} == kept
    for run in read(tmp_path, tmp_path / "log"):
        assert {name: len(values) for name, values in many_of(run).items()} == kept
        assert all(values == MANY[name][:len(values)] for name, values in many_of(run).items())


def test_a_repository_that_was_left_half_made_is_made_whole(tmp_path):
    """By a process that died between the files of a repository and their content."""
    (tmp_path / "log/.aim/locks").mkdir(parents=True)
    (tmp_path / "log/.aim/VERSION").write_text("1.3\n")
    (tmp_path / "log/.aim/run_metadata.sqlite").touch()
    (run,) = read(tmp_path, write("rows", tmp_path))
    assert run["name"] == "nice" and len(run["metrics"]["loss"][0]["steps"]) == 20


def test_commands_work_on_official_repositories(tmp_path):
    (tmp_path / "repo").mkdir()
    aim_program(tmp_path, WRITE, tmp_path / "repo")
    shown = json.loads(taffrail("show", tmp_path / "repo", "--json"))
    assert shown["run"]["name"] == "official" and shown["run"]["project"] == "demo" and shown["run"]["tags"] == ["a"] and shown["run"]["state"] == "finished"
    assert shown["run"]["config"] == {"lr": 0.1, "opt/name": "adam"}
    kinds = {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert kinds["train/loss"] == ("scalar", 300) and kinds["val/loss"] == ("scalar", 300) and kinds["text"] == ("text", 1) and kinds["dist"] == ("histogram", 1)
    table = tmp_path / "points.csv"
    taffrail("export", tmp_path / "repo", "--format", "csv", "--keys", "val/loss", "-o", table)
    values = [float(line.split(",")[-1]) for line in table.read_text().splitlines()[1:3] if line]
    assert values and not math.isnan(values[0])


def test_our_repositories_come_back_whole(everything):
    shown = json.loads(taffrail("show", everything, "--json"))
    kinds = {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert kinds["loss"] == ("scalar", 7) and kinds["img"][0] == "image" and kinds["hist"][0] == "histogram" and kinds["text"][0] == "text"
    assert shown["run"]["group"] == "g" and shown["run"]["summary"]["best"] == 42


def without_rocksdb(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([build_folder() / "bin/taffrail", *map(str, arguments)], timeout=300, capture_output=True, text=True, env={**os.environ, "TAFFRAIL_ROCKSDB_MODULE": "/nowhere.so"})


def test_curves_of_a_run_at_rest_need_no_component(tmp_path):
    ours, official = write("rows", tmp_path), tmp_path / "official"
    official.mkdir()
    aim_program(tmp_path, WRITE, official)
    aim_program(tmp_path, "import sys\nfrom aim import Repo\nfor run in Repo(sys.argv[1]).iter_runs():\n    list(run.metrics())", official)
    for place in (ours, official):
        with_it = json.loads(taffrail("show", place, "--json"))
        without = json.loads(without_rocksdb("show", place, "--json").stdout)
        scalars = {key["key"]: key for key in without["keys"] if key["kind"] == "scalar"}
        assert scalars and scalars == {key["key"]: key for key in with_it["keys"] if key["kind"] == "scalar"}
        assert without["run"] == with_it["run"]


def test_a_missing_component_names_the_package(tmp_path):
    """What needs it: media, and a run whose newest writes wait in a log."""
    done = without_rocksdb("show", write("all", tmp_path))
    assert done.returncode == 1 and "librocksdb" in done.stdout + done.stderr, (done.returncode, done.stdout, done.stderr)
    (meta,) = (tmp_path / "log/.aim/meta/chunks").iterdir()
    (meta / "999999.log").write_bytes(b"x")
    done = without_rocksdb("show", tmp_path / "log")
    assert done.returncode == 1 and "librocksdb" in done.stderr, (done.returncode, done.stdout, done.stderr)
