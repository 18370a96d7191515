"""Shared by the peer scripts: the same load for everybody, and CPU of the process tree."""

import json
import os
import resource
import sys
import time
from pathlib import Path

import numpy

TAGS = [f"train/metric_{i:02d}" for i in range(20)]


def rows(count: int):
    """count × 20 float32 values that look like metrics: a decay with 3 % noise."""
    random = numpy.random.default_rng(7)
    steps = numpy.arange(count)[:, None]
    base = (1 + numpy.arange(20))[None, :] / (1 + steps * 1e-3)
    return (base * (1 + 0.03 * random.standard_normal((count, 20)))).astype(numpy.float32).astype(float).tolist()


def cpu_seconds() -> float:
    """CPU of this process and of every child that has ended and been waited for."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def folder_bytes(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def report(folder: str, points: int, cpu: float, wall: float) -> None:
    print(json.dumps({"points": points, "cpu_us_per_point": cpu / points * 1e6, "wall_us_per_point": wall / points * 1e6,
                      "bytes_per_point": folder_bytes(folder) / points}))


def measure(log_all) -> None:
    """log_all(folder, rows) opens, logs and closes; its CPU is counted whole, less what an empty run costs is not taken off."""
    folder, count = sys.argv[1], int(sys.argv[2])
    data = rows(count)
    started_cpu, started = cpu_seconds(), time.monotonic()
    log_all(folder, data)
    report(folder, count * len(TAGS), cpu_seconds() - started_cpu, time.monotonic() - started)
    sys.stdout.flush()
    os._exit(0)
