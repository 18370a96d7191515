"""What the official program writes, read by ours; and our files, decoded by its own message classes."""

import collections
import csv
import json
import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from conftest import ROOT, build_folder, inspect, sync, taffrail, write

PROGRAM = """
import sys, numpy, wandb
run = wandb.init(mode="offline", dir=sys.argv[1], project="demo", name="nice", group="g", job_type="train", tags=["a", "b"], notes="hello",
                 config={"lr": 0.1, "opt": {"name": "adam", "layers": 3}, "x.y": True})
run.define_metric("epoch")
run.define_metric("val/*", step_metric="epoch", summary="min")
run.define_metric("acc", summary="max")
for step in range(3):
    run.log({"loss": 1 / (step + 1), "acc": step * 0.1, "epoch": step, "val/loss": 10 - step, "dot.key": step, "ünïcode ✓": step}, step=step)
run.log({"nan": float("nan"), "inf": float("inf")}, step=3)
grey = numpy.full((4, 5, 3), 7, dtype=numpy.uint8)
run.log({"img": wandb.Image(grey, caption="one"), "folder/imgs": [wandb.Image(grey), wandb.Image(grey)], "hist": wandb.Histogram([1, 2, 3, 4]), "text": "hello",
         "tab": wandb.Table(columns=["a", "b"], data=[[1, "x"], [2.5, None]]), "cloud": wandb.Object3D(numpy.zeros((3, 3))), "page": wandb.Html("<b>x</b>")}, step=4)
run.summary["best"] = 42
print("to stdout")
run.finish()
wandb.teardown()
"""


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    """A run folder by the official program."""
    folder = tmp_path_factory.mktemp("official")
    (folder / "program.py").write_text(PROGRAM)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "WANDB_SILENT": "true", "WANDB_ERROR_REPORTING": "false", "WANDB_DISABLE_GIT": "true"}
    subprocess.run([sys.executable, folder / "program.py", folder], env=variables, cwd=folder, check=True, timeout=300, stdout=subprocess.DEVNULL)
    return folder


def test_commands_work_on_official_folders(official, tmp_path):
    shown = json.loads(taffrail("show", official, "--json"))
    run = shown["run"]
    assert (run["name"], run["project"], run["group"], run["job_type"], run["notes"]) == ("nice", "demo", "g", "train", "hello")
    assert run["state"] == "finished" and run["tags"] == ["a", "b"] and run["summary"] == {"best": 42}
    assert run["config"] == {"lr": 0.1, "opt/layers": 3, "opt/name": "adam", "x.y": True}
    kinds = {key["key"]: key["kind"] for key in shown["keys"]}
    expected = {"loss": "scalar", "nan": "scalar", "img": "image", "folder/imgs": "image", "hist": "histogram", "text": "text", "tab": "table", "cloud": "mesh", "page": "artifact"}
    assert expected.items() <= kinds.items()
    table = tmp_path / "wide.csv"
    taffrail("export", official, "--format", "csv", "--keys", "loss", "-o", table)
    rows = list(csv.DictReader(table.open()))
    assert [float(row["value"]) for row in rows] == [1.0, 0.5, 1 / 3] and [int(row["step"]) for row in rows] == [0, 1, 2]
    assert "nice" in taffrail("ls", official)
    assert "loss" in taffrail("compare", ROOT / "tests/data/wandb")


def test_import_keeps_everything_and_copies_once(official, tmp_path):
    first = json.loads(taffrail("import", official, "--root", tmp_path / "root", "--json"))
    again = json.loads(taffrail("import", official, "--root", tmp_path / "root", "--json"))
    assert len(list((tmp_path / "root/runs").iterdir())) == 1
    assert json.dumps(first) != json.dumps(again)
    (run,) = (tmp_path / "root/runs").iterdir()
    before, after = json.loads(taffrail("show", official, "--json")), json.loads(taffrail("show", run, "--json"))
    for name in ("name", "project", "group", "job_type", "notes", "tags", "state", "config", "summary"):
        assert before["run"][name] == after["run"][name], name
    kept = {key["key"]: (key["kind"], key["count"]) for key in after["keys"]}
    assert kept == {key["key"]: (key["kind"], key["count"]) for key in before["keys"]}
    taffrail("export", run, "--format", "media", "--media", tmp_path / "media")
    pictures = list((tmp_path / "media").rglob("*.png"))  # equal ones of one key are one file
    assert len(pictures) == 2 and all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)


def test_an_imported_run_goes_on_to_a_tracker_row_by_row(official, server, tmp_path):
    """Read by us, kept, given to the tracker again: the rows are those of the original."""
    original = tmp_path / "original"
    shutil.copytree(official, original, ignore=shutil.ignore_patterns("*.synced", "*.syncstate"))  # what was uploaded is not uploaded again
    sync(original, server)
    (theirs,) = server.runs.values()
    server.runs.clear()
    taffrail("import", official, "--root", tmp_path / "root")
    (run,) = (tmp_path / "root/runs").iterdir()
    (tmp_path / "ours").mkdir()
    taffrail("sync", run, "--sink", "wandb", "-o", f"log_dir={tmp_path / 'ours'}", "--yes")
    sync(tmp_path / "ours", server)
    (ours,) = server.runs.values()
    numbers = lambda row: {name: str(value) for name, value in row.items() if name not in ("_runtime", "_timestamp") and isinstance(value, (int, float, str))}
    assert [numbers(row) for row in ours.rows[:4]] == [numbers(row) for row in theirs.rows[:4]]
    assert [row["_step"] for row in ours.rows] == [0, 1, 2, 3, 4] and not any("step" in row for row in ours.rows)
    assert {"img", "folder/imgs", "hist", "tab"} <= ours.rows[4].keys()


def records_of(path: Path) -> list[bytes]:
    """The payloads of a .wandb file, by its description alone."""
    data, records, offset, whole = path.read_bytes(), [], 7, b""
    assert data[:7] == b":W&B\xe1\xbe\x00"
    while offset < len(data):
        left = 32768 - offset % 32768
        if left < 7:
            assert not any(data[offset : offset + left])
            offset += left
            continue
        crc, length, kind = int.from_bytes(data[offset : offset + 4], "little"), int.from_bytes(data[offset + 4 : offset + 6], "little"), data[offset + 6]
        payload = data[offset + 7 : offset + 7 + length]
        assert zlib.crc32(bytes([kind]) + payload) == crc
        whole = payload if kind in (1, 2) else whole + payload
        if kind in (1, 4):
            records.append(whole)
        offset += 7 + length
    return records


def test_official_message_classes_know_every_field(tmp_path):
    from google.protobuf.unknown_fields import UnknownFieldSet
    from wandb.proto.wandb_internal_pb2 import Record

    def unknown(message) -> int:
        inner = [value for field, value in message.ListFields() if field.message_type]
        parts = [part for value in inner for part in (value if isinstance(value, (list, tuple)) or hasattr(value, "append") else [value])]
        return len(UnknownFieldSet(message)) + sum(unknown(part) for part in parts if hasattr(part, "ListFields"))

    (path,) = write("all", tmp_path).glob("*/*.wandb")
    records = []
    for payload in records_of(path):
        record = Record()
        record.ParseFromString(payload)
        assert unknown(record) == 0 and record.WhichOneof("record_type") is not None
        assert record.SerializeToString() and Record.FromString(record.SerializeToString()) == record
        records.append(record)
    assert [record.num for record in records] == list(range(1, len(records) + 1))
    assert {record.WhichOneof("record_type") for record in records} == {
        "header", "run", "environment", "config", "metric", "history", "files", "artifact", "alert", "summary", "exit"}


@pytest.mark.parametrize("rows", [1_000_000] if os.environ.get("TAFFRAIL_FULL") else [20_000])
def test_a_large_file_is_read_whole_and_exactly(tmp_path, rows):
    """By the wheel's own message classes, and by the official reader: every record, byte for byte."""
    from wandb.proto.wandb_internal_pb2 import Record

    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/wandb/wandb_write"
    subprocess.run([program, "large", tmp_path / "root", tmp_path, str(rows)], check=True, timeout=600, stdout=subprocess.DEVNULL)
    (path,) = (tmp_path / "wandb").glob("*/*.wandb")
    kinds, losses, lines, record = collections.Counter(), [], [], Record()
    for number, payload in enumerate(records_of(path), start=1):
        record.ParseFromString(payload)
        record.DiscardUnknownFields()
        assert record.SerializeToString() == payload and record.num == number
        kind = record.WhichOneof("record_type")
        kinds[kind] += 1
        if kind == "history":
            items = {item.key or item.nested_key[0]: item.value_json for item in record.history.item}
            if "loss" in items:
                losses.append(float(items["loss"]))
                assert json.loads(items["_step"]) == record.history.step.num
        elif kind == "output_raw":
            lines.append(record.output_raw.line.rstrip("\n"))
    assert losses == [step * 0.5 for step in range(rows)] and lines == [f"line {line}" for line in range(rows // 10)]
    assert kinds["history"] >= rows and kinds["alert"] == 1 and kinds["artifact"] == 2 and kinds["files"] >= 50 and kinds["exit"] == 1
    said = collections.Counter(record["type"] for record in inspect(tmp_path, path.parent))
    assert sum(said.values()) == sum(kinds.values()) and said["history"] == kinds["history"]
    assert len(list((tmp_path / "wandb").glob("*/files/media/images/*"))) == 50


def test_same_program_uploads_the_same(official, server, tmp_path):
    """Through the official program and through our sink: what arrives is equal but for ids and times."""
    sync(official, server)
    (theirs,) = server.runs.values()
    server.runs.clear()
    write("all", tmp_path)
    sync(tmp_path, server)
    (ours,) = server.runs.values()
    clean = lambda row: {name: str(value) for name, value in row.items() if name not in ("_runtime", "_timestamp")}
    assert [clean(row) for row in theirs.rows[:4]] == [clean(row) for row in ours.rows[:4]]
    for name in ("lr", "opt", "x.y"):
        assert theirs.config[name] == ours.config[name]
    metric = lambda run: {m.get("1") or m.get("2"): (m.get("7"), bool(m.get("5"))) for m in run.config["_wandb"]["m"]}
    assert metric(theirs) == metric(ours)
    for name in ("acc", "val/loss", "epoch", "best", "text", "dot.key"):
        assert theirs.summary[name] == ours.summary[name], name
    for name in ("displayName", "groupName", "jobType", "notes", "project"):
        assert theirs.bucket[name] == ours.bucket[name], name
    picture = lambda run, key: next(row[key] for row in run.rows if key in row)
    for key in ("img", "folder/imgs", "tab"):
        same = ("_type", "width", "height", "caption", "format", "count", "ncols", "nrows", "log_mode")
        assert {n: picture(theirs, key).get(n) for n in same} == {n: picture(ours, key).get(n) for n in same}, key
    assert theirs.exit_code == ours.exit_code == 0
