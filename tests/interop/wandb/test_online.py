"""Runs sent online by our sink, into the server that the official program uploads to."""

import os
import signal
import subprocess

import pytest
from conftest import KEY, build_folder, sync, taffrail, write

TIMES = {"_runtime", "_timestamp", "_wandb"}


def online(scenario, folder, server, **options):
    program = build_folder() / "tests/interop/wandb/wandb_write"
    (folder / "root").mkdir(parents=True, exist_ok=True)
    variables = {**os.environ, "WANDB_MODE": "online", "WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
    return subprocess.run([program, scenario, folder / "root", folder], timeout=300, capture_output=True, text=True, env=variables, **options)


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(inner) for name, inner in value.items() if name not in TIMES and not name.startswith("artifact_path")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def test_online_run_is_what_sync_uploads(server, tmp_path):
    """The same program twice: sent by us, and uploaded by the official program from our folder."""
    done = online("all", tmp_path / "online", server)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"sends to {server.url}") == 1 and KEY not in done.stderr + done.stdout
    (tmp_path / "offline").mkdir()
    write("all", tmp_path / "offline")
    sync(tmp_path / "offline", server)
    assert len(server.runs) == 2
    ours, theirs = sorted(server.runs.values(), key=lambda run: run.bucket.get("host") is None)
    for run in (ours, theirs):
        assert run.exit_code == 0 and run.rows
    assert [without_times(row) for row in ours.rows] == [without_times(row) for row in theirs.rows]
    assert without_times(ours.config) == without_times(theirs.config)
    assert without_times(ours.summary) == without_times(theirs.summary)
    media = {name for name in theirs.files if name.startswith("media/")}
    assert media and media <= set(ours.files)
    for name in media:
        assert server.uploads[ours.files[name]] == server.uploads[theirs.files[name]], name
    assert [alert["title"] for alert in ours.alerts] == ["T"]
    kinds = [sorted((one.get("artifactTypeName"), one["digest"]) for one in run.artifacts) for run in (ours, theirs)]
    assert len(kinds[0]) == len(kinds[1]) and {kind for kind, _ in kinds[0]} == {kind for kind, _ in kinds[1]}


def test_failed_run_is_failed_there(server, tmp_path):
    assert online("failed", tmp_path, server).returncode == 0
    (run,) = server.runs.values()
    assert run.exit_code == 1 and [row["loss"] for row in run.rows] == [step * 0.5 for step in range(20)]


def test_killed_run_is_whole_after_sync(server, tmp_path):
    program = build_folder() / "tests/interop/wandb/wandb_write"
    (tmp_path / "root").mkdir()
    variables = {**os.environ, "WANDB_MODE": "online", "WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
    writer = subprocess.Popen([program, "killed", tmp_path / "root", tmp_path], stdout=subprocess.PIPE, text=True, env=variables, stderr=subprocess.DEVNULL)
    assert writer.stdout.readline() == "ready\n"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    done = subprocess.run([build_folder() / "bin/taffrail", "sync", "--root", tmp_path / "root", "resumed1", "--yes"], env=variables, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    run = server.runs["resumed1"]
    losses = [row["loss"] for row in run.rows]
    assert losses == [float(step) for step in range(len(losses))] and len(losses) >= 10
    assert run.exit_code == 1
    before = dict(run.history)
    again = subprocess.run([build_folder() / "bin/taffrail", "sync", "--root", tmp_path / "root", "resumed1", "--yes"], env=variables, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0 and run.history == before
