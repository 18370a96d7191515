"""Trackers: what attaching one costs the loop, and what the same load costs through us and through the tracker's own offline client."""

import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from bench.harness.context import QUIET, Context, children_cpu

TARGETS = {
    "trk.caller_ns": {"at_most": 30},
    "trk.wandb_cpu": {"at_least": 30, "of": "ratio"},
    "trk.wandb_bytes": {"at_most": 1.0, "of": "ratio"},
    "trk.wandb_read": {"at_least": 50, "of": "ratio"},
    "trk.offline_open_finish_ms": {"at_most": 30},
}
PROGRAM = "bench/trackers/tracker_bench"
SMALL, LARGE = 2_000, 20_000  # rows of 20 values; the official client gets a tenth


def ours(context: Context, rows: int) -> dict:
    """CPU seconds, points and the bytes of the tracker's folder."""
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        said = context.native(PROGRAM, "write", "wandb", folder, str(rows))["write"]
        return said | {"bytes": sum(path.stat().st_size for path in (Path(folder) / "log").rglob("*") if path.is_file())}


def slope(low: dict, high: dict, name: str) -> float:
    return (high[name] - low[name]) / (high["points"] - low["points"])


def reading(context: Context, rows: int) -> tuple[float, float]:
    """CPU seconds a point: ours, and the official reader's, over one file of the official client."""
    python = context.venv("tracker_wandb")
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        variables = {**os.environ, **QUIET, "HOME": folder}
        subprocess.run([python, context.root / "bench/peers/wandb_offline.py", folder, str(rows)], env=variables, cwd=folder, check=True, capture_output=True)
        (log,) = Path(folder).glob("wandb/offline-run-*/*.wandb")
        points = rows * 20
        mine = statistics.median(context.native(PROGRAM, "read", str(log.parent))["read"]["cpu_s"] for _ in range(3))
        before = children_cpu()
        subprocess.run([python, "-m", "wandb", "leet", "inspect", "--json", log], env=variables, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        whole = children_cpu() - before
        before = children_cpu()
        subprocess.run([python, "-m", "wandb", "leet", "inspect", "--help"], env=variables, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return mine / points, max(0.0, whole - (children_cpu() - before)) / points


def run(context: Context) -> list:
    context.build("tracker_bench")
    rows = []
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        rows.append({"id": "trk.caller_ns", "value": context.native(PROGRAM, "caller", "wandb", folder)["caller"]["ns"], "unit": "ns"})
    opened = []
    for _ in range(5):
        with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
            opened.append(context.native(PROGRAM, "open", "wandb", folder)["open"]["ms"])
    rows.append({"id": "trk.offline_open_finish_ms", "value": statistics.median(opened), "unit": "ms"})
    repeats = 1 if context.quick else 3
    mine = [(ours(context, SMALL), ours(context, LARGE)) for _ in range(repeats)]
    cpu, size = statistics.median(slope(low, high, "cpu_s") for low, high in mine) * 1e6, slope(*mine[0], "bytes")
    try:
        theirs = [context.peer_per_point("tracker_wandb", "wandb_offline.py", SMALL // 10, LARGE // 10) for _ in range(repeats)]
        their_cpu, their_size = statistics.median(one["cpu_us"] for one in theirs), statistics.median(one["bytes"] for one in theirs)
        rows.append({"id": "trk.wandb_cpu", "value": cpu, "unit": "us", "peer": "wandb offline", "peer_value": their_cpu, "ratio": their_cpu / cpu})
        rows.append({"id": "trk.wandb_bytes", "value": size, "unit": "bytes", "peer": "wandb offline", "peer_value": their_size, "ratio": size / their_size})
        read_us, their_read_us = (one * 1e6 for one in reading(context, LARGE // 10))
        rows.append({"id": "trk.wandb_read", "value": read_us, "unit": "us", "peer": "wandb leet inspect", "peer_value": their_read_us, "ratio": their_read_us / read_us})
    except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
        for name in TARGETS:
            if not any(row["id"] == name for row in rows):
                rows.append({"id": name, "value": None, "reason": str(error)})
    return rows
