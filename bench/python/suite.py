"""The Python package: calls of a loop, the import, reading, profiling, the same load through other trackers, and what a logger costs Lightning.
Measured with the wheel of the newest interpreter, which `./scripts/test --only python` builds."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

from bench.harness.context import Context
from bench.python.beside import lightning_row, reading_row, tracker_rows

TARGETS = {
    "py.scalar_ns": {"at_most": 60},
    "py.dict20_ns_per_point": {"at_most": 25},
    "py.zone_us": {"at_most": 0.2},
    "py.import_ms": {"at_most": 30},
    "py.read_10m_s": {"at_most": 0.5},
    "py.advanced_vs_cprofile": {"at_most": 1.0, "of": "ratio"},
    "py.vs_neptune_offline": {"at_least": 80, "of": "ratio"},
    "py.vs_wandb_offline": {"at_least": 100, "of": "ratio"},
    "py.vs_trackio": {"at_least": 100, "of": "ratio"},
    "py.vs_tensorboardX": {"at_least": 400, "of": "ratio"},
    "py.vs_mlflow_sqlite": {"at_least": 500, "of": "ratio"},
    "py.vs_aim": {"at_least": 700, "of": "ratio"},
    "py.read_vs_event_accumulator": {"at_least": 300, "of": "ratio"},
    "py.lightning_overhead": {"at_most": 1.01, "of": "ratio"},
}
UNITS = {"scalar_ns": "ns", "dict20_ns_per_point": "ns", "zone_us": "us", "import_ms": "ms", "read_10m_s": "s"}


def interpreter(context: Context) -> Path | None:
    """An environment that has the wheel; None where none was built."""
    sys.path.insert(0, str(context.root / "scripts" / "testing"))
    import stage_python

    version, place = max(stage_python.chosen(False).items())
    inside = stage_python.environment(f"python-{stage_python.named(version)}", place, stage_python.TEST_NEEDS)
    wheels = sorted((context.root / "build" / "wheels" / stage_python.named(version)).glob("taffrail-*.whl"))
    if not wheels:
        return None
    subprocess.run([inside, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", "--no-index", wheels[-1]], check=True)
    return inside


def own_rows(context: Context, inside: Path) -> tuple[list, dict]:
    """Rows of the package alone; the median of three processes, what a process measures is the least of its repeats."""
    said = []
    for _ in range(1 if context.quick else 3):
        done = subprocess.run([inside, context.root / "bench/python/measure.py", *(["quick"] if context.quick else [])], capture_output=True, text=True, check=True, cwd="/")
        said.append(json.loads(done.stdout.splitlines()[-1]))
    middle = {name: statistics.median(one[name] for one in said) for name in said[0] if name != "python"}
    rows = [{"id": f"py.{name}", "value": middle[name], "unit": unit} for name, unit in UNITS.items()]
    rows.append({"id": "py.advanced_vs_cprofile", "value": middle["advanced_s"], "unit": "s", "peer": f"cProfile of {said[0]['python']}", "peer_value": middle["cprofile_s"],
                 "ratio": middle["advanced_s"] / middle["cprofile_s"]})
    return rows, middle


def run(context: Context) -> list:
    inside = interpreter(context)
    if inside is None:
        return [{"id": name, "value": None, "unit": "", "reason": "no wheel: run ./scripts/test --only python first"} for name in TARGETS]
    rows, own = own_rows(context, inside)
    rows += tracker_rows(context, inside)
    rows.append(reading_row(context, inside, own["read_cpu_us_per_point"]))
    rows.append(lightning_row(context))
    return rows
