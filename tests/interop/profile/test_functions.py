"""Programs compiled with -finstrument-functions: every call is counted, as callgrind counts them."""

import os
import re
import subprocess
from collections import Counter

from conftest import BUILD

PROGRAM = BUILD / "tests" / "zones"


def ours(**environment):
    done = subprocess.run([PROGRAM / "functions_instrumented"], capture_output=True, text=True, timeout=120, check=True, env={**os.environ, **environment})
    rows = dict(reversed(line.split("\t", 1)) for line in done.stdout.splitlines())
    return rows


def of_callgrind(folder):
    """Calls by the name of what is called; names stand in the file once, then by number."""
    out = folder / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no", PROGRAM / "functions_plain"],
                   check=True, capture_output=True, timeout=300)
    calls, callee = Counter(), None
    for line in out.read_text().splitlines():
        if line.startswith("cfn="):
            callee = re.sub(r"'\d+$", "", line[4:])  # recursion levels
        elif line.startswith("calls="):
            calls[callee] += int(line[6:].split()[0])
    return calls


def test_calls_are_those_of_callgrind(tmp_path):
    rows, expected = ours(), of_callgrind(tmp_path)
    for name in ("(anonymous namespace)::fibonacci(int)", "(anonymous namespace)::is_even(int)", "(anonymous namespace)::is_odd(int)",
                 "(anonymous namespace)::deep(int)", "(anonymous namespace)::thrower(int)", "(anonymous namespace)::catcher(int)",
                 "(anonymous namespace)::over_frames()", "(anonymous namespace)::jump()", "(anonymous namespace)::on_thread(int)",
                 "(anonymous namespace)::overloaded(int)", "(anonymous namespace)::overloaded(double)", "in_c", "shapes::Triangle::corners() const",
                 "shapes::Square::corners() const", "int shapes::twice<int>(int)", "double shapes::twice<double>(double)"):
        assert expected[name] > 0, name
        assert int(rows[name]) == expected[name], name
    assert int(rows["(anonymous namespace)::fibonacci(int)"]) == 1973
    assert int(rows["(anonymous namespace)::deep(int)"]) == 1001


def test_the_profiler_itself_is_not_in_the_table():
    assert float(ours()["of the library"]) < 0.01


def test_switched_off_nothing_is_counted():
    assert set(ours(TAFFRAIL_ZONES="off")) == {"of the library"}
