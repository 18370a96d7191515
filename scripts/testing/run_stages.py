"""Runs the test stages, counts what each reports, and ends with one line of totals.

A stage is a function in stages.py that lists its jobs; runner.py runs them beside each other. A job that fails stops only those that need it: one run shows everything that
is wrong. Only where the build fails there is nothing to test: hundreds of failures for want of a program would hide the compiler's words.
"""

import argparse
import json
import signal
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2])]

from bench.door.rows import write_row  # noqa: E402
from caches import Caches  # noqa: E402
from counting import Counts  # noqa: E402
from context import Context  # noqa: E402
from runner import Ended, Runner  # noqa: E402
from stages import QUICK, STAGES  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def note_time(minutes: float, kind: str | None, total: Counts) -> None:
    """A whole quick run that began with empty or with full caches is a row of the front door's figures."""
    if kind is None:
        print("\nThe caches were neither empty nor full: the time of this run is not kept.")
        return
    reason = f"{total.failed} failed" if total.failed else None
    write_row(ROOT, {"id": f"door.test_{kind}_min", "value": minutes, "unit": "min", "reason": reason})
    print(f"\nA {kind} run of {minutes:.1f} minutes, written to build/bench/door.json")


def tell(runner: Runner, total: Counts) -> None:
    """Minutes are those of a stage's jobs, added up; of two that ran beside each other both count."""
    print("\nstage          minutes  processor  passed  failed  skipped")
    for name in sorted(runner.stages, key=list(STAGES).index):
        ended: Ended = runner.stages[name]
        counts = ended.counts
        print(f"{name:14} {ended.minutes:7.1f} {ended.processor_minutes:10.1f} {counts.passed:7} {counts.failed:7} {counts.skipped:8}")
    if total.failures:
        print("\nFailed:")
        for failure in total.failures:
            print(f"  {failure}")


def keep_times(runner: Runner) -> None:
    """What each job took, to see which is worth splitting: build/test-times.json, in minutes."""
    times = {key: {"minutes": round(ended.minutes, 2), "processor": round(ended.processor_minutes, 2)} for key, ended in runner.jobs.items()}
    (ROOT / "build" / "test-times.json").write_text(json.dumps(times, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/test", description=__doc__)
    parser.add_argument("--full", action="store_true", help="full counts: more trials, longer fuzzing, the big peers")
    parser.add_argument("--only", default="", help="comma-separated stage names")
    parser.add_argument("--list", action="store_true", help="list the stages and stop")
    arguments = parser.parse_args()
    if arguments.list:
        for name, stage in STAGES.items():
            print(f"{name:12} {stage.__doc__.splitlines()[0]}")
        return 0
    wanted = set(filter(None, arguments.only.split(",")))
    unknown = wanted - set(STAGES)
    if unknown:
        print(f"scripts/test: unknown stage {', '.join(sorted(unknown))}; --list shows them", file=sys.stderr)
        return 2

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends what runs, as Ctrl-C does
    context = Context(root=ROOT, full=arguments.full)
    caches, began = Caches(), time.monotonic()
    chosen = [name for name in STAGES if (name in wanted if wanted else arguments.full or name in QUICK)]
    runner = Runner([job for name in chosen for job in STAGES[name](context)], context)
    total = Counts()
    for ended in runner.run().values():
        total += ended.counts
    tell(runner, total)
    context.write_ran_tests()
    keep_times(runner)
    if not arguments.full and not wanted:
        note_time((time.monotonic() - began) / 60, caches.kind(), total)
    print(f"\n{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
