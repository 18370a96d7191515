"""Jobs: the pieces a stage is made of, and which of them may start now.

The machine is filled from three lanes. Tests take its cores. Builds run behind them at a low priority, so that they use what waiting tests leave and a test is not slowed by
a compiler. Installing waits for the network, one thing at a time. What measures times runs when nothing else does, at the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

TEST, BUILD, INSTALL = "test", "build", "install"
BUILT = frozenset({"build:ci"})  # what nearly all tests need
MORE_THAN_CORES = 1  # of three tests one waits: for a disk, a page, a peer
BUILDS_AT_ONCE = 2  # the second fills the core that the end of the first leaves


@dataclass(frozen=True)
class Job:
    stage: str
    name: str
    work: Callable = field(compare=False)  # from a Context to Counts
    needs: frozenset = frozenset()  # keys of jobs that must have passed; those that do not take part in this run do not count
    minutes: float = 0.1  # about how long it takes; the longest are begun first
    cores: float = 1
    lane: str = TEST
    alone: bool = False  # measures times: nothing runs beside it
    vital: bool = False  # where it fails there is nothing to test
    last: bool = False  # looks at what all others did

    @property
    def key(self) -> str:
        return f"{self.stage}:{self.name}"


class Schedule:
    """Which jobs of a run wait, run, have passed or cannot run any more. Starts nothing itself."""

    def __init__(self, jobs: list[Job], cores: int):
        self.cores = cores
        taking_part = {job.key for job in jobs}
        assert len(taking_part) == len(jobs), "two jobs of one name"
        self.needs = {job.key: job.needs & taking_part for job in jobs}
        self.waiting = sorted(jobs, key=lambda job: -self.way(job, jobs))
        self.running: list[Job] = []
        self.failed: set[str] = set()
        self.ended: set[str] = set()

    def way(self, job: Job, jobs: list[Job]) -> float:
        """Minutes from the begin of a job to the end of the longest chain that waits for it."""
        return job.minutes + max((self.way(other, jobs) for other in jobs if job.key in self.needs[other.key]), default=0)

    def start(self) -> Job | None:
        """The next job to begin beside those that run; None when there is none for now."""
        for job in self.waiting:
            if self.needs[job.key] <= self.ended and self.fits(job):
                self.waiting.remove(job)
                self.running.append(job)
                return job
        return None

    def fits(self, job: Job) -> bool:
        if any(other.alone for other in self.running):
            return False
        if job.last:
            return not self.running and all(other.last for other in self.waiting)
        if job.alone:
            return not self.running and all(other.alone or other.last for other in self.waiting)
        beside = [other for other in self.running if other.lane == job.lane]
        if job.lane == TEST:
            return not beside or sum(other.cores for other in beside) + job.cores <= self.cores
        return len(beside) < (BUILDS_AT_ONCE if job.lane == BUILD else 1)

    def end(self, job: Job, passed: bool) -> list[Job]:
        """Notes the end of a job; returns those that can no longer run because it failed."""
        self.running.remove(job)
        self.ended.add(job.key)
        if passed:
            return []
        self.failed.add(job.key)
        if job.vital:
            dropped = self.waiting
        else:
            dropped = []
            gone = {job.key}
            while more := [other for other in self.waiting if other not in dropped and self.needs[other.key] & gone]:
                dropped += more
                gone |= {other.key for other in more}
        self.waiting = [other for other in self.waiting if other not in dropped]
        return dropped
