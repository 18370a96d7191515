"""Stopping a program to look: a breakpoint that leaves the terminal and the log in order, and a guard against NaN."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from taffrail import _core

MODES = ("raise", "pause", "mark")
_guards: list[str] = []
_told: set[str] = set()


class NotFiniteError(FloatingPointError):
    """A value that was logged is NaN or infinite, and a guard stands."""


def breakpoint(header: str | None = None) -> None:
    """Everything logged so far is written, then the debugger that `breakpoint()` of Python starts takes over: pdb, or what
    PYTHONBREAKPOINT names (debugpy.breakpoint, …). PYTHONBREAKPOINT=0 passes by."""
    from taffrail._run import active_run

    if (run := active_run()) is not None:
        run.flush()
    if sys.breakpointhook is sys.__breakpointhook__ and not _other_debugger():
        debugger = _debugger()
        if header:
            debugger.message(header)
        debugger.set_trace(sys._getframe(1))
    else:
        sys.breakpointhook()


def _debugger() -> Any:
    """pdb, with the bars off the screen and everything written each time it has the word."""
    import pdb

    class Debugger(pdb.Pdb):
        def interaction(self, *arguments: Any, **more: Any) -> None:
            from taffrail._run import active_run

            if (run := active_run()) is not None:
                run.flush()
            with _core.PauseDrawing():
                super().interaction(*arguments, **more)

    return Debugger()


def _other_debugger() -> bool:
    import os

    return os.environ.get("PYTHONBREAKPOINT", "") not in ("", "pdb.set_trace")


@contextmanager
def guard(nan: str = "raise") -> Iterator[None]:
    """While it stands, a logged value that is NaN or infinite stops the program where it was logged ('raise'), stops in the debugger
    ('pause'), or leaves an alert in the run, once for each key ('mark'). The value itself is always recorded."""
    if nan not in MODES:
        raise ValueError(f"nan must be 'raise', 'pause' or 'mark', not '{nan}'")
    _guards.append(nan)
    _core._ask_not_finite(_met)
    try:
        yield
    finally:
        _guards.pop()
        if not _guards:
            _core._ask_not_finite(None)
            _told.clear()


def _met(key: str, value: float, step: Any) -> None:
    from taffrail._run import active_run

    import threading

    where = f"'{key}' is {value}" + ("" if step is None else f" at step {step}")
    run = active_run()
    mode = _guards[-1] if _guards else "mark"
    if mode == "raise":
        raise NotFiniteError(f"{where}; it is recorded, and what led to it is above in this traceback")
    if mode == "pause" and threading.current_thread() is threading.main_thread():
        frame = sys._getframe(1)
        debugger = _debugger()
        debugger.message(f"taffrail: {where}")
        debugger.set_trace(frame)
    elif run is not None and key not in _told:
        _told.add(key)
        run.alert("not finite", where, "error")
