"""The dashboard: pages in a real browser, TensorBoard on the same logdir, the server under load."""

import json
import subprocess
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

from bench.dashboard import load
from bench.dashboard.server import Ours, TensorBoard
from bench.dashboard.weight import served_files

TARGETS = {
    "ui.workspace_ms": {"at_most": 900},
    "ui.thousand_runs_ms": {"at_most": 1500},
    "ui.hover_1000_ms": {"at_most": 20},
    "ui.hover_work_ms": {"at_most": 8},
    "ui.zoom_1000_ms": {"at_most": 150},
    "ui.heap_1000_mb": {"at_most": 150},
    "ui.zoom_10m_ms": {"at_most": 120},
    "ui.log_to_pixel_ms": {"at_most": 400},
    "ui.first_minute_cls": {"at_most": 0.02, "may_be_zero": True},
    "ui.tile_bytes_ratio": {"at_least": 8},
    "ui.first_load_kb_gz": {"at_most": 120},
    "ui.total_kb_gz": {"at_most": 450},
    "ui.html_export_mb": {"at_most": 5},
    "ui.hover_ratio": {"at_most": 2},
    "ui.zoom_ratio": {"at_most": 1.5},
    "ui.vs_tensorboard_first_chart": {"at_least": 30, "of": "ratio"},
    "ui.vs_tensorboard_zoom": {"at_least": 5, "of": "ratio"},
    "ui.vs_tensorboard_heap": {"at_least": 15, "of": "ratio"},
    "ui.vs_tensorboard_rss": {"at_least": 5, "of": "ratio"},
    "server.query_p99_ms": {"at_most": 100},
    "server.lost_events": {"at_most": 0, "may_be_zero": True},
    "server.growth_mb_per_minute": {"at_most": 5, "may_be_zero": True},
}
HERE = Path(__file__).parent
CAP_S = 120


def row(name, value, unit, peer=None, peer_value=None, ratio=None, reason=None):
    return {"id": name, "value": value, "unit": unit, "peer": peer, "peer_value": peer_value, "ratio": ratio, "reason": reason}


def node(script, options, timeout=900):
    """Runs a browser program; its last line is a JSON object."""
    done = subprocess.run(["node", HERE / script, json.dumps(options)], capture_output=True, text=True, timeout=timeout)
    if done.returncode != 0:
        raise RuntimeError(f"{script} {options.get('task', '')}: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def generate(context, root, *options):
    program = context.built / "bin" / "taffrail"
    subprocess.run([program, "demo", "generate", "--root", root, *map(str, options)], check=True, stdout=subprocess.DEVNULL)
    return root


def page(context, work, folder, task, **options):
    with Ours(context, folder, work / "state") as server:
        return node("page.mjs", {"task": task, "url": server.url, "project": server.projects()[0], **options})


def exported_mb(context, work):
    """The page of `export --format html` for 20 runs of 10 metrics, each longer than the bins it may have."""
    root, page = generate(context, work / "export", "--runs", 20, "--tags", 10, "--points", 20_000), work / "export.html"
    subprocess.run([context.built / "bin" / "taffrail", "export", "--root", root, "--format", "html", "-o", page], check=True, stdout=subprocess.DEVNULL)
    return page.stat().st_size / 1e6


def page_rows(context, work):
    times = 20
    few = generate(context, work / "few", "--runs", 20, "--tags", 12, "--points", 1000)
    workspace = page(context, work, few, "workspace", times=times, cards=12)
    weight = page(context, work, few, "weight")
    many = page(context, work, generate(context, work / "many", "--runs", 1000, "--tags", 12, "--points", 1000), "many", times=times, hovers=times)
    ten = page(context, work, generate(context, work / "ten", "--runs", 10, "--tags", 12, "--points", 1000), "series", times=times)
    long = page(context, work, generate(context, work / "long", "--runs", 1, "--tags", 1, "--points", 10_000_000), "series", times=times)
    short = page(context, work, generate(context, work / "short", "--runs", 1, "--tags", 1, "--points", 10_000), "series", times=times)
    with Ours(context, few, work / "state") as server:
        total = sum(served_files(server.url).values())
    return [row("ui.workspace_ms", workspace["ms"], "ms"),
            row("ui.thousand_runs_ms", max(many["charts_ms"], many["table_ms"]), f"ms (charts {many['charts_ms']:.0f}, table {many['table_ms']:.0f})"),
            row("ui.hover_1000_ms", many["hover_ms"], "ms"),
            row("ui.hover_work_ms", many["hover_work_ms"], "ms"),
            row("ui.zoom_1000_ms", many["zoom_ms"], "ms"),
            row("ui.heap_1000_mb", many["heap_mb"], "MB"),
            row("ui.zoom_10m_ms", long["zoom_ms"], "ms"),
            row("ui.first_load_kb_gz", weight["kb"], "kB"),
            row("ui.total_kb_gz", total / 1000, "kB"),
            row("ui.html_export_mb", exported_mb(context, work), "MB"),
            row("ui.hover_ratio", many["hover_median"] / ten["hover_median"], "×"),
            row("ui.zoom_ratio", long["zoom_median"] / short["zoom_median"], "×")]


def first_minute_rows(context, work):
    """What moves while a run starts, and what a wall of tiles loads."""
    writer = context.built / "bench" / "dashboard" / "dashboard_bench_writer"
    seconds = 20 if context.quick else 60
    root = generate(context, work / "minute", "--runs", 16, "--points", 2000, "--seed", 7)
    with Ours(context, root, work / "minute-state") as server:
        project = server.projects()[0]
        shift = node("page.mjs", {"task": "shift", "url": server.url, "project": project, "seconds": seconds,
                                  "writer": [str(writer), str(root), project, "arriving", "arrive", str(seconds - 5)]})
    count, root = 200, work / "photos"
    subprocess.run([writer, root, "photos", "photos", "pictures", str(count)], check=True, stdout=subprocess.DEVNULL)
    with Ours(context, root, work / "photos-state") as server:
        tiles = node("page.mjs", {"task": "tiles", "url": server.url, "project": "photos", "count": count})
        full = stored_pictures(server.url, count)
    return [row("ui.first_minute_cls", shift["cls"], f"over {seconds} s"),
            row("ui.tile_bytes_ratio", full / tiles["bytes"], f"× ({full / 1e6:.0f} MB of pictures, {tiles['bytes'] / 1e6:.1f} MB loaded)")]


def stored_pictures(address, count):
    """Bytes of the first picture of every key of the one run, as they are stored."""
    def ask(path, body=None, **words):
        target = address + "api/v1/" + path + ("?" + urllib.parse.urlencode(words) if words else "")
        request = urllib.request.Request(target, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    run = ask("runs:query", {"project": "photos"})["runs"]["id"][0]
    keys = [series["key"] for series in ask("entries:index", {"runs": [run], "kinds": ["image"]})["series"]]
    if len(keys) != count:
        raise RuntimeError(f"{len(keys)} of {count} pictures were logged")
    entries = [ask("entries", run=run, key=key, first=0, count=1)["entries"][0] for key in keys]
    return sum(entry["value"]["images"][0]["size"] for entry in entries)


def live_rows(context, work):
    root = generate(context, work / "live", "--runs", 1, "--tags", 1, "--points", 10)
    writer = context.built / "bench" / "dashboard" / "dashboard_bench_writer"
    with Ours(context, root, work / "live-state") as server:
        live = node("page.mjs", {"task": "live", "url": server.url, "project": "live", "times": 20, "writer": [str(writer), str(root), "live", "live", "echo"]})
    return [row("ui.log_to_pixel_ms", live["ms"], "ms")]


def peer_rows(context, work):
    runs, tags, points = 1000, 12, 1000
    folder = work / "logdir"
    context.native("bench/tensorboard/tensorboard_bench_generate", str(folder), str(runs), str(tags), str(points), "scalar")
    ours, theirs = [], []
    for _ in range(1 if context.quick else 3):
        with Ours(context, folder, work / "logdir-state") as server:
            ours.append({**node("page.mjs", {"task": "logdir", "url": server.url, "project": server.projects()[0], "zooms": 5}), "rss_mb": server.rss_mb()})
        with TensorBoard(context.venv("bench"), folder, runs) as server:
            loaded = server.rss_mb()
            theirs.append({**node("tensorboard.mjs", {"url": server.url, "cap_s": CAP_S}, timeout=CAP_S * 10), "rss_mb": max(loaded, server.rss_mb())})
    capped = any(one["first_capped"] for one in theirs)
    rows = []
    for name, field, unit in [("first_chart", "first_ms", "ms"), ("zoom", "zoom_ms", "ms"), ("heap", "heap_mb", "MB"), ("rss", "rss_mb", "MB")]:
        mine = context.median([one[field] for one in ours])
        known = [one[field] for one in theirs if one.get(field) is not None]
        other = context.median(known) if known else None
        reason = next((one["note"] for one in theirs if one.get("note")), None) if other is None else None
        if capped and field == "first_ms":
            reason = f"≥: TensorBoard was stopped after {CAP_S} s"
        rows.append(row(f"ui.vs_tensorboard_{name}", mine, unit, "tensorboard", other, other / mine if other else None, reason))
    return rows


def load_rows(context, work):
    seconds = 20 if context.quick else 60
    under = load.measure(context, work, seconds)
    lost = under["missed"] + under["cut"] + under["lost"] + (0 if under["same"] else 1)
    return [row("server.query_p99_ms", under["p99"], "ms", reason=f"{under['failed']} failed: {under['failures']}" if under["failed"] else None),
            row("server.lost_events", lost, f"of {under['events']} × {load.CLIENTS}"),
            row("server.growth_mb_per_minute", under["growth_mb_per_minute"], f"MB (at {under['rss_mb']:.0f})")]


def run(context):
    context.build("taffrail_command", "dashboard_bench_writer", "tensorboard_bench_generate")
    rows = []
    with tempfile.TemporaryDirectory(prefix="taffrail-dashboard-") as folder:
        work = Path(folder)
        for part in (load_rows, live_rows, first_minute_rows, page_rows, peer_rows):
            print(f"{part.__name__.removesuffix('_rows')} …", flush=True)
            try:
                rows += part(context, work)
            except (RuntimeError, subprocess.SubprocessError, OSError) as error:
                print(f"  {error}", flush=True)
    return rows
