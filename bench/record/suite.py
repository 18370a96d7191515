"""The backbone: cost of a log call, points a second, bytes a point, memory, zooms, lists, and the same load through other trackers."""

import math
import tempfile

from bench.harness.context import Context


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
    "record.bytes_vs_smallest_peer": {"at_least": 10, "of": "ratio"},
    "record.live_bytes_point": {"at_most": 4},
    "record.sealed_bytes_point": {"at_most": 3.3},
    "query.zoom_10m_p99_ms": {"at_most": 1},
    "query.zoom_10m_cold_ms": {"at_most": 15},
    "query.list_10k_runs_ms": {"at_most": 1000},
    "query.list_10k_cached_ms": {"at_most": 100},
    "record.writer_rss_mib": {"at_most": 16},
    "query.reader_rss_mb": {"at_most": 150},
    "record.open_ms": {"at_most": 5},
    "record.open_log_finish_ms": {"at_most": 20},
}

# name of the row, environment, script, rows of 20 values in the small and in the large load
PEERS = [
    ("neptune_offline", "bench", "neptune_offline.py", 500, 4000),
    ("wandb_offline", "bench", "wandb_offline.py", 500, 4000),
    ("comet_offline", "bench", "comet_offline.py", 200, 1600),
    ("tensorboardX", "bench", "tensorboardx.py", 500, 4000),
    ("mlflow_sqlite", "bench", "mlflow_sqlite.py", 200, 1600),
    ("aim", "aim", "aim_local.py", 100, 800),
]


def run(context: Context) -> list:
    context.build("record_bench", "query_bench")
    quick = ["--quick"] if context.quick else []
    rows = context.native("bench/record/record_bench", *quick)
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        queries = context.native("bench/query/query_bench", folder, *quick)
        queries |= context.native("bench/query/query_bench", folder, "--reader")
    # Both programs weigh sealed files; the recorder's own load is the one that counts.
    rows = {**queries, **rows}
    ours_us = 1e6 / rows["record.points_per_s_core"]["value"]
    smallest = math.inf
    for name, environment, script, small, large in PEERS:
        row = {"id": f"record.vs_{name}", "value": ours_us, "unit": "us", "peer": name}
        try:
            peer = context.peer_per_point(environment, script, small, small * 4 if context.quick else large)
            row |= {"peer_value": peer["cpu_us"], "ratio": peer["cpu_us"] / ours_us, "peer_bytes": peer["bytes"]}
            smallest = min(smallest, peer["bytes"])
        except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
            row["reason"] = str(error)
        rows[row["id"]] = row
    sealed = rows["record.sealed_bytes_point"]["value"]
    if math.isfinite(smallest):
        rows["record.bytes_vs_smallest_peer"] = {"id": "record.bytes_vs_smallest_peer", "value": sealed, "unit": "bytes",
                                                 "peer": "smallest", "peer_value": smallest, "ratio": smallest / sealed}
    return list(rows.values())
