"""The advanced profiler: how often and how long every function of a program ran, on each thread by itself."""

from __future__ import annotations

import marshal
import os
import sys
import threading
from types import CodeType, ModuleType, TracebackType
from typing import Any

from taffrail import _core

TOOL_IDS = (2, 3, 4)  # the place of profilers, and two that no tool claims
SORT_KEYS = ("calls", "cumulative", "filename", "line", "module", "name", "ncalls", "nfl", "pcalls", "stdname", "time", "tottime", "cumtime")

OWN_WORDS = tuple(f"<built-in method taffrail._core._profile_{word}>" for word in ("switch", "start_action", "stop_action"))
BETWEEN = "\x1f"  # names of actions that are open at once, the outermost first

Label = tuple[str, int, str]


def label_of(function: Any) -> Label:
    """(file, line, name), as pstats has them; functions written in C have no file."""
    if isinstance(function, CodeType):
        return function.co_filename, function.co_firstlineno, function.co_name
    if not hasattr(function, "__self__"):
        return "~", 0, repr(function)  # <method 'append' of 'list' objects>
    owner, name = function.__self__, function.__name__
    if owner is None or isinstance(owner, ModuleType):
        module = function.__module__ or getattr(owner, "__name__", None)
        return "~", 0, f"<built-in method {module}.{name}>" if module else f"<built-in method {name}>"
    found = getattr(type(owner), name, None)
    return "~", 0, repr(found) if found is not None and type(found).__name__ == "method_descriptor" else f"<built-in method {name}>"


class AdvancedProfiler:
    """Measures every function between start() and stop(), on all threads. May be started inside itself; the outermost counts.

        with taffrail.profile.AdvancedProfiler() as profiler:
            train()
        profiler.dump_stats("train.prof")       # pstats, snakeviz, taffrail profile
        print(profiler.summary())
    """

    _depth = 0
    _tool = -1
    _lock = threading.RLock()

    def start(self) -> None:
        cls = AdvancedProfiler
        if cls._depth > 0:
            cls._depth += 1
            return
        with cls._lock:
            cls._depth += 1
            _core._profile_clear()
            if hasattr(sys, "monitoring"):
                self._register()
            else:
                threading.setprofile(_hook_new_thread)
                _core._profile_hook_thread(True)
        _core._profile_switch(True)  # last: nothing of the above is measured

    def _register(self) -> None:
        monitoring = sys.monitoring  # type: ignore[attr-defined]
        for tool in TOOL_IDS:
            if monitoring.get_tool(tool) is None:
                break
        else:
            AdvancedProfiler._depth = 0
            raise _core.UnavailableError("other profilers hold every place of sys.monitoring; stop one of them first")
        AdvancedProfiler._tool = tool
        monitoring.use_tool_id(tool, "taffrail")
        event = monitoring.events
        callbacks = {_core._profile_start: ("PY_START", "PY_RESUME", "PY_THROW"), _core._profile_return: ("PY_RETURN", "PY_YIELD", "PY_UNWIND"),
                     _core._profile_c_call: ("CALL",), _core._profile_c_return: ("C_RETURN", "C_RAISE")}
        wanted = 0
        for callback, names in callbacks.items():
            for name in names:
                monitoring.register_callback(tool, getattr(event, name), callback)
                wanted |= getattr(event, name) if not name.startswith("C_") else 0
        monitoring.set_events(tool, wanted)

    def stop(self) -> None:
        cls = AdvancedProfiler
        if cls._depth != 1:
            cls._depth = max(cls._depth - 1, 0)
            return
        _core._profile_switch(False)  # first: nothing of what follows is measured
        with cls._lock:
            cls._depth = 0
            if hasattr(sys, "monitoring"):
                sys.monitoring.set_events(cls._tool, 0)
                sys.monitoring.free_tool_id(cls._tool)
            else:
                _core._profile_hook_thread(False)
                threading.setprofile(None)  # type: ignore[arg-type]

    def __enter__(self) -> AdvancedProfiler:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    start_action = staticmethod(_core._profile_start_action)  #: on this thread, until stop_action() of that name
    stop_action = staticmethod(_core._profile_stop_action)

    def action(self, name: str) -> _Action:
        """For a with statement: what runs inside is also counted by itself, `summary(action=name)`. Actions may stand in each other."""
        return _Action(name)

    def actions(self) -> list[str]:
        """Those in which any function ran."""
        return list(dict.fromkeys(name for _, actions, _ in _core._profile_collect() for name in actions.split(BETWEEN) if name))

    def stats(self, thread: int | None = None, action: str | None = None) -> dict[Label, tuple[int, int, float, float, dict[Label, tuple[int, int, float, float]]]]:
        """As pstats keeps them: (primitive calls, calls, self, total, callers) of each function, callers with (calls, primitive calls, self, total);
        of one thread, or of all together; of one action and those inside it, or of everything."""
        merged: dict[Label, list[Any]] = {}
        own = os.path.abspath(__file__)
        for number, actions, functions in _core._profile_collect():
            if (thread is not None and number != thread) or (action is not None and action not in actions.split(BETWEEN)):
                continue
            for key, numbers, callers in functions:
                label = label_of(key)
                if label[0] == own or label[2] in OWN_WORDS:
                    continue
                entry = merged.setdefault(label, [0, 0, 0.0, 0.0, {}])
                _add(entry, numbers)
                for caller, part in callers:
                    named = label_of(caller)
                    if named[0] != own:
                        _add(entry[4].setdefault(named, [0, 0, 0.0, 0.0]), (part[1], part[0], *part[2:]))  # in pstats' order
        return {label: (*entry[:4], {caller: tuple(part) for caller, part in entry[4].items()}) for label, entry in merged.items()}  # type: ignore[misc]

    def threads(self) -> list[int]:
        """The numbers of the threads that ran anything."""
        return list(dict.fromkeys(number for number, _, _ in _core._profile_collect()))

    def dump_stats(self, path: str | os.PathLike[str], action: str | None = None) -> None:
        """A .prof file: pstats, snakeviz and `taffrail profile` read it."""
        with open(path, "wb") as file:
            marshal.dump({label: (*entry[:4], entry[4]) for label, entry in self.stats(action=action).items()}, file)

    def print_stats(self, sort: str = "cumulative", limit: int | None = None) -> None:
        print(self.summary(sort, limit))

    def summary(self, sort: str = "cumulative", limit: int | None = 20, action: str | None = None) -> str:
        """The table of pstats."""
        import io
        import pstats

        class Made:
            def __init__(self, stats: Any) -> None:
                self.stats = stats

            def create_stats(self) -> None:
                pass

        out, stats = io.StringIO(), self.stats(action=action)
        if not stats:  # pstats refuses an empty table
            return "no function ran\n"
        table = pstats.Stats(Made(stats), stream=out)
        table.strip_dirs().sort_stats(sort).print_stats(*([] if limit is None else [limit]))
        return out.getvalue()


class _Action:
    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        _core._profile_start_action(self._name)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _core._profile_stop_action(self._name)


def _add(entry: list[Any], numbers: Any) -> None:
    for place, number in enumerate(numbers):
        entry[place] += number


def _hook_new_thread(*_: object) -> None:
    """The first event of a thread that began after the profiler: from here on the hook itself takes over."""
    _core._profile_hook_thread(True)
