"""Random runs of several attempts and ranks, and the rule of docs/formats/layout.md written down as plainly as it can be."""

import json
import math
import random
import struct
import subprocess
from collections import namedtuple

Logged = namedtuple("Logged", "key attempt rank step time value")
KEYS = ("a", "train/b")
START_MS = 1_700_000_000_000


class Run:
    """`processes` are (attempt, rank) with the step each was told to resume at, `points` everything they logged, in log order."""

    def __init__(self, seed: int):
        pick = random.Random(seed)
        self.id, self.name = f"01RUN{seed:05d}", f"run-{seed}"
        self.long = seed % 4 == 0
        ranks = pick.randint(1, 3)
        self.processes, self.points, self.world_size = {}, [], ranks
        for attempt in range(pick.randint(1, 4)):
            told = pick.randint(0, 60) if attempt > 0 and pick.random() < 0.5 else None
            for rank in range(ranks):
                if attempt > 0 and pick.random() < (0.1 if rank == 0 else 0.4):
                    continue  # this rank was not started again
                self.processes[attempt, rank] = told
                for key in KEYS:
                    if attempt > 0 and pick.random() < 0.25:
                        continue  # nor this series logged again
                    self.points += self.series(pick, key, attempt, rank, told)

    def series(self, pick, key, attempt, rank, told):
        step = told + pick.randint(0, 10) if told is not None and pick.random() < 0.7 else pick.randint(0, 60)
        count = pick.randint(4100, 6000) if self.long and key == "a" else pick.randint(1, 60)
        odd = pick.choice((0, 0.02, 0.3, 1)) if not self.long else 0.01
        for i in range(count):
            value = pick.choice((math.nan, math.inf, -math.inf)) if pick.random() < odd else pick.randint(-1 << 20, 1 << 20) / 16
            # Times tell which point is the newest; steps may repeat and go back.
            yield Logged(key, attempt, rank, step, nanoseconds(self.start_ms(attempt, rank) + 1 + KEYS.index(key) + 1000 * i), value)
            step = max(0, step + pick.choice((1, 1, 1, 1, 2, 3, 0, -7))) if not self.long or pick.random() < 0.01 else step + 1

    @staticmethod
    def start_ms(attempt, rank):
        return START_MS + (attempt * 3 + rank) * 10_000_000

    def begin(self, attempt, rank, key):
        """R of the attempt as a point of `rank` sees it."""
        if (attempt, rank) not in self.processes:
            rank = 0
        if (attempt, rank) not in self.processes:
            return None
        steps = [point.step for point in self.points if (point.key, point.attempt, point.rank) == (key, attempt, rank)]
        told = self.processes[attempt, rank]
        return min(steps + ([told] if told is not None else []), default=None)

    def winners(self, key):
        points = [point for point in self.points if point.key == key]
        newest = self.newest()
        limits = {}
        for attempt, rank in {(point.attempt, point.rank) for point in points}:
            begins = [self.begin(newer, rank, key) for newer in range(attempt + 1, newest + 1)]
            limits[attempt, rank] = min((begin for begin in begins if begin is not None), default=math.inf)
        return sorted((point for point in points if point.step < limits[point.attempt, point.rank]), key=log_order)

    def all(self, key):
        return sorted((point for point in self.points if point.key == key), key=log_order)

    def keys(self):
        return [key for key in KEYS if any(point.key == key for point in self.points)]

    def newest(self):
        return max(attempt for attempt, _ in self.processes)

    def commands(self, first_handle, attempts, live=False):
        """For the program that writes logs for tests, one log a process: text, and how many handles it uses. Live ones have no end and belong to the writer."""
        text, handle = b"", first_handle
        for (attempt, rank), told in self.processes.items():
            if attempt not in attempts:
                continue
            what = {"op": "open", "run": handle, "id": self.id, "name": self.name, "attempt": attempt, "rank": rank, "world_size": self.world_size,
                    "start_ms": self.start_ms(attempt, rank), "live": live}
            text += command(what | ({"resume_step": told} if told is not None else {}))
            for key in KEYS:
                points = [point for point in self.points if (point.key, point.attempt, point.rank) == (key, attempt, rank)]
                if points:
                    grid = {"op": "scalars", "run": handle, "key": key, "start_ms": self.start_ms(attempt, rank) + 1 + KEYS.index(key), "step_ms": 1000}
                    text += command(grid, b"".join(struct.pack("<d", point.value) for point in points), b"".join(struct.pack("<q", point.step) for point in points))
            if not live:
                text += command({"op": "finish", "run": handle})
            handle += 1
        return text, handle - first_handle


def command(what, *blobs):
    return json.dumps(what | {"bytes": [len(blob) for blob in blobs]}).encode() + b"\n" + b"".join(blobs)


class Writer:
    """Writes attempts of runs into a root; live ones go on until the block ends."""

    def __init__(self, program, root):
        self.process = subprocess.Popen([program, root], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.handles = 0

    def __enter__(self):
        return self

    def write(self, runs, which, live=False):
        """`which`: from a run to the attempts to write. Done when others can read them."""
        for run in runs:
            text, used = run.commands(self.handles, which(run), live)
            self.process.stdin.write(text)
            self.handles += used
        self.process.stdin.write(command({"op": "sync"}))
        self.process.stdin.flush()
        assert self.process.stdout.readline() == b"done\n"

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=60) == 0


def nanoseconds(milliseconds):
    return int(float(milliseconds) * 1e6)  # as the program that writes computes it


def log_order(point):
    return point.attempt, point.rank, point.time


def same(first, second):
    return first == second or (first != first and second != second)


def summary(points):
    """What is known of a series: of the finite points, the others counted apart."""
    values = [point.value for point in points]
    finite = [value for value in values if math.isfinite(value)]
    return {"count": len(values), "nan": sum(value != value for value in values), "positive": values.count(math.inf), "negative": values.count(-math.inf),
            "min": min(finite, default=None), "max": max(finite, default=None), "mean": math.fsum(finite) / len(finite) if finite else None,
            "last": finite[-1] if finite else None}
