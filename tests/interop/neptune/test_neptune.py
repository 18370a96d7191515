"""Our logs, read by neptune-scale's own repository class; and its logs, read by ours."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Server, build_folder, sync, taffrail, write
from neptune_scale.exceptions import NeptuneUnableToLogData
from neptune_scale.sync.operations_repository import OperationsRepository, OperationType


def operations(log: Path) -> list:
    repository = OperationsRepository(log.absolute())
    found, before = [], None
    try:
        while batch := repository.get_operations(up_to_bytes=10_000_000, **({"from_exclusive": before} if before else {})):
            found += batch
            before = batch[-1].sequence_id
    finally:
        repository.close(cleanup_files=False)
    return found


def series(updates) -> dict:
    points = {}
    for update in updates:
        for name, value in update.append.items():
            step = update.step.whole + update.step.micro / 1e6
            points.setdefault(name, []).append((step, value.float64 if value.WhichOneof("value") == "float64" else value.WhichOneof("value")))
    return points


def assigned(updates) -> dict:
    return {name: getattr(value, value.WhichOneof("value")) for update in updates for name, value in update.assign.items()}


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return write("all", tmp_path_factory.mktemp("everything"))


def test_official_repository_reads_every_operation(everything):
    repository = OperationsRepository(everything.absolute())
    metadata = repository.get_metadata()
    files = repository.get_file_upload_requests(1000)
    repository.close(cleanup_files=False)
    assert metadata.project == "workspace/demo" and metadata.run_id
    read = operations(everything)
    assert read[0].operation_type == OperationType.CREATE_RUN and read[0].operation.experiment_id == "nice" and read[0].operation.family == metadata.run_id
    updates = [one.operation for one in read if one.operation_type == OperationType.UPDATE_SNAPSHOT]
    points = series(updates)
    assert points["acc"] == [(0, 0.0), (1, 0.1), (2, 0.2)]
    assert [value for _, value in points["loss"]] == [1.0, 0.5, 1 / 3, 0.5, 0.25, 0.125, 0.1]
    steps = [step for step, _ in points["loss"]]
    assert steps == sorted(set(steps)) and steps[:4] == [0, 1, 2, 7] and steps[-1] == 9
    assert [value for _, value in points["taffrail/step/loss"]] == [6, 6, 9]
    configs = assigned(updates)
    assert configs["config/lr"] == 0.1 and configs["config/opt/layers"] == 3 and configs["config/x.y"] is True and configs["summary/best"] == 42
    tags = {tag for update in updates for name, change in update.modify_sets.items() if name == "sys/tags" for tag in change.string.values}
    assert tags == {"a", "b", "late"} and configs["taffrail/state"] == "finished"
    assert points["nan/not_finite"] and points["hist"] == [(4, "histogram")] and points["text"] == [(4, "string")] and points["img"] == [(4, "file_ref")]
    named = {value.file_ref.path for update in updates for value in update.append.values() if value.WhichOneof("value") == "file_ref"}
    assert named == {file.destination for file in files} and len(files) >= 10
    assert all(Path(file.source_path).stat().st_size == file.size_bytes for file in files)


PROGRAM = """
import sys
from neptune_scale import Run
from neptune_scale.types import Histogram
if __name__ == "__main__":
    run = Run(project="workspace/demo", run_id="official", mode="offline", experiment_name="nice", log_directory=sys.argv[1], enable_console_log_capture=False)
    run.log_configs({"lr": 0.1, "opt/name": "adam", "opt/layers": 3, "x.y": True})
    run.add_tags(["a", "b"])
    for step in range(3):
        run.log_metrics({"loss": 1 / (step + 1), "acc": step * 0.1, "epoch": step}, step=step)
        run.log_metrics({"val/loss": 10 - step, "dot.key": step, "ünïcode ✓": step}, step=step)
    run.log_metrics({"half": 1.0}, step=0.5)
    run.log_string_series({"text": "hello"}, step=4)
    run.log_histograms({"hist": Histogram(bin_edges=[1, 2, 4], counts=[3, 4])}, step=4)
    run.close()
"""


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    folder = tmp_path_factory.mktemp("official")
    (folder / "program.py").write_text(PROGRAM)
    subprocess.run([sys.executable, folder / "program.py", folder / "out"], env={"PATH": os.environ["PATH"], "HOME": str(folder)}, cwd=folder, check=True, timeout=300, capture_output=True)
    (log,) = (folder / "out").glob("*/run_operations.sqlite3")
    return log


def test_the_same_calls_give_the_same_points(everything, official):
    def points(log):
        found = series([one.operation for one in operations(log) if one.operation_type == OperationType.UPDATE_SNAPSHOT])
        return {name: found[name][:3] for name in ("loss", "acc", "epoch", "val/loss", "dot.key", "ünïcode ✓", "text", "hist")}

    assert points(everything) == points(official)


def sent(log: Path) -> Server:
    """What the unmodified program sends. It takes the log and its files away."""
    server = Server()
    try:
        sync(log, server)
    finally:
        server.close()
    assert not server.refused and not log.exists()
    return server


def updates_of(server: Server) -> list:
    batches = [[one.update] if one.WhichOneof("operation") == "update" else list(one.update_batch.snapshots) for one in server.operations]
    return [update for batch in batches for update in batch]


def test_the_unmodified_program_sends_our_log_as_its_own(official, tmp_path):
    ours = write("all", tmp_path)
    repository = OperationsRepository(ours.absolute())
    expected_files = {file.destination: Path(file.source_path).read_bytes() for file in repository.get_file_upload_requests(1000)}
    run_id = repository.get_metadata().run_id
    repository.close(cleanup_files=False)
    logged = [one.operation for one in operations(ours) if one.operation_type == OperationType.UPDATE_SNAPSHOT]
    server = sent(ours)
    assert {(one.project, one.run_id) for one in server.operations} == {("workspace/demo", run_id)}
    (made,) = (one.create for one in server.operations if one.WhichOneof("operation") == "create")
    assert made.experiment_id == "nice"
    arrived = updates_of(server)
    assert series(arrived) == series(logged) and assigned(arrived) == assigned(logged)
    assert server.files == expected_files and len(server.files) >= 10
    # And what arrives of the same calls by the official client.
    shutil.copytree(official.parent, tmp_path / official.parent.name)
    theirs = series(updates_of(sent(tmp_path / official.parent.name / official.name)))
    names = ("loss", "acc", "epoch", "val/loss", "dot.key", "ünïcode ✓", "text", "hist")
    assert {name: series(arrived)[name][:3] for name in names} == {name: theirs[name][:3] for name in names}


def test_commands_work_on_official_logs(official, tmp_path):
    shown = json.loads(taffrail("show", official, "--json"))
    assert shown["run"]["name"] == "nice" and shown["run"]["config"]["opt/layers"] == 3 and sorted(shown["run"]["tags"]) == ["a", "b"]
    kinds = {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert kinds["loss"] == ("scalar", 3) and kinds["hist"] == ("histogram", 1) and kinds["text"] == ("text", 1)
    taffrail("import", official.parent.parent, "--root", tmp_path / "root")
    (copy,) = (tmp_path / "root/runs").iterdir()
    after = json.loads(taffrail("show", copy, "--json"))
    assert {key["key"]: (key["kind"], key["count"]) for key in after["keys"]} == kinds


def test_our_logs_come_back_whole(everything):
    shown = json.loads(taffrail("show", everything, "--json"))
    kinds = {key["key"]: key["kind"] for key in shown["keys"]}
    assert {"loss": "scalar", "nan": "scalar", "img": "image", "hist": "histogram", "tab": "table", "text": "text", "sound": "audio"}.items() <= kinds.items()
    assert shown["run"]["state"] == "finished" and shown["run"]["group"] == "g"


def test_killed_run_is_completed_by_sync(tmp_path):
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/comet/tracker_write"
    process = subprocess.Popen([program, "neptune", "killed", tmp_path / "root", tmp_path / "log"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 300

    def values() -> list:
        logs = list((tmp_path / "log").glob("*/run_operations.sqlite3"))
        try:
            found = operations(logs[0]) if logs else []
        except NeptuneUnableToLogData:
            return []  # the log is being made: its tables are not there yet
        return [value for _, value in series([one.operation for one in found if one.operation_type == OperationType.UPDATE_SNAPSHOT]).get("loss", [])]

    while time.monotonic() < deadline and len(values()) < 15:
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = values()
    assert before == list(range(len(before))) and len(before) >= 15
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")
    after = values()
    assert after == list(range(len(after))) and len(after) >= len(before)
    taffrail("sync", run, "--yes")
    assert values() == after
