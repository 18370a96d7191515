"""`@taffrail.profile`: a function becomes a zone of its own name. The module itself is the decorator. As a program it measures every function of
another one: `python -m taffrail.profile [-o FILE] [-s KEY] (-m MODULE | SCRIPT) …`.

    @taffrail.profile
    def step(batch): ...

    @taffrail.profile(name="data")
    async def fetch(): ...

The table of all zones is printed when the program ends, stands in the run's folder, and is what taffrail.zone_rows() gives.
"""

from __future__ import annotations

import argparse
import functools
import inspect
import os
import sys
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any, TypeVar, overload

from taffrail import _core
from taffrail._functions import SORT_KEYS, AdvancedProfiler

__all__ = ["AdvancedProfiler", "main", "profile"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _measured(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):
        # A coroutine sleeps while others run on its thread: its time is a span beside the tree.
        @functools.wraps(function)
        async def call_later(*arguments: Any, **options: Any) -> Any:
            with _core.ZoneSpan(name):
                return await function(*arguments, **options)

        return call_later
    if inspect.isgeneratorfunction(function):
        @functools.wraps(function)
        def yield_from(*arguments: Any, **options: Any) -> Any:
            with _core.ZoneSpan(name):
                return (yield from function(*arguments, **options))

        return yield_from
    zone = _core.zone(name)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        with zone:
            return function(*arguments, **options)

    return call


@overload
def profile(function: _Function, *, name: str | None = None) -> _Function: ...
@overload
def profile(function: None = None, *, name: str | None = None) -> Callable[[_Function], _Function]: ...
def profile(function: Any = None, *, name: str | None = None) -> Any:
    """Measures every call of a function, under its qualified name or `name`. Coroutines and generators are counted beside the tree, as spans:
    others run on their thread while they wait."""
    if function is None:
        return lambda later: profile(later, name=name)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(_measured(function.__func__, name or function.__func__.__qualname__))
    if not callable(function):
        raise TypeError(f"@taffrail.profile stands above a function, not above a {type(function).__name__}")
    return _measured(function, name or getattr(function, "__qualname__", type(function).__name__))


def main(arguments: list[str] | None = None) -> int:
    """Runs a program with every function measured; the table, or the .prof file, comes however it ends."""
    import runpy

    parser = argparse.ArgumentParser(prog="python -m taffrail.profile", description="Runs a program and measures every function of it, on each thread by itself.",
                                     usage="python -m taffrail.profile [-o FILE] [-s KEY] (-m MODULE | SCRIPT) ...",
                                     epilog="example: python -m taffrail.profile -o train.prof -s tottime train.py --epochs 1")
    parser.add_argument("-o", "--outfile", help="write a .prof file (pstats, snakeviz, taffrail profile) instead of a table")
    parser.add_argument("-s", "--sort", default="cumulative", choices=SORT_KEYS, metavar="KEY", help=f"order of the table: {', '.join(SORT_KEYS)}")
    parser.add_argument("-m", dest="module", action="store_true", help="what follows is a module")
    parser.add_argument("program", help="the script or module")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="its arguments")
    chosen = parser.parse_args(arguments)
    sys.argv = [chosen.program, *chosen.rest]
    if chosen.module and not _is_module(chosen.program):
        parser.error(f"there is no module '{chosen.program}'")
    if not chosen.module:
        if not os.path.exists(chosen.program):
            parser.error(f"there is no file '{chosen.program}'")
        sys.path.insert(0, os.path.dirname(os.path.abspath(chosen.program)))
        code, main_module = _script(chosen.program)
    profiler = AdvancedProfiler()
    try:
        with profiler:
            if chosen.module:
                runpy.run_module(chosen.program, run_name="__main__", alter_sys=True)
            elif code is None:  # a folder or an archive
                runpy.run_path(chosen.program, run_name="__main__")
            else:
                exec(code, main_module.__dict__)  # as the interpreter would: nothing of ours stands in the table
    finally:
        if chosen.outfile:
            profiler.dump_stats(chosen.outfile)
        else:
            profiler.print_stats(chosen.sort)
    return 0


def _is_module(name: str) -> bool:
    import importlib.util

    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _is_archive(path: str) -> bool:
    """An archive with a program in it, also behind a line that names an interpreter, or a program that is compiled."""
    import zipfile

    return path.endswith(".pyc") or zipfile.is_zipfile(path)


def _script(path: str) -> tuple[CodeType | None, ModuleType]:
    """The code of a script and the module that it is while it runs: what it defines can be pickled for other processes."""
    module = ModuleType("__main__")
    if os.path.isdir(path) or _is_archive(path):
        return None, module
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)  # of what this file takes from the future
    module.__file__ = path
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    return code, module


class _CallableModule(ModuleType):
    """The module itself, as the decorator."""

    AdvancedProfiler = AdvancedProfiler

    @overload
    def __call__(self, function: _Function, *, name: str | None = None) -> _Function: ...
    @overload
    def __call__(self, function: None = None, *, name: str | None = None) -> Callable[[_Function], _Function]: ...
    def __call__(self, function: Any = None, *, name: str | None = None) -> Any:
        return profile(function, name=name)


if __name__ == "__main__":
    sys.exit(main())
sys.modules[__name__].__class__ = _CallableModule
