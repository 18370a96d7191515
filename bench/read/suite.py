"""Reading: a scan beside pyarrow, the ends of long runs, what a reader and a server keep in memory, what a change of the read engine costs to build."""

import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench.dashboard.server import Ours
from bench.dashboard.suite import generate, node

HERE = Path(__file__).parent
PROGRAM = "bench/read/read_bench"
PAGES = ["projects", "charts", "table", "compare", "media", "distributions", "hparams", "system", "graph", "settings"]


def row(name, value, unit, peer=None, peer_value=None, ratio=None, reason=None):
    return {"id": name, "value": value, "unit": unit, "peer": peer, "peer_value": peer_value, "ratio": ratio, "reason": reason}


def made(context, work, name, points, state):
    folder = work / name
    context.native(PROGRAM, "make", str(folder), str(points), state)
    return folder


def scan_rows(context, work):
    sys.path.insert(0, str(context.root / "scripts"))
    from testing import peers

    folder = made(context, work, "scan", 10_000_000, "sealed")
    tables = list(folder.glob("runs/*/data/*.parquet"))
    ours, theirs, extra = [], [], []
    for _ in range(1 if context.quick else 3):
        found = context.native(PROGRAM, "scan", str(folder))
        ours.append(found["scan_mpts_s"]["value"])
        extra.append(found["scan_extra_mb"]["value"])
        theirs.append(float(subprocess.run([peers.python_of("parquet"), HERE / "scan_pyarrow.py", *tables], capture_output=True, text=True, check=True).stdout))
    mine, other = context.median(ours), context.median(theirs)
    return [row("read.column_scan_mpts_s", mine, "M/s", "pyarrow", other, mine / other), row("read.scan_extra_mb", context.median(extra), "MB")]


def tail_rows(context, work):
    worst = 0
    for state in ("live", "sealed"):
        folder = made(context, work, "tail-" + state, 20_000_000, state)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run([context.built / "bin" / "taffrail", "tail", "--root", folder, "01READ", "-n", "1"], check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - start) * 1000)
        worst = max(worst, context.median(times))
    return [row("read.tail_20m_ms", worst, "ms")]


def killed_rows(context, work):
    folder = made(context, work, "killed", 10_000_000, "killed")
    return [row("read.killed_bytes_point", context.native(PROGRAM, "hold", str(folder))["killed_bytes_point"]["value"], "bytes")]


def server_rows(context, work):
    many = generate(context, work / "many", "--runs", 1000, "--tags", 12, "--points", 1000)
    with Ours(context, many, work / "state") as server:
        node("page.mjs", {"task": "every_page", "url": server.url, "project": server.projects()[0], "pages": PAGES})
        rss = server.rss_mb()
    long = generate(context, work / "long", "--runs", 1, "--tags", 1, "--points", 10_000_000)
    firsts = []
    for _ in range(3):
        with Ours(context, long, work / "state") as server:
            firsts.append(first_smoothing_ms(server))
    return [row("server.thousand_runs_rss_mb", rss, "MB"), row("ui.smooth_first_10m_ms", context.median(firsts), "ms")]


def first_smoothing_ms(server):
    """What the page asks when its slider is moved the first time: the chart it shows, smoothed."""
    def ask(path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(server.url + "api/v1/" + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return reply.read()

    run = json.loads(ask("runs:query", {"project": server.projects()[0]}))["runs"]["id"][0]
    key = next(one["key"] for one in json.loads(ask(f"keys?run={run}"))["keys"] if one["kind"] == "scalar")
    chart = {"id": "c", "runs": [run], "keys": [key], "x": {"axis": "step"}, "width": 1000, "precision": "f32"}
    ask("series:query", {"charts": [chart]})
    start = time.perf_counter()
    ask("series:query", {"charts": [{**chart, "smoothing": {"method": "time_ema", "amount": 0.6}}]})
    return (time.perf_counter() - start) * 1000


def build_rows(context, _):
    """A change of one source of the read engine, until the command is there again."""
    built = context.root / "build" / "quick"
    if not (built / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "quick"], cwd=context.root, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", built, "--quiet", "taffrail_command"], check=True)
    source = context.root / "src" / "query" / "cells.cpp"
    text = source.read_bytes()
    try:
        # A comment that was never there, so that no compiler cache knows the file.
        source.write_bytes(text + f"\n// {time.time_ns()}\n".encode())
        start = time.perf_counter()
        subprocess.run(["ninja", "-C", built, "--quiet", "taffrail_command"], check=True)
        seconds = time.perf_counter() - start
    finally:
        source.write_bytes(text)
    return [row("build.incremental_s", seconds, "s")]


class Part:
    """Rows that are measured together, and what has to be built for them."""

    def __init__(self, rows_of, built, targets):
        self.rows_of, self.built, self.TARGETS = rows_of, built, targets

    def run(self, context):
        if self.built:
            context.build(*self.built)
        print(f"{self.rows_of.__name__.removesuffix('_rows')} …", flush=True)
        with tempfile.TemporaryDirectory(prefix="taffrail-read-") as folder:
            try:
                return self.rows_of(context, Path(folder))
            except (RuntimeError, subprocess.SubprocessError, OSError) as error:
                print(f"  {error}", flush=True)
                return []


PARTS = [
    Part(scan_rows, ["read_bench"], {"read.column_scan_mpts_s": {"at_least": 1.0, "of": "ratio"}, "read.scan_extra_mb": {"at_most": 32}}),
    Part(tail_rows, ["taffrail_command", "read_bench"], {"read.tail_20m_ms": {"at_most": 50}}),
    Part(killed_rows, ["read_bench"], {"read.killed_bytes_point": {"at_most": 16}}),
    Part(server_rows, ["taffrail_command"], {"server.thousand_runs_rss_mb": {"at_most": 120}, "ui.smooth_first_10m_ms": {"at_most": 200}}),
    Part(build_rows, [], {"build.incremental_s": {"at_most": 10}}),
]
TARGETS = {name: target for part in PARTS for name, target in part.TARGETS.items()}


def run(context):
    return [row for part in PARTS for row in part.run(context)]
