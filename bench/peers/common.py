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


def make_dicts(data) -> None:
    """What a script that logs dicts does for each row beside logging it."""
    for step, values in enumerate(data):
        dict(zip(TAGS, values))


def measure(log_all, dicts=False, check=None) -> None:
    """log_all(folder, rows) opens, logs and closes. The caller counts CPU of all processes; making the values, and the dict of each row where the
    script logs dicts, is not the peer's cost. check(folder, count) looks afterwards whether the rows are there, which is not either."""
    folder, count = sys.argv[1], int(sys.argv[2])
    before = time.process_time()
    data = rows(count)
    made = time.process_time()
    if dicts:
        make_dicts(data)
    # Once for what this try of the loop took, and once for the same loop inside log_all().
    prepared = (made - before) + 2 * (time.process_time() - made)
    log_all(folder, data)
    before = time.process_time()
    if check is not None:
        check(folder, count)
    prepared += time.process_time() - before
    print(json.dumps({"points": count * len(TAGS), "prepared_cpu_s": prepared}))
    sys.stdout.flush()
    os._exit(0)
