"""Metrics that aggregate correctly over batches and ranks: named states with a reduction each, an update that changes them and a computation
that reads them.

    class Accuracy(taffrail.Metric):
        def __init__(self):
            super().__init__()
            self.add_state("correct", 0.0, dist_reduce_fx="sum")
            self.add_state("total", 0.0, dist_reduce_fx="sum")

        def update(self, said, right):
            self.correct += sum(a == b for a, b in zip(said, right))
            self.total += len(right)

        def compute(self):
            return self.correct / self.total

    accuracy = Accuracy()
    run.log({"train/acc_step": accuracy(said, right)}, step=step)   # of this batch alone, and added to everything before
    run.log({"train/acc": accuracy.compute()}, step=step)           # of everything since reset(), over all ranks
"""

from __future__ import annotations

import copy
import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

__all__ = ["Metric"]

REDUCTIONS = ("sum", "mean", "min", "max", "cat")
Gather = Callable[[dict[str, Any]], Sequence[dict[str, Any]]]


def _extreme(name: str, parts: Sequence[Any]) -> Any:
    """The least or the most of numbers, or of arrays element by element."""
    if not hasattr(parts[0], "shape"):
        return min(parts) if name == "min" else max(parts)
    word = "minimum" if name == "min" else "maximum"
    joined = getattr(sys.modules[type(parts[0]).__module__.split(".")[0]], word)
    return functools.reduce(joined, parts)


def _reduced(reduce: Any, parts: Sequence[Any]) -> Any:
    if reduce == "sum":
        return functools.reduce(lambda left, right: left + right, parts)
    if reduce == "mean":
        return functools.reduce(lambda left, right: left + right, parts) / len(parts)
    if reduce in ("min", "max"):
        return _extreme(reduce, parts)
    if reduce == "cat":
        return [value for part in parts for value in part]
    if reduce is None:
        return [value for part in parts for value in part] if isinstance(parts[0], list) else list(parts)
    return reduce(list(parts))


def _gather_with_torch() -> Gather | None:
    """The ranks of torch.distributed, where the program has begun it."""
    torch = sys.modules.get("torch")
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized() or distributed.get_world_size() < 2:
        return None

    def gather(states: dict[str, Any]) -> list[dict[str, Any]]:
        everywhere: list[Any] = [None] * distributed.get_world_size()
        distributed.all_gather_object(everywhere, states)
        return everywhere

    return gather


class Metric:
    """Base of metrics. A class of yours declares states, changes them in update() and reads them in compute(). Belongs to the loop that feeds it.

    `dist_sync_on_step`: a call gives the batch value over all ranks, not this rank's. `sync_on_compute`: compute() gives the value over all ranks.
    `gather` hands the states of this rank to all others and gives those of every rank in order; without it torch.distributed is taken where it runs.
    """

    full_state_update = False  #: a call updates twice instead of merging: for updates that read the state they change

    def __init__(self, *, dist_sync_on_step: bool = False, sync_on_compute: bool = True, gather: Gather | None = None) -> None:
        self.dist_sync_on_step, self.sync_on_compute, self.gather = dist_sync_on_step, sync_on_compute, gather
        self._initial: dict[str, Any] = {}
        self._reductions: dict[str, Any] = {}
        self._local: dict[str, Any] | None = None  # kept while synced
        self._updates = 0
        self._inside = False  # update() or compute() of this class runs: what it calls of its parent is part of it
        self._computed: list[Any] = []  # empty until compute(), and after each update
        self.batch_value: Any = None  #: what the last call gave

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "update" in vars(cls):
            cls.update = _counted(vars(cls)["update"])  # type: ignore[method-assign]
        if "compute" in vars(cls):
            cls.compute = _cached(vars(cls)["compute"])  # type: ignore[method-assign]

    if TYPE_CHECKING:

        # States are attributes that add_state() makes.
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def add_state(self, name: str, default: Any, dist_reduce_fx: str | Callable[[list[Any]], Any] | None = None) -> None:
        """Declares a state: a number, an array, or an empty list. `dist_reduce_fx` says how those of several ranks, or of a batch and everything
        before it, become one: 'sum', 'mean', 'min', 'max', 'cat' (lists, one after the other), a function of a list, or None: kept side by side."""
        if not name.isidentifier() or name in self._initial or hasattr(type(self), name):
            raise ValueError(f"'{name}' cannot be the name of a state: it must be a name in Python that this metric does not have yet")
        if isinstance(default, list) and default:
            raise ValueError(f"the state '{name}' is a list and must begin empty")
        if dist_reduce_fx is not None and dist_reduce_fx not in REDUCTIONS and not callable(dist_reduce_fx):
            raise ValueError(f"dist_reduce_fx must be one of {', '.join(REDUCTIONS)}, a function or None, not {dist_reduce_fx!r}")
        if (dist_reduce_fx == "cat") != isinstance(default, list) and dist_reduce_fx is not None and not callable(dist_reduce_fx):
            raise ValueError(f"the state '{name}': lists are reduced by 'cat', and nothing else is")
        self._initial[name], self._reductions[name] = copy.deepcopy(default), dist_reduce_fx
        setattr(self, name, copy.deepcopy(default))

    def update(self, *arguments: Any, **more: Any) -> None:
        """Adds one batch to the states."""
        raise NotImplementedError(f"{type(self).__name__} must define update()")

    def compute(self) -> Any:
        """The value of everything since the last reset, over all ranks. Kept until the next update."""
        raise NotImplementedError(f"{type(self).__name__} must define compute()")

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        """Adds a batch, and gives the value of this batch alone."""
        self._must_not_be_synced()
        if self.full_state_update:
            self.update(*arguments, **more)
            before, count = self.states(), self._updates
            self._begin()
            self.update(*arguments, **more)
            self.batch_value = self._value(self.dist_sync_on_step)
            self._set(before)
            self._updates = count
        else:
            before, count = self.states(), self._updates
            self._begin()
            try:
                self.update(*arguments, **more)
            except BaseException:
                self._set(before)
                self._updates = count
                raise
            self.batch_value = self._value(self.dist_sync_on_step)
            self._updates = count + 1
            self._set(self._merged(before, count, self.states(), 1))
        self._computed = []
        return self.batch_value

    def reset(self) -> None:
        """Back to the initial states."""
        self._begin()
        self._local, self.batch_value = None, None

    def sync(self) -> None:
        """Replaces the states by those of all ranks; unsync() brings the local ones back."""
        self._must_not_be_synced()
        gather = self.gather or _gather_with_torch()
        if gather is None:
            return
        everywhere = list(gather(self.states()))
        self._local = self.states()
        self._set({name: _reduced(reduce, [states[name] for states in everywhere]) for name, reduce in self._reductions.items()})

    def unsync(self) -> None:
        """The states of this rank again."""
        if self._local is not None:
            self._set(self._local)
            self._local = None

    def merge_state(self, other: Metric) -> None:
        """Adds the states of another metric of the same class."""
        if type(other) is not type(self):
            raise TypeError(f"a {type(self).__name__} takes the states of another one, not of a {type(other).__name__}")
        if self.full_state_update:
            raise TypeError("the states of a metric with full_state_update cannot be merged: its update reads what it changes")
        self._set(self._merged(self.states(), self._updates, other.states(), other._updates))
        self._updates += other._updates
        self._computed = []

    def states(self) -> dict[str, Any]:
        """The states by name, as a checkpoint keeps them."""
        return {name: list(value) if isinstance(value := getattr(self, name), list) else value for name in self._initial}

    def load_states(self, states: dict[str, Any], updates: int = 1) -> None:
        """Brings back what states() gave."""
        if set(states) != set(self._initial):
            raise ValueError(f"{type(self).__name__} has the states {', '.join(self._initial)}, not {', '.join(states)}")
        self._set(states)
        self._updates, self._computed = updates, []

    @property
    def update_count(self) -> int:
        return self._updates

    @property
    def update_called(self) -> bool:
        return self._updates > 0

    @property
    def synced(self) -> bool:
        return self._local is not None

    def __float__(self) -> float:
        """So that run.log() takes the metric itself."""
        return float(self.compute())

    def _begin(self) -> None:
        self._set({name: copy.deepcopy(value) for name, value in self._initial.items()})
        self._updates, self._computed = 0, []

    def _set(self, states: dict[str, Any]) -> None:
        for name, value in states.items():
            setattr(self, name, value)

    def _merged(self, earlier: dict[str, Any], earlier_count: int, later: dict[str, Any], later_count: int) -> dict[str, Any]:
        """What two sides come to that saw so many updates each."""
        if earlier_count == 0:
            return later
        merged = {}
        for name, reduce in self._reductions.items():
            if reduce == "mean":
                merged[name] = (earlier[name] * earlier_count + later[name] * later_count) / (earlier_count + later_count)
            else:
                merged[name] = _reduced(reduce, [earlier[name], later[name]])
        return merged

    def _value(self, over_all_ranks: bool) -> Any:
        """compute() of the states as they are, as the class wrote it."""
        computed = type(self).compute
        plain: Callable[[Metric], Any] = getattr(computed, "__wrapped__", computed)
        if over_all_ranks:
            self.sync()
        self._inside = True
        try:
            return plain(self)
        finally:
            self._inside = False
            if over_all_ranks:
                self.unsync()

    def _must_not_be_synced(self) -> None:
        if self._local is not None:
            raise RuntimeError("the metric holds the states of all ranks; call unsync() first")


def _counted(update: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(update)
    def counted(self: Metric, *arguments: Any, **more: Any) -> None:
        if self._inside:
            update(self, *arguments, **more)
            return
        self._must_not_be_synced()
        self._computed, self._inside = [], True
        try:
            update(self, *arguments, **more)
        finally:
            self._inside = False
        self._updates += 1

    return counted


def _cached(compute: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(compute)
    def cached(self: Metric) -> Any:
        if self._inside:
            return compute(self)
        if not self._computed:
            if self._updates == 0:
                warnings.warn(f"{type(self).__name__}.compute() is called before any update; its value is that of the initial states", stacklevel=2)
            self._computed = [self._value(self.sync_on_compute and self._local is None)]
        return self._computed[0]

    return cached
