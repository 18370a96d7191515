"""A failed test is named with its last lines the moment it failed, while the run goes on.

Read by ctest_failures() from what ctest prints; loaded into pytest as a plugin (-p at_once); at_once.mjs does the same for node. What commands print otherwise is kept
until their stage has ended, so these words go past it: to a descriptor that commands are handed, by number in the environment.
"""

import os
import queue
import re
import sys
import threading

LINES = 15
RESULT = re.compile(r"\s*\d+/\d+ Test\s+#\d+: (\S.*?) \.*(\*\*\*\S*(?: \(.*?\))?|\s+Passed)\s")
STARTED = re.compile(r"\s*Start\s+\d+: ")
SILENCE_S = 0.5
VARIABLE = "TAFFRAIL_TEST_SHOWN"
shown = None  # the descriptor; None: where everything is printed


def say(name: str, lines: list[str]) -> None:
    told = [line for line in lines if line.strip()][-LINES:]
    text = "\n".join([f"FAILED {name}", *(f"    {line[:200]}" for line in told), ""])
    if shown is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        os.write(shown, text.encode(errors="replace"))


def ctest_failures(output, tell=say) -> None:
    """Takes the lines ctest prints (with --output-on-failure) as they come; tells of each failed test what it had said."""
    lines: queue.Queue = queue.Queue()

    def read() -> None:
        for line in output:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    name, said = None, []
    while True:
        try:
            line = lines.get(timeout=SILENCE_S if name else None)
        except queue.Empty:
            line = ""  # nothing came behind the result: that was all of it
        result = RESULT.match(line) if line else None
        if name and (line in ("", None) or result or STARTED.match(line) or "% tests passed" in line):
            tell(name, said)
            name, said = None, []
        if line is None:
            return
        if result:
            name = result[1] if result[2].startswith("***") and not re.match(r"\*\*\*(Skipped|Not Run \(Disabled\))", result[2]) else None
        elif name:
            said.append(line.rstrip("\n"))


def pytest_configure(config) -> None:
    global shown
    config.addinivalue_line("markers", "alone: measures times, so that nothing else may run beside it")
    number = os.environ.pop(VARIABLE, "")  # not for what the tests start
    shown = int(number) if number else None


def pytest_runtest_logreport(report) -> None:
    if report.failed:
        if shown is None:
            print(flush=True)
        say(report.nodeid, report.longreprtext.splitlines())
