"""./scripts/bench SUITE: builds what the suite needs, runs it, prints the table, writes build/bench/<suite>.json."""

import argparse
import importlib
import json
import sys

from bench.harness.context import Context
from bench.harness.table import finish_rows, print_table


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench")
    parser.add_argument("suite")
    parser.add_argument("--quick", action="store_true", help="smaller loads; the numbers are rougher")
    arguments = parser.parse_args()
    context = Context(quick=arguments.quick)
    suites = sorted(path.parent.name for path in (context.root / "bench").glob("*/suite.py"))
    if arguments.suite not in suites:
        print(f"bench: no suite '{arguments.suite}'; there are: {', '.join(suites)}", file=sys.stderr)
        return 2
    suite = importlib.import_module(f"bench.{arguments.suite}.suite")
    rows = finish_rows(suite.run(context), suite.TARGETS)
    output = context.root / "build" / "bench" / f"{arguments.suite}.json"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(rows, indent=1) + "\n")
    print_table(rows)
    print(f"\nWritten to {output.relative_to(context.root)}. {context.machine()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
