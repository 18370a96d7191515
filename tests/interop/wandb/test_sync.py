"""Our run folders, uploaded by the unmodified official client to a server that records what it is told."""

import json
import math
import os
import random
import signal
import struct
import subprocess
import time
import zlib

import pytest
from conftest import build_folder, inspect, sync, taffrail, write


def only(server):
    assert len(server.runs) == 1, list(server.runs)
    return next(iter(server.runs.values()))


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    write("all", folder)
    return folder


@pytest.fixture(scope="module")
def uploaded(everything):
    from conftest import Server

    server = Server()
    said = sync(everything, server)
    assert list(everything.glob("wandb/*/*.synced")), said
    yield server
    server.close()


def test_official_reader_knows_every_record(everything):
    (folder,) = (everything / "wandb").glob("offline-run-*")
    records = inspect(everything, folder)
    assert [record["num"] for record in records] == list(range(1, len(records) + 1))
    assert "unknown" not in {record["type"] for record in records}
    assert records[0]["type"] == "header" and records[-1]["type"] == "exit"


def test_history_arrives_with_rising_steps(uploaded):
    rows = only(uploaded).rows
    steps = [row["_step"] for row in rows]
    assert steps == sorted(set(steps))
    for step in range(3):
        row = rows[step]
        assert row["_step"] == step and row["loss"] == 1 / (step + 1) and row["acc"] == step * 0.1
        assert row["val/loss"] == 10 - step and row["dot.key"] == step and row["ünïcode ✓"] == step
        assert row["_runtime"] >= 0 and row["_timestamp"] > 1.7e9
    assert math.isnan(rows[3]["nan"]) and rows[3]["inf"] == math.inf


def test_steps_that_fall_keep_their_true_step(uploaded):
    rows = [row for row in only(uploaded).rows if "loss" in row]
    tail = [(row.get("step", row["_step"]), row["loss"]) for row in rows[3:]]
    assert tail == [(7, 0.5), (6, 0.25), (6, 0.125), (9, 0.1)]


def test_description_arrives(uploaded):
    bucket = only(uploaded).bucket
    assert bucket["displayName"] == "nice" and bucket["project"] == "demo"
    assert bucket["groupName"] == "g" and bucket["jobType"] == "train" and bucket["notes"] == "hello"
    assert bucket["tags"] == ["a", "b", "late"]
    config = only(uploaded).config
    assert config["lr"] == 0.1 and config["opt"] == {"name": "adam", "layers": 3} and config["x.y"] is True


def test_definitions_arrive(uploaded):
    metrics = only(uploaded).config["_wandb"]["m"]
    by_name = {metric.get("1") or metric.get("2"): metric for metric in metrics}
    assert by_name["val/*"]["5"] == 1 + [m.get("1") for m in metrics].index("epoch")
    assert by_name["val/*"]["7"] == [1]  # the smallest
    assert by_name["acc"]["7"] == [2]  # the largest


def test_summary_arrives(uploaded):
    summary = only(uploaded).summary
    assert summary["loss"] == 0.1 and summary["best"] == 42
    assert summary["acc"] == {"max": 0.2} and summary["val/loss"] == {"min": 8}
    assert summary["text"] == "hello"


def test_media_arrive(uploaded):
    run = only(uploaded)
    rows = {name: value for row in run.rows for name, value in row.items()}
    types = {name: value["_type"] for name, value in rows.items() if isinstance(value, dict) and "_type" in value}
    assert types == {
        "img": "image-file", "folder/imgs": "images/separated", "hist": "histogram", "tab": "table-file", "points": "object3D-file",
        "mesh": "object3D-file", "sound": "audio-file", "film": "video-file", "figure": "plotly-file", "graph": "graph-file",
    }
    assert rows["img"]["caption"] == "one" and rows["img"]["width"] == 5 and rows["img"]["height"] == 4
    assert len(rows["folder/imgs"]["filenames"]) == 2
    assert sum(rows["hist"]["values"]) == 4 and len(rows["hist"]["bins"]) == len(rows["hist"]["values"]) + 1
    for value in rows.values():
        for path in [value["path"]] if isinstance(value, dict) and "path" in value else []:
            assert len(uploaded.uploads[run.files[path]]) == value["size"]
    assert json.loads(uploaded.uploads[run.files[rows["tab"]["path"]]]) == {"columns": ["a", "b"], "data": [[1, "x"], [2.5, None]]}


def test_artifacts_arrive_with_their_bytes(uploaded):
    run = only(uploaded)
    by_type = {artifact["artifactTypeName"]: number for number, artifact in enumerate(run.artifacts, start=1)}
    assert set(by_type) == {"run_table", "tensor", "embedding", "file"}
    assert uploaded.uploads[f"/put/artifact/a{by_type['file']}/weights.bin"] == b"content"
    assert uploaded.uploads[f"/put/artifact/a{by_type['tensor']}/tensor.npy"].startswith(b"\x93NUMPY")


def test_alert_and_exit_arrive(uploaded):
    run = only(uploaded)
    assert [(alert["title"], alert["severity"]) for alert in run.alerts] == [("T", "WARN")]
    assert run.exit_code == 0


def test_failure_is_a_failure_there(tmp_path, server):
    write("failed", tmp_path)
    sync(tmp_path, server)
    assert only(server).exit_code == 1 and len(only(server).rows) == 20


def test_console_and_load_arrive(tmp_path, server):
    write("console", tmp_path)
    sync(tmp_path, server)
    run = only(server)
    lines = [line.split(" ", 1)[1] if not line.startswith("ERROR") else line for line in run.lines]
    assert any(line.strip() == "to stdout" for line in lines)
    assert any(line.startswith("ERROR") and line.strip().endswith("to stderr") for line in lines)
    load = [json.loads(line) for line in run.events.values()]
    assert load and all(row["system.memory_percent"] > 0 for row in load)
    assert any(row.get("system.proc.memory.rssMB", 0) > 0 for row in load)


def killed_run(folder):
    """A run that is killed while it logs; returns how many rows were flushed for sure."""
    (folder / "root").mkdir()
    program = build_folder() / "tests/interop/wandb/wandb_write"
    process = subprocess.Popen([program, "killed", folder / "root", folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        files = list((folder / "wandb").glob("*/*.wandb"))
        if files and files[0].stat().st_size > 4000:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_killed_run_is_readable_and_completed_by_sync(tmp_path, server):
    killed_run(tmp_path)
    (folder,) = (tmp_path / "wandb").glob("offline-run-*")
    before = [record for record in inspect(tmp_path, folder) if record["type"] == "history"]
    assert before and [record["history"]["item"]["loss"] for record in before] == list(range(len(before)))
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")
    after = [record for record in inspect(tmp_path, folder) if record["type"] == "history"]
    assert len(after) > len(before)
    assert [record["history"]["item"]["loss"] for record in after] == list(range(len(after)))
    taffrail("sync", run, "--yes")
    assert [record for record in inspect(tmp_path, folder) if record["type"] == "history"] == after


def whole_chunks(data: bytes) -> bool:
    """Every checksum fits, up to a chunk that the end of the file cuts."""
    offset = 7
    while offset < len(data):
        left = 32768 - offset % 32768
        if left < 7:
            offset += left
            continue
        crc, length, kind = struct.unpack("<IHB", data[offset : offset + 7].ljust(7, b"\0"))
        if offset + 7 + length > len(data):
            return True
        if zlib.crc32(bytes([kind]) + data[offset + 7 : offset + 7 + length]) != crc:
            return False
        offset += 7 + length
    return True


def losses(place, run) -> list[float]:
    rows = [json.loads(line) for line in taffrail("export", "--root", place, run, "--format", "jsonl").splitlines() if line.startswith("{")]
    return [float(row["value"]) for row in rows if row.get("key") == "loss"]


@pytest.mark.parametrize("seed", range(200 if os.environ.get("TAFFRAIL_FULL") else 3))
def test_a_kill_at_any_moment_keeps_what_was_flushed(tmp_path, seed):
    (tmp_path / "root").mkdir()
    process = subprocess.Popen([build_folder() / "tests/interop/wandb/wandb_write", "killed", tmp_path / "root", tmp_path], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(random.Random(seed).uniform(0, 2.5))
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = []
    for file in (tmp_path / "wandb").glob("*/*.wandb"):
        assert whole_chunks(file.read_bytes())
        before = losses(tmp_path / "wandb", "resumed1") if file.stat().st_size > 7 else []
    assert before == list(range(len(before)))
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")
    after = losses(tmp_path / "wandb", "resumed1")
    assert after == losses(tmp_path / "root", "resumed1") == list(range(len(after))) and len(after) >= max(len(before), 10)


def test_resumed_run_is_one_run_there(tmp_path, server):
    killed_run(tmp_path)
    write("resumed", tmp_path)
    assert len(list((tmp_path / "wandb").glob("offline-run-*"))) == 2
    sync(tmp_path, server)
    run = only(server)
    steps = [row.get("step", row["_step"]) for row in run.rows]
    assert [row["_step"] for row in run.rows] == sorted({row["_step"] for row in run.rows})
    assert steps[-10:] == list(range(5, 15)) and run.exit_code == 0
    assert [row["loss"] for row in run.rows] == steps
