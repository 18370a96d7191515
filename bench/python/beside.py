"""The package beside others: the same rows through their own clients, reading beside EventAccumulator, and Lightning with our logger and with one
that does nothing."""

import json
import os
import statistics
import subprocess
import tempfile
import zipfile
from pathlib import Path

from bench.harness.context import Context

# Name of the row, environment, script, rows of 20 values in the small and in the large load.
PEERS = [
    ("neptune_offline", "bench", "neptune_offline.py", 500, 4000),
    ("wandb_offline", "bench", "wandb_offline.py", 500, 4000),
    ("trackio", "bench_trackio", "trackio_local.py", 4000, 40000),
    ("tensorboardX", "bench", "tensorboardx.py", 500, 4000),
    ("mlflow_sqlite", "bench", "mlflow_sqlite.py", 200, 1600),
    ("aim", "bench_aim", "aim_local.py", 100, 800),
]
OURS = (10_000, 100_000)
REPEATS = 5


def tracker_rows(context: Context, inside: Path) -> list:
    """CPU of all threads and processes for one more point, open to finished: everybody in turn, again and again."""
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name, *_ in PEERS}
    reasons: dict[str, str] = {}
    repeats = 1 if context.quick else REPEATS
    for repeat in range(repeats):
        print(f"peers, round {repeat + 1} of {repeats} …", flush=True)
        ours.append(context.per_point_with(inside, "taffrail_rows.py", *OURS)["cpu_us"])
        for name, environment, script, small, large in PEERS:
            if name in reasons:
                continue
            try:
                theirs[name].append(context.peer_per_point(environment, script, small, small * 4 if context.quick else large)["cpu_us"])
            except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
                reasons[name] = str(error)
    rows = []
    cost = statistics.median(ours)
    for name, *_ in PEERS:
        row = {"id": f"py.vs_{name}", "value": cost, "unit": "us", "peer": name, "reason": reasons.get(name)}
        if theirs[name] and name not in reasons:
            peer = statistics.median(theirs[name])
            row |= {"peer_value": peer, "ratio": peer / cost, "spread": [min(ours), max(ours)], "peer_spread": [min(theirs[name]), max(theirs[name])]}
        rows.append(row)
    return rows


EVENTS = """
import sys
from taffrail.tensorboard import SummaryWriter
writer = SummaryWriter(sys.argv[1])
for step in range(int(sys.argv[2])):
    writer.add_scalar("x", step * 0.5, step)
writer.close()
"""


def reading_row(context: Context, inside: Path, ours_us: float) -> dict:
    """A point that taffrail.read() gives as NumPy beside one that EventAccumulator gives; CPU of each."""
    import peers  # scripts/testing is on the path by now

    row = {"id": "py.read_vs_event_accumulator", "value": ours_us, "unit": "us", "peer": "EventAccumulator"}
    try:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([inside, "-c", EVENTS, folder, str(50_000 if context.quick else 500_000)], check=True, capture_output=True, text=True,
                           env={**os.environ, "TAFFRAIL_ZONES": "none"})
            done = subprocess.run([peers.python_of("tensorboard"), context.root / "bench/tensorboard/accumulator_load.py", "-", folder], check=True, capture_output=True, text=True)
        theirs = json.loads(done.stdout.splitlines()[-1])["cpu_us_per_event"]
    except subprocess.CalledProcessError as error:
        return row | {"reason": error.stderr[-300:]}
    return row | {"peer_value": theirs, "ratio": theirs / ours_us}


def lightning_row(context: Context) -> dict:
    """One training: with our logger and with one whose methods are empty, a block of steps each in turn."""
    import peers
    import stage_python

    row = {"id": "py.lightning_overhead", "value": None, "unit": "us/step", "peer": "an empty Logger"}
    python = peers.python_of("lightning")
    said = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], check=True, capture_output=True, text=True).stdout
    wheels = sorted((context.root / "build" / "wheels" / stage_python.named(tuple(map(int, said.split())))).glob("taffrail-*.whl"))
    if not wheels:
        return row | {"reason": f"no wheel for Python {'.'.join(said.split())}: run ./scripts/test --only python first"}
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheels[-1]) as archive:
            archive.extractall(f"{folder}/package")
        done = subprocess.run([python, context.root / "bench/python/lightning_loop.py", "5000" if context.quick else "20000"], capture_output=True, text=True,
                              env={**os.environ, **peers.environment_of("lightning"), "PYTHONPATH": f"{folder}/package", "TAFFRAIL_DIR": f"{folder}/runs", "TAFFRAIL_ZONES": "none"},
                              cwd=folder)
    if done.returncode != 0:
        return row | {"reason": done.stderr.strip()[-300:]}
    measured = json.loads(done.stdout.splitlines()[-1])
    ours, empty = (statistics.median(measured[name]) for name in ("ours", "empty"))
    # Of blocks that ran one after the other: what the machine does meanwhile meets both.
    ratio = statistics.median(mine / other for mine, other in zip(measured["ours"], measured["empty"], strict=True))
    return row | {"value": ours, "peer_value": empty, "ratio": ratio, "spread": [min(measured["ours"]), max(measured["ours"])],
                  "peer_spread": [min(measured["empty"]), max(measured["empty"])]}
