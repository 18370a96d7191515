"""Trackers that write files: rows of 20 scalars through our sink and through the tracker's own offline client, and their folders read by both."""

import json
import statistics
import subprocess
from pathlib import Path

from bench.harness.context import children_cpu
from bench.trackers.common import PROGRAM, SILENT, WIDTH, beside, folder, median_of, missed, read_by_us, size_of, slope

TARGETS = {
    "trk.caller_ns": {"at_most": 30},
    "trk.offline_open_finish_ms": {"at_most": 30},
    "trk.wandb_cpu": {"at_least": 30, "of": "ratio"},
    "trk.neptune_cpu": {"at_least": 30, "of": "ratio"},
    "trk.comet_cpu": {"at_least": 60, "of": "ratio"},
    "trk.aim_cpu": {"at_least": 25, "of": "ratio"},
    "trk.wandb_bytes": {"at_most": 1.0, "of": "ratio"},
    "trk.aim_bytes": {"at_most": 0.3, "of": "ratio"},
    "trk.wandb_read": {"at_least": 50, "of": "ratio"},
    "trk.aim_read": {"at_least": 20, "of": "ratio"},
}
SMALL, LARGE = 2_000, 20_000  # rows; the official client gets a tenth
# Tracker, environment of its client, and the client's program.
CLIENTS = [("wandb", "tracker_wandb", "wandb_offline.py"), ("neptune", "bench", "neptune_offline.py"), ("comet", "bench", "comet_offline.py"), ("aim", "bench_aim", "aim_local.py")]


def ours(context, tracker: str, rows: int) -> dict:
    """CPU seconds of all threads, points, and the bytes of the tracker's folder."""
    with folder() as place:
        said = context.native(PROGRAM, "write", tracker, f"log_dir={place}/log", place, str(rows))["write"]
        return said | {"bytes": size_of(f"{place}/log")}


def writing(context, tracker: str, environment: str, script: str) -> list:
    """Ours and the client's in turns."""
    rounds = []
    for _ in range(1 if context.quick else 3):
        low, high = ours(context, tracker, SMALL), ours(context, tracker, LARGE)
        theirs = context.peer_per_point(environment, script, SMALL // 10, LARGE // 10)
        # Of both what lies there in the end: how much of the smaller load Aim has already compacted is luck, and a slope would show that.
        rounds.append({"cpu": slope(low, high, "cpu_s") * 1e6, "bytes": high["bytes"] / high["points"], "their_cpu": theirs["cpu_us"], "their_bytes": theirs["bytes_in_the_end"]})
    cpu, size, their_cpu, their_size = (median_of(rounds, name) for name in ("cpu", "bytes", "their_cpu", "their_bytes"))
    rows = [beside(f"trk.{tracker}_cpu", "us", cpu, f"{tracker} offline", their_cpu, their_cpu / cpu)]
    if f"trk.{tracker}_bytes" in TARGETS:
        rows.append(beside(f"trk.{tracker}_bytes", "bytes", size, f"{tracker} offline", their_size, size / their_size))
    return rows


def reading_wandb(context) -> dict:
    """One file of the official client; its reader is a program, whose start is taken off."""
    python, rows = context.venv("tracker_wandb"), LARGE // 10
    with folder() as place:
        variables = {**SILENT, "HOME": place}
        subprocess.run([python, context.root / "bench/peers/wandb_offline.py", place, str(rows)], env=variables, cwd=place, check=True, capture_output=True)
        (log,) = Path(place).glob("wandb/offline-run-*/*.wandb")
        mine = read_by_us(context, log.parent)

        def spent(*arguments) -> float:
            before = children_cpu()
            subprocess.run([python, "-m", "wandb", "leet", "inspect", *arguments], env=variables, cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return children_cpu() - before

        theirs = max(0.0, spent("--json", log) - spent("--help"))
        return beside("trk.wandb_read", "us", mine["cpu_s"] / mine["points"] * 1e6, "wandb leet inspect", theirs / (rows * WIDTH) * 1e6, theirs / (rows * WIDTH) / (mine["cpu_s"] / mine["points"]))


def reading_aim(context) -> dict:
    """A repository of the official package, read whole by it and by us."""
    python, rows = context.venv("bench_aim"), LARGE // 10
    with folder() as place:
        variables = {**SILENT, "HOME": place, "AIM_UI_TELEMETRY_ENABLED": "0"}
        subprocess.run([python, context.root / "bench/peers/aim_local.py", place, str(rows)], env=variables, cwd=place, check=True, capture_output=True)
        # Aim shows a run once its index knows it, also one that its own client wrote.
        subprocess.run([Path(python).with_name("aim"), "storage", "--repo", place, "reindex", "--yes"], env=variables, cwd=place, check=True, capture_output=True)
        mine = read_by_us(context, place)
        said = subprocess.run([python, context.root / "bench/peers/aim_read.py", place], env=variables, cwd=place, check=True, capture_output=True, text=True)
        theirs = json.loads(said.stdout.strip().splitlines()[-1])
        if (mine["points"], theirs["points"]) != (rows * WIDTH, rows * WIDTH):
            raise RuntimeError(f"of {rows * WIDTH} points we read {mine['points']}, the package {theirs['points']}")
        a_point = mine["cpu_s"] / mine["points"]
        return beside("trk.aim_read", "us", a_point * 1e6, "aim's Repo", theirs["cpu_s"] / theirs["points"] * 1e6, theirs["cpu_s"] / theirs["points"] / a_point)


def run(context) -> list:
    opened = []
    for _ in range(5):
        with folder() as place:
            opened.append(context.native(PROGRAM, "open", "wandb", f"log_dir={place}/log", place)["open"]["ms"])
    with folder() as place:
        called = context.native(PROGRAM, "caller", "wandb", f"log_dir={place}/log", place)["caller"]["ns"]
    rows = [{"id": "trk.caller_ns", "value": called, "unit": "ns"}, {"id": "trk.offline_open_finish_ms", "value": statistics.median(opened), "unit": "ms"}]
    for tracker, environment, script in CLIENTS:
        try:
            rows += writing(context, tracker, environment, script)
        except Exception as error:  # noqa: BLE001 - any failure of the peer is a missed row with a reason
            rows += missed([name for name in (f"trk.{tracker}_cpu", f"trk.{tracker}_bytes") if name in TARGETS], error)
    for name, measure in (("trk.wandb_read", reading_wandb), ("trk.aim_read", reading_aim)):
        try:
            rows.append(measure(context))
        except Exception as error:  # noqa: BLE001
            rows += missed([name], error)
    return rows
