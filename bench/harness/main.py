"""./scripts/bench SUITE: builds what the suite needs, runs it, prints the table, writes build/bench/<suite>.json."""

import argparse
import importlib
import json
import sys

from bench.harness.context import Context
from bench.harness.table import finish_rows, print_table


def chosen_parts(suite, beginnings: tuple) -> list:
    """What measures the rows whose ids begin so; a suite without parts measures all of its rows together."""
    return [part for part in getattr(suite, "PARTS", [suite]) if any(name.startswith(beginnings) for name in part.TARGETS)]


def with_new_rows(old: list, new: list) -> list:
    """The rows of an earlier run, those that were measured again in their place."""
    latest = {row["id"]: row for row in new}
    kept = [latest.pop(row["id"], row) for row in old]
    return kept + list(latest.values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("suite")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="smaller loads; the numbers are rougher")
    size.add_argument("--full", action="store_true", help="the largest loads (profile: a trace of 2 GB)")
    parser.add_argument("--only", metavar="ROW,…", help="only these rows, by the beginnings of their ids, and what is measured with them; the file keeps the others")
    arguments = parser.parse_args()
    context = Context(quick=arguments.quick, full=arguments.full)
    suites = sorted(path.parent.name for path in (context.root / "bench").glob("*/suite.py"))
    if arguments.suite not in suites:
        print(f"bench: no suite '{arguments.suite}'; there are: {', '.join(suites)}", file=sys.stderr)
        return 2
    suite = importlib.import_module(f"bench.{arguments.suite}.suite")
    output = context.root / "build" / "bench" / f"{arguments.suite}.json"
    if arguments.only:
        parts = chosen_parts(suite, tuple(arguments.only.split(",")))
        if not parts:
            print(f"bench: no row of '{arguments.suite}' begins with {arguments.only}; there are: {', '.join(suite.TARGETS)}", file=sys.stderr)
            return 2
        getattr(suite, "prepare", lambda _: None)(context)  # what all parts of it need
        rows = [row for part in parts for row in finish_rows(part.run(context), part.TARGETS)]
        kept = with_new_rows(json.loads(output.read_text()) if output.exists() else [], rows)
    else:
        kept = rows = finish_rows(suite.run(context), suite.TARGETS)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(kept, indent=1) + "\n")
    print_table(rows)
    print(f"\nWritten to {output.relative_to(context.root)}. {context.machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
