"""The server under load: event streams, requests at a fixed rate and training programs at the same time."""

import json
import subprocess
import sys
import time
from pathlib import Path

from bench.dashboard.server import Ours

HERE = Path(__file__).parent
CLIENTS, REQUESTS_PER_SECOND, WRITERS, ROWS_PER_SECOND = 200, 50, 20, 20


def last_json(process, timeout):
    output, _ = process.communicate(timeout=timeout)
    if process.returncode != 0:
        raise RuntimeError(f"{process.args[1]} ended with {process.returncode}")
    return json.loads(output.strip().splitlines()[-1])


def growth(samples):
    """MB a minute over the second half, by least squares: caches fill in the first half."""
    half = samples[len(samples) // 2:]
    mean_x = sum(x for x, _ in half) / len(half)
    mean_y = sum(y for _, y in half) / len(half)
    below = sum((x - mean_x) ** 2 for x, _ in half)
    return 60 * sum((x - mean_x) * (y - mean_y) for x, y in half) / below if below else 0.0


def measure(context, work, seconds):
    """{"p99", "p50", "missed", "cut", "lost", "growth_mb_per_minute", "rss_mb"}"""
    root = work / "load"
    writer = context.built / "bench" / "dashboard" / "dashboard_bench_writer"
    first = subprocess.run([writer, root, "load", "warm", "50", "1"], check=True, stdout=subprocess.DEVNULL)
    assert first.returncode == 0
    with Ours(context, root, work / "load-state") as server:
        pipe = {"stdout": subprocess.PIPE, "text": True}
        streams = subprocess.Popen([sys.executable, HERE / "streams.py", "127.0.0.1", str(server.port), str(CLIENTS), str(seconds + 14)], **pipe)
        time.sleep(2)
        writers = [subprocess.Popen([writer, root, "load", f"writer-{i}", str(ROWS_PER_SECOND), str(seconds + 4)], **pipe) for i in range(WRITERS)]
        time.sleep(3)
        requests = subprocess.Popen([sys.executable, HERE / "requests_at.py", "127.0.0.1", str(server.port), "load", str(REQUESTS_PER_SECOND), str(seconds)], **pipe)
        samples, began = [], time.monotonic()
        while requests.poll() is None:
            samples.append((time.monotonic() - began, server.rss_mb()))
            time.sleep(0.5)
        asked = last_json(requests, 30)
        written = [int(process.communicate(timeout=60)[0].strip().splitlines()[-1]) for process in writers]
        heard = last_json(streams, seconds + 60)
        counts = heard["counts"]
        lost = sum(1 for count in counts.values() if count not in written) + max(0, WRITERS * 4 - len(counts))
        return {**asked, "events": heard["events"], "missed": heard["missed"], "cut": heard["cut"], "same": heard["same"], "lost": lost,
                "growth_mb_per_minute": growth(samples), "rss_mb": samples[-1][1]}
