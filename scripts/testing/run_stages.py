"""Runs the test stages one after the other, counts what each reports, and ends with one line of totals.

A stage is a function in stages.py. A stage that fails does not stop the others: one run shows everything that is wrong. Only where the build fails there is
nothing to test: hundreds of failures for want of a program would hide the compiler's words.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2])]

from bench.door.rows import write_row  # noqa: E402
from caches import Caches  # noqa: E402
from counting import Counts  # noqa: E402
from context import Context  # noqa: E402
from stages import QUICK, STAGES, build  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def note_time(minutes: float, kind: str | None, total: Counts) -> None:
    """A whole quick run that began with empty or with full caches is a row of the front door's figures."""
    if kind is None:
        print("\nThe caches were neither empty nor full: the time of this run is not kept.")
        return
    reason = f"{total.failed} failed" if total.failed else None
    write_row(ROOT, {"id": f"door.test_{kind}_min", "value": minutes, "unit": "min", "reason": reason})
    print(f"\nA {kind} run of {minutes:.1f} minutes, written to build/bench/door.json")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/test", description=__doc__)
    parser.add_argument("--full", action="store_true", help="full counts: more trials, longer fuzzing, the big peers")
    parser.add_argument("--only", default="", help="comma-separated stage names")
    parser.add_argument("--list", action="store_true", help="list the stages and stop")
    arguments = parser.parse_args()
    if arguments.list:
        for stage in STAGES:
            print(f"{stage.__name__:12} {stage.__doc__.splitlines()[0]}")
        return 0
    wanted = set(filter(None, arguments.only.split(",")))
    unknown = wanted - {stage.__name__ for stage in STAGES}
    if unknown:
        print(f"scripts/test: unknown stage {', '.join(sorted(unknown))}; --list shows them", file=sys.stderr)
        return 2

    context = Context(root=ROOT, full=arguments.full)
    caches, began = Caches(), time.monotonic()
    total = Counts()
    table = []
    for stage in STAGES if arguments.full or wanted else QUICK:
        if wanted and stage.__name__ not in wanted:
            continue
        print(f"\n=== {stage.__name__}: {stage.__doc__.splitlines()[0]}", flush=True)
        started = time.monotonic()
        try:
            counts = stage(context)
        except Exception as error:  # a stage that cannot even start is a failure, not a crash of the runner
            print(f"stage {stage.__name__} broke: {error}", flush=True)
            counts = Counts(failed=1, failures=[f"{stage.__name__}: {error}"])
        minutes = (time.monotonic() - started) / 60
        table.append((stage.__name__, minutes, counts))
        total += counts
        print(f"--- {stage.__name__}: {counts} in {minutes:.1f} min", flush=True)
        if stage is build and counts.failed:
            break

    print("\nstage          minutes  passed  failed  skipped")
    for name, minutes, counts in table:
        print(f"{name:14} {minutes:7.1f} {counts.passed:7} {counts.failed:7} {counts.skipped:8}")
    if total.failures:
        print("\nFailed:")
        for failure in total.failures:
            print(f"  {failure}")
    context.write_ran_tests()
    if not arguments.full and not wanted:
        note_time((time.monotonic() - began) / 60, caches.kind(), total)
    print(f"\n{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
