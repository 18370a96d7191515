"""Runs jobs beside each other and tells of them: a line when one ends, a stage's own words together when its last job ended, a failed test at once."""

import os
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from context import Context
from counting import Counts
from jobs import MORE_THAN_CORES, Job, Schedule


@dataclass
class Ended:
    """What is known of a job, or added up of a stage."""

    counts: Counts = field(default_factory=Counts)
    minutes: float = 0.0
    processor_minutes: float = 0.0

    def add(self, other: "Ended") -> None:
        self.counts += other.counts
        self.minutes += other.minutes
        self.processor_minutes += other.processor_minutes


class Runner:
    """Runs every job of `jobs`. `say` is handed whole blocks of text, one at a time."""

    def __init__(self, jobs: list[Job], context: Context, *, cores: int | None = None, say: Callable[[str], None] = lambda text: print(text, flush=True)):
        self.schedule = Schedule(jobs, cores or (os.cpu_count() or 1) + MORE_THAN_CORES)
        self.context, self.say = context, say
        self.began = time.monotonic()
        self.stages: dict[str, Ended] = {}
        self.left = {}  # jobs of a stage that have not ended
        for job in jobs:
            self.left.setdefault(job.stage, []).append(job)
        self.jobs: dict[str, Ended] = {}
        self.logs = Path(tempfile.mkdtemp(prefix="taffrail-test-logs-"))
        self.done: queue.Queue = queue.Queue()

    def run(self) -> dict[str, Ended]:
        """By stage, in the order in which they ended."""
        try:
            while True:
                while job := self.schedule.start():
                    threading.Thread(target=self.work, args=(job,), daemon=True).start()
                if not self.schedule.running:
                    break
                self.note(*self.done.get())
            assert not self.schedule.waiting, f"nothing can begin: {[job.key for job in self.schedule.waiting]}"
        finally:
            self.context.end_all()
            shutil.rmtree(self.logs, ignore_errors=True)
        return self.stages

    def log_of(self, job: Job) -> Path:
        return self.logs / job.key.replace("/", "-").replace(" ", "-")

    def work(self, job: Job) -> None:
        began = time.monotonic()
        with self.log_of(job).open("w") as log:
            context = self.context.of_job(log)
            try:
                counts = job.work(context)
            except Exception as error:  # a job that cannot even start is a failure, not a crash of the runner
                print(f"{job.key} broke: {error}", file=log)
                counts = Counts(failed=1, failures=[f"{job.key}: {error}"])
        self.done.put((job, Ended(counts, (time.monotonic() - began) / 60, context.used.seconds / 60)))

    def note(self, job: Job, ended: Ended) -> None:
        at = (time.monotonic() - self.began) / 60
        if self.context.ending.is_set():  # what was cut short says nothing about itself
            self.say(f"[{at:5.1f} min] {job.stage}, {job.name}: ended")
            self.schedule.end(job, passed=True)
            return
        self.jobs[job.key] = ended
        self.say(f"[{at:5.1f} min] {job.stage}, {job.name}: {ended.counts} in {ended.minutes:.1f} min, {ended.processor_minutes:.1f} of a processor")
        self.stages.setdefault(job.stage, Ended()).add(ended)
        self.left[job.stage].remove(job)
        for dropped in self.schedule.end(job, ended.counts.failed == 0):
            self.say(f"[{at:5.1f} min] {dropped.stage}, {dropped.name}: not run, since {job.stage}, {job.name} failed")
            self.left[dropped.stage].remove(dropped)
            self.tell_stage(dropped.stage)
        self.tell_stage(job.stage)
        if job.vital and ended.counts.failed:
            self.context.end_all()

    def tell_stage(self, stage: str) -> None:
        """What the jobs of a stage said, when none of them is left."""
        if self.left.get(stage, True) or stage not in self.stages:
            return  # not yet, told already, or none of it ran
        del self.left[stage]
        said = []
        for path in sorted(self.logs.glob(f"{stage}:*"), key=lambda path: path.stat().st_mtime):
            text = path.read_text(errors="replace").strip()
            if text:
                said.append(text)
        ended = self.stages[stage]
        summary = f"--- {stage}: {ended.counts} in {ended.minutes:.1f} min"
        self.say("\n".join([f"\n=== {stage}", *said, summary, ""]))
