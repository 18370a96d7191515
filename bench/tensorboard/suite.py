"""TensorBoard: writing against its usual writers, loading against its two loaders."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "testing"))

from peers import environment_of, python_of  # noqa: E402

TARGETS = {
    "tb.write_caller_ns": {"at_most": 100},
    "tb.write_vs_tensorboardX": {"at_least": 300, "of": "ratio"},
    "tb.write_vs_torch": {"at_least": 300, "of": "ratio"},
    "tb.load_vs_rustboard": {"at_least": 10, "of": "ratio"},
    "tb.load_rss_vs_rustboard": {"at_least": 4, "of": "ratio"},
    "tb.load_vs_python": {"at_least": 250, "of": "ratio"},
    "tb.one_file_2core": {"at_least": 1.6},
    "tb.blob_gb_per_s_core": {"at_least": 1},
    "tb.list_10k_runs_100k_tags_ms": {"at_most": 1000},
    "tb.rss_mb": {"at_most": 300},
}
# Counted only where TAFFRAIL_PEERS names a folder of source checkouts.
if os.environ.get("TAFFRAIL_PEERS"):
    TARGETS["tb.write_vs_tensorboard_logger"] = {"at_least": 3, "of": "ratio"}
PROGRAMS = "bench/tensorboard/"


def row(name, value, unit, peer=None, peer_value=None, ratio=None, reason=None):
    return {"id": name, "value": value, "unit": unit, "peer": peer, "peer_value": peer_value, "ratio": ratio, "reason": reason}


def load(context, folder, *threads):
    return context.native(PROGRAMS + "tensorboard_bench_load", str(folder), *map(str, threads))["load"]


def generate(context, folder, *shape):
    return context.native(PROGRAMS + "tensorboard_bench_generate", str(folder), *map(str, shape))["generate"]["bytes"]


def peer(family, script, *arguments):
    """Runs a script of this folder with the interpreter of a family of peers; its last line is a JSON object."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python_of(family), Path(__file__).parent / script, folder, *map(str, arguments)], capture_output=True,
                              text=True, timeout=900, env={**os.environ, **environment_of(family)})
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[-300:])
        return json.loads(done.stdout.strip().splitlines()[-1])


WRITERS = {"tensorboardX": ("tensorboard", "tensorboardX"), "torch": ("lightning", "torch.utils.tensorboard")}


def write_rows(context, work):
    steps = 20_000 if context.quick else 100_000
    ours = []
    peers = {name: [] for name in WRITERS}
    reasons = {}
    for trial in range(3 if context.quick else 5):
        folder = work / f"write{trial}"
        ours.append(context.native(PROGRAMS + "tensorboard_bench_write", str(folder), str(steps))["write"])
        shutil.rmtree(folder)
        for name, (family, module) in WRITERS.items():
            try:
                peers[name].append(peer(family, "python_write.py", 1000, module)["cpu_us"])
            except RuntimeError as error:
                reasons[name] = str(error)[-200:]
    cpu = context.median([one["cpu_us"] for one in ours])
    rows = [row("tb.write_caller_ns", context.median([one["caller_ns"] for one in ours]), "ns"),
            row("tb.write_caller_mean_ns", context.median([one["caller_mean_ns"] for one in ours]), "ns")]
    for name, values in peers.items():
        theirs = context.median(values) if values else None
        rows.append(row(f"tb.write_vs_{name}", cpu, "us/scalar", name, theirs, theirs / cpu if theirs else None, reasons.get(name)))
    checkout = Path(os.environ.get("TAFFRAIL_PEERS", "")) / "tensorboard_logger"
    if os.environ.get("TAFFRAIL_PEERS") and checkout.is_dir():
        rows.append(logger_row(context, work, checkout, cpu))
    return rows


def logger_row(context, work, checkout, cpu):
    """The C++ writer of a source checkout, built here: it needs protobuf's compiler and headers."""
    build = context.root / "build" / "bench" / "tensorboard_logger"
    name = "tb.write_vs_tensorboard_logger"
    for command in (["cmake", "-S", Path(__file__).parent / "logger_peer", "-B", build, "-G", "Ninja", f"-DCHECKOUT={checkout}",
                     "-DCMAKE_BUILD_TYPE=Release"], ["ninja", "-C", build, "logger_write"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return row(name, cpu, "us/scalar", "tensorboard_logger", reason=(done.stderr or done.stdout).strip()[-200:])
    steps = 20_000 if context.quick else 50_000
    theirs = []
    for trial in range(3):
        done = subprocess.run([build / "logger_write", work / f"logger{trial}.tfevents", str(steps)], capture_output=True, text=True, check=True)
        theirs.append(json.loads(done.stdout)["cpu_us"])
    median = context.median(theirs)
    return row(name, cpu, "us/scalar", "tensorboard_logger", median, median / cpu)


def load_rows(context, work):
    folder = work / "scalars"
    size = generate(context, folder, 500, 20, 250 if context.quick else 1000, "scalar")
    ours, theirs, accumulated = [], [], []
    for _ in range(3):
        ours.append(load(context, folder))
        theirs.append(peer("tensorboard", "rustboard_load.py", folder))
        accumulated.append(peer("tensorboard", "accumulator_load.py", folder / "run_00000")["cpu_us_per_event"])
    cpu = context.median([one["cpu_ms"] for one in ours]) / 1000
    memory = context.median([one["rss_mb"] for one in ours])
    rust_cpu = context.median([one["cpu_s"] for one in theirs])
    rust_memory = context.median([one["rss_mb"] for one in theirs])
    event_us = cpu / ours[0]["points"] * 1e6
    python_us = context.median(accumulated)
    megabytes = f"{size / 1e6:.0f} MB"
    return [row("tb.load_vs_rustboard", cpu, f"s, {megabytes}", "rustboard", rust_cpu, rust_cpu / cpu),
            row("tb.load_rss_vs_rustboard", memory, "MB", "rustboard", rust_memory, rust_memory / memory),
            row("tb.load_vs_python", event_us, "us/event", "EventAccumulator", python_us, python_us / event_us)]


def own_rows(context, work):
    one_file = work / "one"
    generate(context, one_file, 1, 20, 100_000 if context.quick else 500_000, "scalar")
    alone, together = [], []
    for _ in range(5):
        alone.append(load(context, one_file, 1)["wall_ms"])
        together.append(load(context, one_file, 2)["wall_ms"])
    blobs = work / "blobs"
    blob_bytes = generate(context, blobs, 20, 1, 250, "blob:100000")
    blob_ms = context.median([load(context, blobs, 1)["cpu_ms"] for _ in range(3)])
    many = work / "many"
    generate(context, many, 10_000, 10, 1, "scalar")
    listed = [load(context, many) for _ in range(3)]
    # The best of each: a core that another program holds says nothing about how well the work divides.
    return [row("tb.one_file_2core", min(alone) / min(together), "x"),
            row("tb.blob_gb_per_s_core", blob_bytes / 1e9 / (blob_ms / 1e3), "GB/s"),
            row("tb.list_10k_runs_100k_tags_ms", context.median([one["wall_ms"] for one in listed]), "ms"),
            row("tb.rss_mb", max(one["rss_mb"] for one in listed), "MB")]


def run(context):
    context.build("tensorboard_bench_load", "tensorboard_bench_generate", "tensorboard_bench_write")
    with tempfile.TemporaryDirectory(prefix="taffrail-tb-") as folder:
        work = Path(folder)
        return write_rows(context, work) + load_rows(context, work) + own_rows(context, work)
