"""Machine load against psutil, under a load of known size: two readers of the same machine over the same seconds.

Rates are compared as averages over the whole stretch, weighted by time, so that the comparison does not depend on the moment of a reading.
"""

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.alone  # both read the load of the whole machine over seconds
BUILD = Path(os.environ.get("TAFFRAIL_BUILD", Path(__file__).resolve().parents[3] / "build/ci"))


class Watched:
    """A program that burns half a processor and holds 200 MiB for four seconds, watched by itself and by psutil."""

    def __init__(self, root):
        child = subprocess.Popen([BUILD / "tests/interop/media/load_tool", root, "4"], stdout=subprocess.PIPE, text=True)
        process = psutil.Process(child.pid)
        assert child.stdout.readline() == "burning\n"
        begin, before, all_before = time.time_ns(), process.cpu_times(), psutil.cpu_times()
        self.rss, self.used = [], []
        while time.time_ns() - begin < 3.5e9:
            self.rss.append(process.memory_info().rss)
            memory = psutil.virtual_memory()
            self.used.append(memory.total - memory.available)
            time.sleep(0.1)
        end, after, all_after = time.time_ns(), process.cpu_times(), psutil.cpu_times()
        self.process_percent = 100 * (after.user + after.system - before.user - before.system) / ((end - begin) / 1e9)
        idle = all_after.idle + all_after.iowait - all_before.idle - all_before.iowait
        self.busy_percent = 100 * (1 - idle / (sum(all_after[:8]) - sum(all_before[:8])))
        assert child.wait(60) == 0
        text = subprocess.run([BUILD / "bin/taffrail", "export", "--root", root, "--format", "jsonl"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.readings = {}
        for line in text.splitlines():
            record = json.loads(line)
            if begin <= record["time"] <= end:
                self.readings.setdefault(record["key"], []).append((record["time"], record["value"]))

    def median(self, key):
        return statistics.median(value for _, value in self.readings[key])

    def rate(self, key):
        """A reading speaks of the time since the one before."""
        points = self.readings[key]
        spent = sum((at - before) * value for (before, _), (at, value) in zip(points, points[1:]))
        return spent / (points[-1][0] - points[0][0])


@pytest.fixture(scope="session")
def watched(tmp_path_factory):
    return Watched(tmp_path_factory.mktemp("load") / "store")


def within(ours, theirs, share=0.05):
    assert abs(ours - theirs) <= share * abs(theirs), f"{ours} is not within {share:.0%} of {theirs}"


def test_memory_of_the_process_is_psutils(watched):
    assert statistics.median(watched.rss) > 200 << 20
    within(watched.median("system/process/memory_bytes"), statistics.median(watched.rss))


def test_memory_of_the_machine_is_psutils(watched):
    within(watched.median("system/memory/used_bytes"), statistics.median(watched.used))


def test_processor_time_of_the_process_is_psutils(watched):
    assert watched.process_percent > 5
    within(watched.rate("system/process/cpu_percent"), watched.process_percent)


def test_processors_of_the_machine_are_psutils(watched):
    within(watched.rate("system/cpu/percent"), watched.busy_percent)
