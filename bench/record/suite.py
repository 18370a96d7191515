"""The backbone: cost of a log call, points a second, bytes a point, memory, zooms, lists, and the same load through other trackers."""

import math
import statistics
import tempfile
from pathlib import Path

from bench.harness.context import Context
from bench.record.whole import Whole


def within_twice_the_floor(row: dict) -> bool:
    return row["ratio"] <= 2 and row["slowest_ns"] < 1000


def not_slower_than_fwrite(row: dict) -> bool:
    return row["ratio"] >= 1.0


TARGETS = {
    "record.row_scalar_ns": {"at_most": 5, "also": [within_twice_the_floor]},
    "record.lone_scalar_ns": {"at_most": 25, "also": [within_twice_the_floor]},
    "record.points_per_s_core": {"at_least": 15e6, "also": [not_slower_than_fwrite]},
    "record.vs_neptune_offline": {"at_least": 150, "of": "ratio"},
    "record.vs_wandb_offline": {"at_least": 200, "of": "ratio"},
    "record.vs_comet_offline": {"at_least": 500, "of": "ratio"},
    "record.vs_tensorboardX": {"at_least": 800, "of": "ratio"},
    "record.vs_mlflow_sqlite": {"at_least": 1000, "of": "ratio"},
    "record.vs_aim": {"at_least": 1500, "of": "ratio"},
    "record.vs_neptune_whole": {"at_least": 150, "of": "ratio"},
    "record.vs_wandb_whole": {"at_least": 200, "of": "ratio"},
    "record.vs_tensorboardX_whole": {"at_least": 800, "of": "ratio"},
    "seal.ns_point": {"at_most": 33},
    "record.bytes_vs_smallest_peer": {"at_least": 10, "of": "ratio"},
    "record.live_bytes_point": {"at_most": 4},
    "record.sealed_bytes_point": {"at_most": 3.3},
    "query.zoom_10m_p99_ms": {"at_most": 1},
    "query.zoom_10m_cold_ms": {"at_most": 15},
    "query.list_10k_runs_ms": {"at_most": 1000},
    "query.list_10k_cached_ms": {"at_most": 100},
    "query.filter_30k_runs_ms": {"at_most": 1000},
    "record.writer_rss_mib": {"at_most": 16},
    "query.reader_rss_mb": {"at_most": 150},
    "record.open_ms": {"at_most": 5},
    "record.open_log_finish_ms": {"at_most": 20},
    "record.short_run_cpu_ms": {"at_most": 10},
}

# name of the row, environment, script, rows of 20 values in the small and in the large load
PEERS = [
    ("neptune_offline", "bench", "neptune_offline.py", 500, 4000),
    ("wandb_offline", "bench", "wandb_offline.py", 500, 4000),
    ("comet_offline", "bench", "comet_offline.py", 200, 1600),
    ("tensorboardX", "bench", "tensorboardx.py", 500, 4000),
    ("mlflow_sqlite", "bench", "mlflow_sqlite.py", 200, 1600),
    ("aim", "bench_aim", "aim_local.py", 100, 800),
]


REPEATS = 5
WHOLE = ("neptune_offline", "wandb_offline", "tensorboardX")  # the rows of the whole path, named without "_offline"


def spread(values: list) -> list:
    return [min(values), max(values)]


def peer_samples(context: Context, whole: Whole, repeats: int) -> tuple[dict, dict]:
    """Everybody in turn, again and again, so that what the machine does meanwhile meets all alike.

    Name -> samples {"cpu_us", "bytes"}, and name -> why there are none; our own whole path is measured between them."""
    samples, reasons = {name: [] for name, *_ in PEERS}, {}
    for repeat in range(repeats):
        print(f"peers, round {repeat + 1} of {repeats} …", flush=True)
        for name, environment, script, small, large in PEERS:
            if name in reasons:
                continue
            try:
                samples[name].append(context.peer_per_point(environment, script, small, small * 4 if context.quick else large))
            except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
                reasons[name] = str(error)
        whole.sample()
    return samples, reasons


def peer_row(name: str, peer: str, ours: list, theirs: list, reason: str | None) -> dict:
    """A row against a peer: medians of both, with the least and the most of each."""
    row = {"id": name, "value": statistics.median(ours) if ours else None, "unit": "us", "peer": peer, "reason": reason}
    if ours and theirs and not reason:
        costs = [one["cpu_us"] for one in theirs]
        row |= {"peer_value": statistics.median(costs), "ratio": statistics.median(costs) / row["value"], "repeats": len(costs),
                "spread": spread(ours), "peer_spread": spread(costs), "peer_bytes": statistics.median([one["bytes"] for one in theirs])}
    return row


def run(context: Context) -> list:
    context.build("record_bench", "record_whole", "query_bench")
    quick = ["--quick"] if context.quick else []
    rows = context.native("bench/record/record_bench", *quick)
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        queries = context.native("bench/query/query_bench", folder, *quick)
        queries |= context.native("bench/query/query_bench", folder, "--reader")
    # Both programs weigh sealed files; the recorder's own load is the one that counts.
    rows = {**queries, **rows}
    ours_us = 1e6 / rows["record.points_per_s_core"]["value"]
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        whole = Whole(context, Path(folder))
        samples, reasons = peer_samples(context, whole, 1 if context.quick else REPEATS)
    for name, *_ in PEERS:
        rows[f"record.vs_{name}"] = peer_row(f"record.vs_{name}", name, [ours_us], samples[name], reasons.get(name))
    for name in WHOLE:
        identity = f"record.vs_{name.removesuffix('_offline')}_whole"
        rows[identity] = peer_row(identity, name, whole.log_us, samples[name], reasons.get(name) or whole.reason)
    rows["seal.ns_point"] = {"id": "seal.ns_point", "value": statistics.median(whole.seal_ns) if whole.seal_ns else None, "unit": "ns",
                             "spread": spread(whole.seal_ns) if whole.seal_ns else None, "reason": whole.reason}
    sealed = rows["record.sealed_bytes_point"]["value"]
    smallest = min((row["peer_bytes"] for row in rows.values() if row.get("peer_bytes")), default=math.inf)
    if math.isfinite(smallest):
        rows["record.bytes_vs_smallest_peer"] = {"id": "record.bytes_vs_smallest_peer", "value": sealed, "unit": "bytes",
                                                 "peer": "smallest", "peer_value": smallest, "ratio": smallest / sealed}
    return list(rows.values())
