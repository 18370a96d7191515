"""Shared by the rows of trackers: our program, slopes between loads, and rows that say why they are missed."""

import os
import statistics
import tempfile
from pathlib import Path

from bench.harness.context import QUIET

PROGRAM = "bench/trackers/tracker_bench"
WIDTH = 20  # values a row
# No tracker of the user's is reached: what the clients read from the environment is left out.
SILENT = {**os.environ, **QUIET}


def folder():
    return tempfile.TemporaryDirectory(prefix="taffrail-bench-")


def size_of(place) -> int:
    return sum(path.stat().st_size for path in Path(place).rglob("*") if path.is_file())


def slope(low: dict, high: dict, name: str) -> float:
    """What one more point costs; opening and start-up count for nobody."""
    return (high[name] - low[name]) / (high["points"] - low["points"])


def read_by_us(context, place) -> dict:
    """Processor time of the whole program: the middle one of three."""
    return sorted((context.native(PROGRAM, "read", str(place))["read"] for _ in range(3)), key=lambda said: said["cpu_s"])[1]


def beside(name, unit, ours, peer, theirs, ratio) -> dict:
    return {"id": name, "value": ours, "unit": unit, "peer": peer, "peer_value": theirs, "ratio": ratio}


def missed(names, error) -> list:
    return [{"id": name, "value": None, "reason": str(error)} for name in names]


def median_of(rounds, name) -> float:
    return statistics.median(one[name] for one in rounds)
