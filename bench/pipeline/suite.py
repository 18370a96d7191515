"""The logging pipeline: cost of a call, of a fan-out, of a bar, and the same calls through Lightning."""

import os
import subprocess
import sys
import tempfile

from bench.harness.context import Context

TARGETS = {
    "pipeline.log_ns": {"at_most": 150},
    "pipeline.log_iter_20_us": {"at_most": 2},
    "pipeline.bar_share": {"at_most": 0.1},
    "pipeline.stop_agreement_us": {"at_most": 5},
    "pipeline.vs_lightning_log": {"at_least": 1000, "of": "ratio"},
}


def lightning_us(context: Context) -> float:
    """CPU microseconds of one self.log call, by the peer's own loop without a model."""
    sys.path.insert(0, str(context.root / "scripts" / "testing"))
    import peers  # the environments of the tests: the same versions that the differential runs against

    steps = "200" if context.quick else "1000"
    done = subprocess.run([peers.python_of("lightning"), context.root / "bench" / "peers" / "lightning_log.py", steps], capture_output=True, text=True,
                          timeout=600, env={**os.environ, **peers.environment_of("lightning")})
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-400:])
    return float(done.stdout.strip().splitlines()[-1])


def run(context: Context) -> list:
    context.build("pipeline_bench")
    with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
        native = context.native("bench/pipeline/pipeline_bench", folder, *(["quick"] if context.quick else []))
    rows = [native[name] for name in ("pipeline.log_ns", "pipeline.log_iter_20_us", "pipeline.bar_share", "pipeline.stop_agreement_us") if name in native]
    ours = native["pipeline.log_cpu_us"]["value"]
    row = {"id": "pipeline.vs_lightning_log", "value": ours, "unit": "us", "peer": "lightning"}
    try:
        row["peer_value"] = lightning_us(context)
        row["ratio"] = row["peer_value"] / ours
    except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
        row["reason"] = str(error)
    return rows + [row]
