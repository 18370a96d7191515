"""The matrix of stops: whatever ends a training, wherever, under whatever launcher, its state and message are true, its ranks end together,
and it goes on from its checkpoint as if it had not ended."""

import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import time

import pytest

ROOT = pathlib.Path(__file__).parents[3]
BUILD = pathlib.Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "release"))
PROGRAM = BUILD / "tests" / "interop" / "mpi" / "stop_program"
TAFFRAIL = BUILD / "bin" / "taffrail"
RANKS = {"single": 1, "threads": 3, "tcp": 3, "mpi": 4}
KINDS = ["exception", "ctrl_c", "sigterm", "max_time", "early_stop", "kill"]
PLACES = ["middle", "validation", "between"]
CASES = [(launch, kind, place) for launch in RANKS for kind in KINDS for place in PLACES if kind != "kill" or launch in ("tcp", "mpi")]
# The launcher waits this long before it passes a signal on, and as long again before it kills: a second each is too little for a slow machine, and a rank
# of the program waits 20 seconds for its signal.
MPIRUN = ["mpirun", "--mca", "odls_base_sigkill_timeout", "5", "--allow-run-as-root", "--oversubscribe", "--enable-recovery", "-n", str(RANKS["mpi"])]
SECONDS = 120


# Below those the system gives to connections: one of those may be taken by anybody between the look and the use.
PORTS = itertools.count(20_000 + os.getpid() * 61 % 10_000)
PORTS_LOCK = threading.Lock()


def free_ports(count):
    ports = []
    with PORTS_LOCK:
        while len(ports) < count:
            port = next(PORTS)
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) != 0:
                    ports.append(port)
    return ports


def start(launch, words, environment):
    """The processes of a job: one, one per rank, or the launcher."""
    launcher = MPIRUN if launch == "mpi" else []
    if launch != "tcp":
        return [subprocess.Popen([*launcher, str(PROGRAM), *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)]
    ports = free_ports(RANKS["tcp"])
    return [subprocess.Popen([str(PROGRAM), *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             env={**environment, "RANK": str(rank), "WORLD_SIZE": str(len(ports)), "MASTER_PORT": str(ports[0]),
                                  "STOP_PROGRAM_PORTS": " ".join(map(str, ports))}) for rank in range(len(ports))]


def run(folder, launch, kind, place, *resume):
    """Exit codes in rank order (one where there is one process), and what was said."""
    processes = start(launch, [str(folder), launch, kind, place, *resume], {**os.environ, "TAFFRAIL_MODE": ""})
    deadline = time.monotonic() + SECONDS
    try:
        while any(process.poll() is None for process in processes) and time.monotonic() < deadline:
            # Open MPI itself sometimes stays after the recovery of a killed rank: its ranks have all finished their run.
            if launch == "mpi" and kind == "kill" and not resume and all((folder / f"rank{rank}.done").exists() for rank in range(RANKS["mpi"] - 1)):
                processes[0].terminate()
            time.sleep(0.02)
    finally:
        late = [process for process in processes if process.poll() is None]
        for process in late:
            process.kill()
    said = "".join(process.communicate()[1] for process in processes)
    assert not late, f"{launch} {kind} {place}: still there after {SECONDS} s\n{said}"
    return [process.returncode for process in processes], said


def written(folder, rank, ending=".tsv"):
    path = folder / f"rank{rank}{ending}"
    if not path.exists():
        return None
    result = {"values": {}}
    for line in path.read_text().splitlines():
        word, *rest = line.split("\t")
        if word == "value":
            result["values"][rest[0], int(rest[1])] = float.fromhex(rest[2])
        else:
            result[word] = rest[0] if rest else ""
    return result


def own_codes(folder):
    """What each rank ended with, which a launcher sums up as it likes."""
    return [int(path.read_text()) for path in sorted(folder.glob("rank*.done"))]


def state_of(root):
    out = subprocess.run([TAFFRAIL, "show", root, "--json"], capture_output=True, text=True, timeout=60, check=True).stdout
    return json.loads(out)["run"]


def stop_and_resume(base, case):
    launch, kind, place = case
    folder = base / "-".join(case)
    folder.mkdir()
    codes, said = run(folder, launch, kind, place)
    broken = {"codes": codes, "said": said, "run": state_of(folder / "runs"), "own_codes": own_codes(folder),
              "ranks": [written(folder, rank) for rank in range(RANKS[launch])]}
    codes, said = run(folder, launch, kind, place, "resume")
    resumed = {"codes": codes, "said": said, "ranks": [written(folder, rank, ".resumed.tsv") for rank in range(RANKS[launch])]}
    return broken, resumed


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    base = tmp_path_factory.mktemp("stops")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        whole = {launch: pool.submit(run_whole, base, launch) for launch in RANKS}
        stopped = {case: pool.submit(stop_and_resume, base, case) for case in CASES}
        yield whole, stopped


def run_whole(base, launch):
    folder = base / launch
    folder.mkdir()
    codes, said = run(folder, launch, "none", "none")
    assert set(codes) == {0}, said
    assert state_of(folder / "runs")["state"] == "finished"
    return [written(folder, rank) for rank in range(RANKS[launch])]


def check_end(launch, kind, broken):
    """State, message, exit code and the word of each rank."""
    last = RANKS[launch] - 1
    state, message = broken["run"]["state"], broken["run"]["message"]
    ranks = broken["ranks"][:last] if kind == "kill" else broken["ranks"]
    assert all(ranks), broken
    if kind == "exception":
        assert state == "failed" and "out of luck" in message, broken
        assert all(rank["ok"] == "0" and "out of luck" in rank["error"] for rank in ranks), broken
        assert all(f"rank {last} stopped" in rank["error"] for rank in ranks[:-1]), broken
        code = 1
        # With --enable-recovery mpirun ends with 0 whatever its ranks end with, `exit 1` too: what counts there is each rank's own code, below.
        assert launch == "mpi" or all(each == code for each in broken["codes"]), broken
    elif kind in ("ctrl_c", "sigterm"):
        # mpirun sends its ranks SIGTERM, whatever it was sent.
        number, name = (2, "SIGINT") if kind == "ctrl_c" and launch != "mpi" else (15, "SIGTERM")
        assert state == "aborted" and name in message, broken
        assert all(rank["ok"] == "1" for rank in ranks), broken
        code = 128 + number
        assert all(each == code for each in broken["codes"]) or launch == "mpi" and any(broken["codes"]), broken
    elif kind == "kill":
        code = 1
        assert state in ("failed", "crashed") and f"rank {last}" in message, broken
        assert all(rank["ok"] == "0" and f"rank {last}" in rank["error"] for rank in ranks), broken
        # They heard of it; nobody waited for it until a time-out.
        assert not any(re.search(r"within \d+", rank["error"]) for rank in ranks), broken
    else:
        assert state == "finished" and message == "", broken
        assert all(rank["ok"] == "1" for rank in ranks), broken
        assert set(broken["codes"]) == {0}, broken
        code = 0
    if launch != "threads":  # those are one process, which ends as rank 0 does
        assert broken["own_codes"] == [code] * len(ranks), broken
    assert len({rank["steps"] for rank in ranks}) == 1, "ranks end at the same batch"


@pytest.mark.parametrize("case", CASES, ids=["-".join(case) for case in CASES])
def test_finding_t03_any_stop_is_told_truly_and_resumes_exactly(outcomes, case):
    launch, kind, _ = case
    whole = outcomes[0][launch].result()
    broken, resumed = outcomes[1][case].result()
    check_end(launch, kind, broken)
    assert set(resumed["codes"]) == {0}, resumed
    for number, (expected, before, after) in enumerate(zip(whole, broken["ranks"], resumed["ranks"])):
        assert after["ok"] == "1" and after["steps"] == expected["steps"], after
        together = {**(before["values"] if before else {}), **after["values"]}
        if before is None:  # killed before it could write anything down
            assert after["values"].items() <= expected["values"].items(), number
            continue
        different = {key: (value, together.get(key)) for key, value in expected["values"].items() if together.get(key) != value}
        assert not different, f"rank {number}"
        if kind not in ("max_time", "early_stop"):  # those close the epoch they end in, with rows of their own
            assert together.keys() == expected["values"].keys(), f"rank {number}"
