"""A tracer for a few steps: zones of Python and of native code, and what torch's profiler saw meanwhile, in one file on one clock.

    with taffrail.Tracer("traces", schedule=taffrail.schedule(wait=1, warmup=1, active=3, repeat=1)) as tracer:
        for batch in loader:
            train(batch)
            tracer.step()

TensorBoard, Perfetto and `taffrail profile` open the files, <host>_<process>.<nanoseconds>.pt.trace.json.gz.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from types import TracebackType
from typing import Any

from taffrail import _core

__all__ = ["Tracer", "merge_traces"]


class Tracer:
    """Records the steps that `schedule` names; step() says that one is over. `torch` takes torch's profiler along: True, False, or None for
    wherever the program has imported torch; `torch_options` are those of torch.profiler.profile (with_stack=True brings functions of Python)."""

    def __init__(self, dirpath: str | os.PathLike[str] = "", *, schedule: _core.Schedule | None = None, torch: bool | None = None,
                 torch_options: dict[str, Any] | None = None, worker: str = "", use_gzip: bool = True, max_bytes: int = 1 << 30) -> None:
        self.schedule = schedule if schedule is not None else _core.schedule(repeat=1)
        self._native = _core.Profiler("trace", dirpath=os.fspath(dirpath), schedule=self.schedule, worker=worker, use_gzip=use_gzip, max_bytes=max_bytes)
        self._dirpath, self._wants_torch, self._torch_options = os.fspath(dirpath), torch, dict(torch_options or {})
        self._torch: Any = None  # torch's profiler while a window is open
        self._number = -1
        self._merged: set[str] = set()

    @property
    def paths(self) -> list[str]:
        """The files written so far."""
        return [line[len("trace: "):] for line in self._native.summary().splitlines() if line.startswith("trace: ")]

    def start(self) -> Tracer:
        """The first step begins."""
        if self._number < 0:
            self._native.setup("", self._dirpath)
            self._go_on()
        return self

    def step(self) -> None:
        """A step is over, the next one begins."""
        if self._number < 0:
            raise _core.ClosedError("a tracer is used in a with statement, or begun by start()")
        self._go_on()

    def stop(self) -> None:
        """The last step is over; a window that is open is written."""
        if self._number >= 0:
            torch_trace = self._end_torch()
            self._native.teardown()
            self._take_in(torch_trace)
            self._number = -1

    def _go_on(self) -> None:
        before = self.schedule(self._number) if self._number >= 0 else "none"
        self._number += 1
        now = self.schedule(self._number)
        records = ("record", "record_and_save")
        torch_trace = self._end_torch() if before == "record_and_save" or now not in records else None
        with _gpu_is_left_to_torch(self._takes_torch()):
            self._native.step(self._number)
        self._take_in(torch_trace)
        if now in records and self._torch is None:
            self._begin_torch()

    def _takes_torch(self) -> bool:
        return "torch" in sys.modules if self._wants_torch is None else self._wants_torch

    def _begin_torch(self) -> None:
        if not self._takes_torch():
            return
        import torch.profiler

        self._torch = torch.profiler.profile(**self._torch_options)
        self._torch.start()

    def _end_torch(self) -> dict[str, Any] | None:
        if self._torch is None:
            return None
        ended, self._torch = self._torch, None
        ended.stop()
        with tempfile.TemporaryDirectory(prefix="taffrail-") as folder:
            path = os.path.join(folder, "torch.json")
            ended.export_chrome_trace(path)
            with open(path) as file:
                trace: dict[str, Any] = json.load(file)
        return trace

    def _take_in(self, torch_trace: dict[str, Any] | None) -> None:
        fresh = [path for path in self.paths if path not in self._merged]
        self._merged.update(fresh)
        if torch_trace is None or not fresh:
            return
        path = fresh[-1]
        opened = gzip.open if path.endswith(".gz") else open
        with opened(path, "rt") as file:  # type: ignore[operator]
            ours = json.load(file, parse_float=Decimal)  # nanoseconds since 1970 do not fit a double
        partial = f"{path}.part"
        with opened(partial, "wt") as file:  # type: ignore[operator]
            json.dump(merge_traces(ours, torch_trace), file, separators=(",", ":"), default=float)
        os.replace(partial, path)

    def __enter__(self) -> Tracer:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()


@contextmanager
def _gpu_is_left_to_torch(left: bool) -> Iterator[None]:
    """CUDA's profiling library serves one at a time: where torch's profiler runs, the kernels are in its part of the trace."""
    if not left:
        yield
        return
    name = "TAFFRAIL_CUPTI_LIBRARY"
    before = os.environ.get(name)
    os.environ[name] = "left to torch"  # no library of that name: the tracer goes without
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def merge_traces(ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """One trace of two: times become microseconds since one base, which `baseTimeNanoseconds` names as torch does. Each stands on a base of its own,
    or on 1970 where it names none; ours are read as Decimal."""
    timed = [event for event in ours["traceEvents"] if "ts" in event and event.get("ph") != "M"]
    base_of_theirs = int(theirs.get("baseTimeNanoseconds", 0))
    first_us = min((int(event["ts"]) for event in timed), default=0)
    base_ns = int(ours.get("baseTimeNanoseconds", 0)) + first_us * 1000 if timed else base_of_theirs
    shift_us = (base_of_theirs - base_ns) / 1000
    for event in timed:
        event["ts"] = float(event["ts"] - first_us)
    for event in theirs.get("traceEvents", []):
        if "ts" in event and event.get("ph") != "M":
            event["ts"] += shift_us
    merged = {name: value for name, value in theirs.items() if name not in ("traceEvents", "traceName")}
    merged.update({name: value for name, value in ours.items() if value != [] or name not in merged})
    merged["baseTimeNanoseconds"] = base_ns
    merged["traceEvents"] = ours["traceEvents"] + theirs.get("traceEvents", [])
    return merged
