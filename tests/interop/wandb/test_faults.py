"""Our online sink against a server that is busy, breaks, cuts its answers, stalls, replays and goes away, and a kill in between.

The faults come over real sockets, in a fixed order that hits every kind of request; ten minutes of absence are in tests/sinks_wandb with a clock of its own, and here in real time with TAFFRAIL_FULL.
"""

import itertools
import json
import os
import random
import signal
import subprocess
import time

import pytest
from conftest import KEY, Server, build_folder, sync, write
from test_online import online, without_times

FULL = bool(os.environ.get("TAFFRAIL_FULL"))  # more of the same, which mostly waits
FAULTS = ["429", "500", "cut", "stall", "refused", "replay"]


def now_and_then(seed: int):
    """Two of five requests go wrong, each kind equally often."""
    chance, kinds = random.Random(seed), itertools.cycle(FAULTS)
    return lambda: next(kinds) if chance.random() < 0.4 else None


def finished(folder, server, run: str) -> None:
    """What is left over after the bound of finish() goes by sync."""
    variables = {**os.environ, "WANDB_MODE": "online", "WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
    said = ""
    for _ in range(10):
        done = subprocess.run([build_folder() / "bin/taffrail", "sync", "--root", folder / "root", run, "--yes"], env=variables, capture_output=True, text=True, timeout=300)
        said += done.stdout + done.stderr
        assert KEY not in said
        if done.returncode == 0:
            return
    raise AssertionError(said)


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """The same run, uploaded by the official program to a server without faults."""
    server, folder = Server(), tmp_path_factory.mktemp("clean")
    write("all", folder)
    sync(folder, server)
    yield server
    server.close()


@pytest.mark.parametrize("seed", range(1, 9) if FULL else [1])
def test_every_fault_in_turn_costs_and_doubles_nothing(clean, tmp_path, seed):
    server = Server(now_and_then(seed))
    try:
        assert online("all", tmp_path, server).returncode == 0
        finished(tmp_path, server, next((tmp_path / "root/runs").iterdir()).name)
        (ours,), (theirs,) = server.runs.values(), clean.runs.values()
        assert [without_times(row) for row in ours.rows] == [without_times(row) for row in theirs.rows]
        assert without_times(ours.config) == without_times(theirs.config) and without_times(ours.summary) == without_times(theirs.summary)
        assert ours.exit_code == 0 and len(ours.console) == len(theirs.console)
        for name in (name for name in theirs.files if name.startswith("media/")):
            assert server.uploads[ours.files[name]] == clean.uploads[theirs.files[name]], name
        # By content: an artifact that is made twice is one there.
        assert {one["artifactTypeName"] for one in ours.artifacts} == {one["artifactTypeName"] for one in theirs.artifacts}
        assert {alert["title"] for alert in ours.alerts} == {alert["title"] for alert in theirs.alerts}
    finally:
        server.close()


@pytest.mark.parametrize("seed", range(11, 19) if FULL else [11])
def test_kill_among_faults_is_whole_after_sync(tmp_path, seed):
    server = Server(now_and_then(seed))
    try:
        (tmp_path / "root").mkdir()
        variables = {**os.environ, "WANDB_MODE": "online", "WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
        writer = subprocess.Popen([build_folder() / "tests/interop/wandb/wandb_write", "killed", tmp_path / "root", tmp_path], stdout=subprocess.PIPE, text=True, env=variables,
                                  stderr=subprocess.DEVNULL)
        assert writer.stdout.readline() == "ready\n"
        until = time.monotonic() + 300
        while time.monotonic() < until and not any(run.history for run in server.runs.values()):
            time.sleep(0.05)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        finished(tmp_path, server, "resumed1")
        run = server.runs["resumed1"]
        losses = [row["loss"] for row in run.rows]
        assert losses == [float(step) for step in range(len(losses))] and len(losses) >= 10
        assert run.exit_code == 1 and sorted(run.history) == list(range(len(run.history)))
        before = json.dumps(run.history)
        finished(tmp_path, server, "resumed1")
        assert json.dumps(run.history) == before
    finally:
        server.close()


@pytest.mark.parametrize("seconds", [600] if FULL else [3])
def test_server_that_was_away_while_the_run_went_on_gets_everything(tmp_path, seconds):
    server = Server()
    (tmp_path / "root").mkdir()
    variables = {**os.environ, "WANDB_MODE": "online", "WANDB_BASE_URL": server.url, "WANDB_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
    writer = subprocess.Popen([build_folder() / "tests/interop/wandb/wandb_write", "until_told", tmp_path / "root", tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=variables, stderr=subprocess.DEVNULL)
    try:
        assert writer.stdout.readline() == "ready\n"
        until = time.monotonic() + 300
        while time.monotonic() < until and not any(run.history for run in server.runs.values()):
            time.sleep(0.05)
        server.faults = lambda: "refused"
        before = len(server.runs["away1"].history)
        time.sleep(seconds)
        assert writer.poll() is None
        server.faults = lambda: None
        writer.stdin.close()
        assert writer.wait(timeout=300) == 0
        finished(tmp_path, server, "away1")
        (run,) = server.runs.values()
        assert [row["loss"] for row in run.rows] == [float(step) for step in range(len(run.history))] and len(run.history) > before
        assert run.exit_code == 0 and sorted(run.history) == list(range(len(run.history)))
    finally:
        writer.kill()
        writer.wait()
        server.close()


def test_server_that_is_away_delays_no_end(tmp_path):
    """Nobody answers for the whole run: the program ends within the bound, and everything goes by sync."""
    server = Server(lambda: "refused")
    try:
        began = time.monotonic()
        done = online("failed", tmp_path, server)
        assert done.returncode == 0 and time.monotonic() - began < 120, done.stderr
        assert not any(run.history for run in server.runs.values())
        server.faults = lambda: None
        finished(tmp_path, server, next((tmp_path / "root/runs").iterdir()).name)
        (run,) = server.runs.values()
        assert run.exit_code == 1 and [row["loss"] for row in run.rows] == [step * 0.5 for step in range(20)]
    finally:
        server.close()
