"""A run of three ranks for the tests against trackers: what each of them logs, and their processes."""

import json
import os
import subprocess
import time
from pathlib import Path

STEPS = range(20)


# Hyperparameters as trackers nest them.
SETTINGS = {"lr": 0.1, "device": "cuda:0", "rank_1": {"device": "cuda:1"}, "rank_2": {"device": "cuda:2"}}


def own_settings(told: dict) -> dict:
    """Without what other ranks say as rank 0 does: that comes too where rank 0 was later to say it."""
    return {name: {inner: each for inner, each in value.items() if inner != "lr"} if isinstance(value, dict) else value for name, value in told.items()}


def losses(rank: int) -> list[tuple[int, float]]:
    return [(step, step + 1000.0 * rank) for step in STEPS]


def start(build: Path, sink: str, root: Path, target, scenario: str = "rank") -> list[subprocess.Popen]:
    """Three processes; only rank 0 writes to the tracker."""
    root.mkdir(exist_ok=True)
    program = build / "tests/interop/comet/tracker_write"
    variables = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return [subprocess.Popen([program, sink, scenario, root, str(target), str(rank)], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for rank in range(3)]


def finish(processes: list[subprocess.Popen]) -> None:
    for process in processes:
        assert process.wait(timeout=600) == 0


def kill(processes: list[subprocess.Popen]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def await_rows(build: Path, root: Path) -> Path:
    """The run's folder, once every rank has logged everything."""
    until = time.monotonic() + 600
    seen = {}
    while time.monotonic() < until:
        for run in (root / "runs").glob("*"):
            done = subprocess.run([build / "bin/taffrail", "show", run, "--json"], timeout=600, capture_output=True, text=True)
            keys = {key["key"]: key["count"] for key in json.loads(done.stdout)["keys"]} if done.returncode == 0 else {}
            assert keys.get("loss", 0) <= 60 and keys.get("text", 0) <= 3, f"more than was logged: {keys}"
            # More lines than any rank prints: what a busy machine is told must not push them out.
            console = subprocess.run([build / "bin/taffrail", "tail", run, "--console", "--lines", "1000"], timeout=600, capture_output=True, text=True)
            if keys.get("text") == 3 and keys.get("loss") == 60 and all(f"said by rank {rank}" in console.stdout for rank in range(3)):
                return run
            seen[run.name] = {"show": (done.returncode, done.stderr, keys), "console": (console.returncode, console.stdout, console.stderr)}
        time.sleep(0.1)
    raise TimeoutError(f"the ranks did not log what they should; there is: {json.dumps(seen, indent=1)}")
