"""Progress bars of Python programs: where there is no terminal, and in one."""

import os
import pty
import subprocess
import sys

import taffrail


def in_terminal(program):
    """What a program writes into a terminal of 100 columns."""
    here, there = pty.openpty()
    os.set_inheritable(there, True)
    child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=there, stderr=there, text=True,
                             env={**os.environ, "COLUMNS": "100", "LINES": "30", "TERM": "xterm"})
    os.close(there)
    child.stdin.write("p 6 * 7\nc\n")
    child.stdin.close()
    said = b""
    try:
        while part := os.read(here, 65536):
            said += part
    except OSError:
        pass
    os.close(here)
    assert child.wait(timeout=120) == 0, said.decode()
    return said.decode()


def test_a_loop_behind_a_bar(program):
    done = program("""
        import taffrail
        assert list(taffrail.progress([1, 2, 3])) == [1, 2, 3]
        total = 0
        steps = taffrail.progress(1000, "load", unit="file")
        for number in steps:
            total += number
            if steps.bar.metrics_due(number):
                steps.bar.set_metrics({"total": total, "half": total / 2, "word": "said"})
        assert total == 499500 and steps.bar.position == 1000
        def stream():
            yield from "abc"
        assert "".join(taffrail.progress(stream(), "stream")) == "abc"
        try:
            for number in taffrail.progress(10, "broken"):
                raise KeyError(number)
        except KeyError:
            pass
        with taffrail.Progress("by hand", 4) as bar:
            bar.update(2)
            bar.set_description("described")
            bar.reset(8)
            assert bar.position == 0
            bar.update(8)
    """)
    assert "load" in done.stdout and "1000" in done.stdout and "described" in done.stdout, done.stdout


def test_lines_go_above_and_a_breakpoint_has_the_screen_to_itself():
    said = in_terminal("import taffrail\nfor i in taffrail.progress(50, 'walk'):\n    if i == 20:\n        taffrail.print_above('noted')\n        taffrail.breakpoint()\n")
    assert "noted" in said and "42" in said and "walk" in said
    with taffrail.PauseDrawing():
        pass
