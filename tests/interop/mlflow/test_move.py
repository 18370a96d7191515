"""Runs moved after the fact: `taffrail sync` to a server, `taffrail import` from what MLflow keeps."""

import json
import os
import shutil
import sqlite3
import subprocess

import pytest
from conftest import build_folder, environment, only_run, taffrail, write

pytestmark = pytest.mark.filterwarnings("ignore")


def points(path, run, key) -> list[tuple[int, float]]:
    text = taffrail("export", "--root", path, run, "--format", "jsonl")
    rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return sorted((row["step"], float(row["value"])) for row in rows if row.get("key") == key)


def test_sync_gives_a_native_run_to_a_server_once(server, client, tmp_path):
    write("native", tmp_path / "root", server.url)
    asked = ["sync", "--root", tmp_path / "root", "native1", "--sink", "mlflow", "-o", f"tracking_uri={server.url}"]
    assert "mlflow would receive" in taffrail(*asked, "--dry-run")
    taffrail(*asked, "--yes")
    run = only_run(client, "native1")
    history = sorted((point.step, point.value) for point in client.get_metric_history(run.info.run_id, "loss"))
    assert history == [(step, float(step)) for step in range(20)]
    assert run.info.status == "FINISHED" and run.data.params == {"lr": "0.1"}
    with sqlite3.connect(server.database) as database:
        before = database.execute("SELECT count(*) FROM metrics").fetchone()
    assert "received 0 records" in taffrail(*asked, "--yes")
    with sqlite3.connect(server.database) as database:
        assert database.execute("SELECT count(*) FROM metrics").fetchone() == before


def test_sync_without_a_server_keeps_everything(tmp_path):
    write("native", tmp_path / "root", "http://127.0.0.1:1")
    asked = ["sync", "--root", tmp_path / "root", "native1", "--sink", "mlflow", "-o", "tracking_uri=http://127.0.0.1:1", "--yes"]
    assert "127.0.0.1" in taffrail(*asked, status=1)
    assert "would receive" in taffrail(*asked, "--dry-run")


def test_database_of_the_server_is_read_as_it_is(server, client, tmp_path):
    """Test 3 of the map: what our sink wrote and what the official client reports come out the same."""
    write("native", tmp_path / "root", server.url)
    taffrail("sync", "--root", tmp_path / "root", "native1", "--sink", "mlflow", "-o", f"tracking_uri={server.url}", "--yes")
    from mlflow.entities import Metric, Param, RunTag

    experiment = client.create_experiment("official")
    run = client.create_run(experiment, run_name="theirs")
    client.log_batch(run.info.run_id, [Metric("loss", value, 1_700_000_000_000 + step, step) for step, value in enumerate([1.5, float("nan"), float("inf"), -0.25])],
                     [Param("lr", "0.5"), Param("name", "adam")], [RunTag("team", "a")])
    client.log_text(run.info.run_id, "hello", "notes/a.txt")
    client.set_terminated(run.info.run_id, "FAILED")
    listed = json.loads(taffrail("ls", server.database, "--json"))
    theirs = next(one for one in listed if one["id"] == run.info.run_id)
    assert theirs["name"] == "theirs" and theirs["project"] == "official" and theirs["state"] == "failed", theirs
    shown = taffrail("show", "--root", server.database, run.info.run_id)
    assert "0.5" in shown and "adam" in shown and "loss" in shown
    taffrail("import", server.database, "--root", tmp_path / "native")
    again = taffrail("import", server.database, "--root", tmp_path / "native")
    assert "0 " in again or "already" in again, again
    mine = json.loads(taffrail("ls", "--root", tmp_path / "native", "--json"))
    assert {one["name"] for one in mine} >= {"theirs", "nice"}


def test_file_store_is_read(tmp_path):
    """Made by the official client, with its own words for steps and numbers that are none."""
    script = """
import sys, mlflow
mlflow.set_tracking_uri("file://" + sys.argv[1])
mlflow.set_experiment("files")
with mlflow.start_run(run_name="one"):
    mlflow.log_param("lr", 0.1)
    mlflow.set_tag("team", "b")
    for step in range(5):
        mlflow.log_metric("train/loss", step * 0.5, step=step)
    mlflow.log_metric("odd", float("nan"), step=-3)
    mlflow.log_text("hello", "notes/a.txt")
"""
    import sys

    subprocess.run([sys.executable, "-c", script, tmp_path / "mlruns"], check=True, env={**environment(), "MLFLOW_ALLOW_FILE_STORE": "true"}, timeout=300)
    for place in (tmp_path, tmp_path / "mlruns"):
        listed = json.loads(taffrail("ls", place, "--json"))
        assert [(one["name"], one["project"], one["state"]) for one in listed] == [("one", "files", "finished")], place
    shown = taffrail("show", "--root", tmp_path / "mlruns", "one")
    assert "train/loss" in shown and "odd" in shown and "lr" in shown


def test_damaged_database_gives_what_it_can(server, tmp_path):
    database = tmp_path / "mlflow.db"
    with sqlite3.connect(server.database) as source, sqlite3.connect(database) as target:
        source.backup(target)
    whole = database.read_bytes()
    step = max(len(whole) // 12, 1)
    for size in range(0, len(whole), step):
        database.write_bytes(whole[:size])
        done = subprocess.run([build_folder() / "bin/taffrail", "ls", database], capture_output=True, text=True, timeout=300)
        assert done.returncode in (0, 1, 2), (size, done.returncode, done.stderr)
    for place in range(100, len(whole), step):
        broken = bytearray(whole)
        broken[place] ^= 0xFF
        database.write_bytes(bytes(broken))
        done = subprocess.run([build_folder() / "bin/taffrail", "ls", database], capture_output=True, text=True, timeout=300)
        assert done.returncode in (0, 1, 2), (place, done.returncode, done.stderr)
