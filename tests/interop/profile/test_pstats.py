"""Python's own reader of .prof files, and snakeviz, which shows them."""

import cProfile
import json
import pstats
import re
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

from conftest import STACKS, TORCH, taffrail


def truth():
    """Self and total of every function, recursion counted once."""
    self_time, total = {}, {}
    for stack, weight in STACKS.items():
        self_time[stack[-1]] = self_time.get(stack[-1], 0) + weight
        for name in set(stack):
            total[name] = total.get(name, 0) + weight
    return self_time, total


def test_pstats_reads_the_times_that_the_stacks_say(convert, folded):
    stats = pstats.Stats(str(convert(folded, "x.prof")))
    self_time, total = truth()
    assert {key[2] for key in stats.stats} == set(total)
    for (file, line, name), (_, _, own, cumulative, callers) in stats.stats.items():
        assert (file, line) == ("~", 0)
        assert own == self_time.get(name, 0) and cumulative == total[name]
        if name == "aten::mm":
            assert {caller[2]: cost[3] for caller, cost in callers.items()} == {"forward": 4000, "backward": 9000}
    stats.sort_stats("cumulative").print_stats()


def test_calls_of_a_trace_are_counted_like_its_events(convert):
    import gzip

    events = json.load(gzip.open(TORCH))["traceEvents"]
    counted = {}
    for event in events:
        if event["ph"] == "X":
            counted[event["name"]] = counted.get(event["name"], 0) + 1
    stats = pstats.Stats(str(convert(TORCH, "x.prof")))
    assert {key[2]: value[1] for key, value in stats.stats.items()} == counted


def busy(depth):
    return sum(range(200)) if depth == 0 else busy(depth - 1) + len(sorted(range(50)))


def test_what_cprofile_wrote_comes_through_unchanged(tmp_path, convert):
    profiler = cProfile.Profile()
    profiler.enable()
    for _ in range(20):
        busy(6)
    profiler.disable()
    source = tmp_path / "real.prof"
    profiler.dump_stats(source)
    theirs, ours = pstats.Stats(str(source)).stats, pstats.Stats(str(convert(source, "again.prof"))).stats
    assert theirs == ours
    rows = json.loads(taffrail("profile", "table", source, "--json", "-n", "0"))["rows"]
    found = {(row["file"] or "~", row["line"], row["function"]): (row["calls"], round(row["self"] / 1e9, 12)) for row in rows}
    assert found == {key: (value[1], round(value[2], 12)) for key, value in theirs.items()}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_snakeviz_shows_the_table(convert, folded):
    path = convert(folded, "x.prof")
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "snakeviz", "-s", "-H", "127.0.0.1", "-p", str(port), str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/snakeviz/{urllib.parse.quote(str(path), safe='')}"
        for _ in range(300):
            try:
                page = urllib.request.urlopen(address, timeout=30).read().decode()
                break
            except OSError:
                assert server.poll() is None, "snakeviz ended"
                time.sleep(0.1)
        rows = re.search(r'"?table_rows"?\s*[:=]\s*(\[.*?\]\])', page, re.S)
        assert rows or "aten::mm" in page
        for name in ("aten::mm", "load data", "forward"):
            assert name in page
    finally:
        server.terminate()
        server.wait(timeout=30)
