"""Numbers that a device still works on: a loss on a GPU. Reading one would hold the program until the device has done all that it was told. Instead it is
copied behind that work, and logged, in the order of the calls, by the first call of the run that finds it arrived."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections import deque
from collections.abc import Mapping
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from taffrail._core import Row
    from taffrail._run import Run

MOST = 1024  # on their way at once; the call that makes one more waits for the oldest


class _OfTorch:
    """Copies on the stream that computes the tensors, of one device, and one event behind them all: it costs as much as a copy."""

    def __init__(self, *tensors: Any) -> None:
        self._hosts = [tensor.detach().to("cpu", non_blocking=True) for tensor in tensors]  # memory that the device writes to by itself
        device_module = _module_of(tensors[0])
        self._event = device_module.Event()
        self._event.record(device_module.current_stream(tensors[0].device))
        self._is_there = False

    def arrived(self) -> bool:
        self._is_there = bool(self._event.query())
        return self._is_there

    def numbers(self) -> list[float]:
        if not self._is_there:
            self._event.synchronize()
        return [float(host.item()) for host in self._hosts]


class _OfCupy:
    """The same in the words of CuPy. Its get() is no way: into memory that is not pinned a copy waits for the device, whatever it is told."""

    def __init__(self, array: Any) -> None:
        import numpy

        cuda, size = sys.modules["cupy"].cuda, array.dtype.itemsize
        self._array = array  # its memory must not be given to another stream before the copy is done
        with array.device:
            stream, pinned = cuda.get_current_stream(), cuda.alloc_pinned_memory(size)
            array.data.copy_to_host_async(pinned.ptr, size, stream)
            self._event = cuda.Event(disable_timing=True)
            self._event.record(stream)
        self._host = numpy.ndarray((), array.dtype, buffer=pinned)

    def arrived(self) -> bool:
        return bool(self._event.done)

    def numbers(self) -> list[float]:
        self._event.synchronize()
        return [float(self._host.item())]


class _OfJax:
    def __init__(self, array: Any) -> None:
        # A copy of our own, since the next step of a training may be given the buffer of this one (donate_argnums); of one device's part, since a copy
        # of a whole array that lies on several would be a computation of all of them.
        self._array = array.addressable_data(0).copy()
        self._array.copy_to_host_async()

    def arrived(self) -> bool:
        return bool(self._array.is_ready())

    def numbers(self) -> list[float]:
        return [float(self._array.item())]


class _OfRow:
    """The values of a bound row: numbers, and copies of those that a device works on, with their places."""

    def __init__(self, row: Row, numbers: list[float], copies: list[tuple[tuple[int, ...], Any]]) -> None:
        self._row, self._numbers, self._copies = row, numbers, copies

    def arrived(self) -> bool:
        return all(copy.arrived() for _, copy in self._copies)

    def numbers(self) -> list[float]:
        for places, copy in self._copies:
            for place, number in zip(places, copy.numbers(), strict=True):
                self._numbers[place] = number
        return self._numbers

    def log(self, numbers: list[float], step: int | None) -> None:
        self._row.log(step, *numbers)


def _is_cupy(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "cupy"


def _module_of(value: Any) -> Any:
    """The part of torch that knows the streams of a tensor's device; None for a tensor that is read at once."""
    kind = getattr(getattr(value, "device", None), "type", "cpu")
    if kind in ("cpu", "meta") or value.is_complex():
        return None
    module = getattr(sys.modules.get("torch"), kind, None)
    return module if hasattr(module, "Event") and hasattr(module, "current_stream") else None


def is_far(value: Any) -> bool:
    """Whether a value of one element lies on a device that can be asked to bring it."""
    if _is_cupy(value):
        return getattr(value.dtype, "kind", "") in "biuf"
    return _module_of(value) is not None if hasattr(value, "detach") else hasattr(value, "copy_to_host_async") and hasattr(value, "is_ready")


def _copy_of(value: Any) -> _OfTorch | _OfCupy | _OfJax:
    return _OfCupy(value) if _is_cupy(value) else _OfTorch(value) if hasattr(value, "detach") else _OfJax(value)


def _copies_of(pairs: list[tuple[Any, Any]]) -> list[tuple[tuple[Any, ...], Any]]:
    """Of values that were logged at once, each with its key or place: tensors of one device come together."""
    if len(pairs) == 1 or not all(hasattr(value, "detach") for _, value in pairs):
        return [((name,), _copy_of(value)) for name, value in pairs]
    together = [tuple(zip(*some, strict=True)) for _, some in groupby(pairs, lambda pair: pair[1].device)]
    return [(names, _OfTorch(*values)) for names, values in together]


def _plain(value: Any) -> float:
    try:
        return math.copysign(value, value)  # float() would take texts too
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class Arriving:
    """What of a run is on its way, the oldest first. Of one process: a forked child has no device."""

    def __init__(self) -> None:
        self._process, self._lock = os.getpid(), threading.RLock()
        self._queue: deque[tuple[tuple[str, ...], int | None, Any]] = deque()  # keys, step, what is on its way
        self._is_logging = False  # by the thread that holds the lock

    def __len__(self) -> int:
        return len(self._queue)

    def bring(self, run: Run, pairs: list[tuple[str, Any]], step: int | None) -> None:
        for keys, copy in _copies_of(pairs):
            self._add(run, keys, step, copy)

    def bring_row(self, run: Run, row: Row, values: tuple[Any, ...], step: int | None) -> None:
        """A row comes as a whole, when the last of its values does."""
        far = {place for place, value in enumerate(values) if not isinstance(value, (int, float)) and run._comes_by_itself(value)}
        numbers = [math.nan if place in far else _plain(value) for place, value in enumerate(values)]
        self._add(run, row.keys, step, _OfRow(row, numbers, _copies_of([(place, values[place]) for place in sorted(far)])))

    def _add(self, run: Run, keys: tuple[str, ...], step: int | None, copy: Any) -> None:
        with self._lock:
            self._queue.append((keys, None if step is None else int(step), copy))  # a counter that is a tensor may change in place
            run._set_arriving(True)
            self._log(run, len(self._queue) - MOST)

    def settle(self, run: Run, values: object, value: object = None) -> None:
        """Logs what has arrived. Of keys that are now logged with a value that is here already (`values` is a dict, or a key with its value),
        and with None of all keys, everything is waited for."""
        if self._process != os.getpid():
            run._set_arriving(False)  # what is on its way stays where it is: letting go of it would ask the device, which a forked child has not
            return
        with self._lock:
            if self._is_logging and values is not None:
                return  # this very thread logs what has arrived
            at_least = len(self._queue)
            if values is not None:
                given = values if isinstance(values, Mapping) else {values: value} if isinstance(values, str) else {}
                here = {key for key in {key for keys, _, _ in self._queue for key in keys} if key in given and not run._comes_by_itself(given[key])}
                at_least = max((number for number, (keys, _, _) in enumerate(self._queue, 1) if not here.isdisjoint(keys)), default=0)
            self._log(run, at_least)

    def _log(self, run: Run, at_least: int) -> None:
        before, self._is_logging = self._is_logging, True
        lost, reason = 0, ""
        try:
            while self._queue:
                keys, step, copy = self._queue[0]
                numbers = None
                try:
                    if at_least <= 0 and not copy.arrived():
                        break
                    numbers = copy.numbers()
                except Exception as error:  # noqa: BLE001: the device has failed, or this value
                    reason = reason or f"'{keys[0]}'{'' if step is None else f' at step {step}'}: {error}"
                at_least -= 1
                if not self._queue or self._queue[0][2] is not copy:
                    continue  # the handler of a signal that came while this one waited has logged it
                self._queue.popleft()  # not before: Ctrl-C may come while it waits
                if numbers is None:
                    lost += len(keys)
                elif isinstance(copy, _OfRow):
                    copy.log(numbers, step)
                else:
                    run.log(dict(zip(keys, numbers, strict=True)), step)
        finally:
            self._is_logging = before
            run._set_arriving(bool(self._queue))
            if lost:
                run.alert("values are lost", f"{lost} values of a device did not arrive, the first is {reason}", "error")
