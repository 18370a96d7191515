"""Trackers: what attaching one costs the loop, and what the same load costs through us and through the tracker's own client and reader."""

from bench.trackers import mlflow, offline

PARTS = [offline, mlflow]
TARGETS = {name: target for part in PARTS for name, target in part.TARGETS.items()}


def prepare(context) -> None:
    context.build("tracker_bench", "taffrail_rocksdb_module")


def run(context) -> list:
    prepare(context)
    return [row for part in PARTS for row in part.run(context)]
