"""What many runs and long series cost the real command."""

import json
import os
import re
import subprocess
import time
from contextlib import contextmanager

import pytest
import requests

from conftest import TAFFRAIL

RUNS = 300


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("growth") / "many"
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", str(RUNS), "--tags", "4", "--points", "50", "--root", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@contextmanager
def started(files, *arguments):
    """A server that may have `files` files open, hard limit and all."""
    process = subprocess.Popen(["bash", "-c", f'ulimit -n {files}; exec "$@"', "ui", TAFFRAIL, "ui", "--port", "0", "--no-open", "--json", *map(str, arguments)],
                               stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        assert line, "the server ended at its start"
        yield process, json.loads(line)
    finally:
        process.terminate()
        assert process.wait(timeout=60) == 0


def limited(files, *arguments):
    return subprocess.run(["bash", "-c", f'ulimit -n {files}; exec "$@"', "x", TAFFRAIL, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def test_finding_g07_a_server_of_more_runs_than_files_answers_for_each(many, tmp_path):
    with started(96, many, "--state-dir", tmp_path / "state") as (process, said):
        assert said["runs"] == RUNS
        api = said["address"] + "api/v1/"
        runs = requests.post(api + "runs:query", json={}, timeout=60).json()["runs"]["id"]
        assert len(runs) == RUNS
        for run in runs[:: RUNS // 100]:
            answer = requests.get(api + "run", params={"run": run}, timeout=30)
            assert answer.status_code == 200, answer.text
        charts = [{"id": "c", "runs": runs, "keys": ["train/loss"], "width": 100}]
        assert requests.post(api + "series:query", json={"charts": charts}, timeout=120).status_code == 200
        assert len(os.listdir(f"/proc/{process.pid}/fd")) < 96


@pytest.mark.parametrize("command", [["export", "--format", "csv"], ["ls", "--json"], ["ls", "--sort", "train/loss"]])
def test_finding_g07_commands_read_more_runs_than_files(many, command):
    target = ["--all", many] if command[0] == "export" and "--all" in subprocess.run([TAFFRAIL, "export", "--help"], capture_output=True, text=True).stdout else [many]
    done = limited(64, *command, *target)
    assert done.returncode == 0, done.stderr
    assert "is no run folder" not in done.stderr
    assert done.stdout.count("\n") >= RUNS or len(json.loads(done.stdout)) == RUNS


def ticks(process):
    with open(f"/proc/{process.pid}/stat") as stat:
        fields = stat.read().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])



def test_finding_g01_nobody_looking_costs_nothing_and_edits_still_show(many, tmp_path):
    with started(1024, many, "--state-dir", tmp_path / "state") as (process, said):
        api = said["address"] + "api/v1/"
        run = requests.post(api + "runs:query", json={}, timeout=60).json()["runs"]["id"][7]
        time.sleep(3)  # times of fresh folders are too coarse to be believed for two seconds
        before = ticks(process)
        time.sleep(5)
        assert ticks(process) - before <= 50, "a tenth of a core, for 300 runs at rest"
        subprocess.run([TAFFRAIL, "tag", run, "seen", "--root", many], check=True, stdout=subprocess.DEVNULL)
        for _ in range(100):
            tags = requests.get(api + "run", params={"run": run}, timeout=30).json()["tags"]
            if "seen" in tags:
                break
            time.sleep(0.1)
        assert "seen" in tags, "told by the kernel, long before a sweep of all runs"


def test_finding_g02_memory_has_one_budget(many, tmp_path):
    with started(1024, many, "--state-dir", tmp_path / "state", "--memory", "64M") as (process, said):
        api = said["address"] + "api/v1/"
        runs = requests.post(api + "runs:query", json={}, timeout=60).json()["runs"]["id"]
        for run in runs:
            assert requests.get(api + "run", params={"run": run}, timeout=30).status_code == 200
        time.sleep(2.5)
        with open(f"/proc/{process.pid}/status") as status:
            resident = int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) // 1024
        assert resident < 200
    wrong = subprocess.run([TAFFRAIL, "ui", many, "--memory", "much"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "--memory takes a size" in wrong.stderr


def peak_mb(*arguments):
    """Largest resident memory of the command."""
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen([TAFFRAIL, *map(str, arguments)], stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return usage.ru_maxrss / 1024


@pytest.fixture(scope="module")
def long_series(tmp_path_factory):
    """A short and a long run of two series."""
    folder, lengths = tmp_path_factory.mktemp("long"), (100_000, 1_000_000)
    for points in lengths:
        subprocess.run([TAFFRAIL, "demo", "generate", "--scene", "sweep", "--runs", "1", "--tags", "2", "--points", str(points), "--root", folder / str(points)],
                       check=True, stdout=subprocess.DEVNULL)
    return [folder / str(points) for points in lengths]


@pytest.mark.parametrize("form", [["csv"], ["csv", "--wide"], ["parquet"], ["jsonl"]], ids="-".join)
def test_finding_g16_an_export_of_ten_times_the_points_takes_no_more_memory(long_series, form):
    """Points that are kept are 73 bytes each: 140 MB more here."""
    short, long = (peak_mb("export", folder, "--path", "--format", *form) for folder in long_series)
    assert long - short < 32, f"{short:.0f} MB, then {long:.0f} MB"


@pytest.mark.parametrize("command", [["tail", "-n", "1"], ["show"]], ids="-".join)
def test_finding_g03_a_look_at_ten_times_the_points_takes_no_more_memory(long_series, command):
    short, long = (peak_mb(command[0], folder, "--path", *command[1:]) for folder in long_series)
    assert long - short < 8, f"{short:.0f} MB, then {long:.0f} MB"
