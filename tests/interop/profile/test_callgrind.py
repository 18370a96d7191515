"""callgrind_annotate reads ours, and a real run of callgrind comes through with its own sums."""

import re
import subprocess

from conftest import STACKS


def annotated(path, *options):
    done = subprocess.run(["callgrind_annotate", "--threshold=100", *options, path], capture_output=True, text=True, check=True)
    assert not done.stderr.strip(), done.stderr
    rows = {}
    for line in done.stdout.splitlines():
        if found := re.match(r"\s*([\d,]+)\s+\(\s*[\d.]+%\)\s+(?:[^:]*:)?(.+?)(?: \[.*\])?$", line):
            rows[found[2].strip()] = int(found[1].replace(",", ""))
    return rows


def test_annotate_reads_self_and_inclusive_costs(convert, folded):
    path = convert(folded, "x.callgrind")
    own = annotated(path)
    assert own.pop("PROGRAM TOTALS (calculated)", own.pop("PROGRAM TOTALS", None)) == sum(STACKS.values())
    expected = {}
    for stack, weight in STACKS.items():
        expected[stack[-1]] = expected.get(stack[-1], 0) + weight
    assert {name.removeprefix(":"): cost for name, cost in own.items() if cost} == {**expected, "aten::mm": 13000}
    inclusive = annotated(path, "--inclusive=yes")
    assert inclusive["main"] == sum(STACKS.values()) and inclusive["train"] == 13570


def test_a_real_run_of_callgrind_keeps_its_sums(tmp_path, convert):
    source = tmp_path / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={source}", "/bin/true"], capture_output=True, check=True, timeout=120)
    theirs, ours = annotated(source), annotated(convert(source, "again.callgrind"))
    total = next(cost for name, cost in theirs.items() if name.startswith("PROGRAM TOTALS"))
    assert next(cost for name, cost in ours.items() if name.startswith("PROGRAM TOTALS")) == total
    assert total > 10_000
