"""Shared by the peer scripts: the same load for everybody."""

import json
import os
import sys
import time

import numpy

TAGS = [f"train/metric_{i:02d}" for i in range(20)]


def rows(count: int):
    """count × 20 float32 values that look like metrics: a decay with 3 % noise."""
    random = numpy.random.default_rng(7)
    steps = numpy.arange(count)[:, None]
    base = (1 + numpy.arange(20))[None, :] / (1 + steps * 1e-3)
    return (base * (1 + 0.03 * random.standard_normal((count, 20)))).astype(numpy.float32).astype(float).tolist()


def measure(log_all) -> None:
    """log_all(folder, rows) opens, logs and closes. The caller counts CPU of all processes; making the values is not the peer's cost."""
    folder, count = sys.argv[1], int(sys.argv[2])
    before = time.process_time()
    data = rows(count)
    prepared = time.process_time() - before
    log_all(folder, data)
    print(json.dumps({"points": count * len(TAGS), "prepared_cpu_s": prepared}))
    sys.stdout.flush()
    os._exit(0)
