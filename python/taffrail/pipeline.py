"""Loggers: an ordered list of routines and one interface, as in C++. Routines and loggers of your own derive from Routine and Logger.

    class Best(taffrail.Routine):
        key = "best"

        def log_iter(self, data, context):
            for name in context.tracked:
                self.best = max(self.best, data.values[name])

        def log_epoch(self, epoch, phase, context):
            context.log({f"best/{phase}": self.best}, step=epoch)

    logger = taffrail.Logger(run, routines=["metric", Best], tracked_variables={"metric": ["loss"], "best": ["acc"]}, interface="tensorboard")
    logger.log_iter({"loss": 0.5, "acc": 0.9}, phase="train")
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

from taffrail import _arrays, _core
from taffrail._run import Run
from taffrail.config import Composed

__all__ = ["DataMap", "Logger", "Routine", "RoutineContext", "make_loggers", "register_routine"]


class DataMap(NamedTuple):
    """What a training step handed to log_iter(): the values as they were given, and where the training stands."""

    values: Mapping[str, Any]
    phase: str
    epoch: int
    max_epochs: int
    batch_size: int
    batch_current: int
    batch_total: int
    total_iters: int


class RoutineContext:
    """Where a routine sends what it makes: the run, and the interface of its Logger. Of use during the call it is given to."""

    def __init__(self, context: Any, run: Run | None) -> None:
        self._context, self._run = context, run

    @property
    def run(self) -> Run:
        """The run itself: what is logged here goes to every sink, whether or not the iteration is due."""
        if self._run is None:
            raise _core.ClosedError("the run of this logger is over")
        return self._run

    @property
    def tracked(self) -> list[str]:
        """The names this routine was asked to track."""
        tracked: list[str] = self._context.tracked
        return tracked

    def log(self, values: Mapping[str, float], step: int) -> None:
        """Numbers, on the route of the Logger."""
        self._context._log([(str(key), float(value)) for key, value in values.items()], step)

    def log_value(self, key: str, value: object, step: int) -> None:
        """A text, or what taffrail.Image, Histogram, Audio, Video, Mesh, Table or Graph hold, on the route of the Logger."""
        self._context._log_datum(key, _arrays.datum(value), step)


class Routine:
    """One kind of logging. Called on the thread that calls the Logger. An exception is reported once; the other routines still run.

    `key` names it in configurations; without one it is the name of the class. Options are the parameters of `__init__`; those that come
    from a configuration are texts, and become numbers and truth values where they look like one.
    """

    key: ClassVar[str] = ""

    def log_iter(self, data: DataMap, context: RoutineContext) -> None:
        """Takes what it tracks from `data`."""

    def log_epoch(self, epoch: int, phase: str, context: RoutineContext) -> None:
        """Logs the statistics gathered since the last call and forgets them."""

    def end_log(self, context: RoutineContext) -> None:
        """The logger ends."""

    @classmethod
    def _make(cls, options: Mapping[str, str]) -> Routine:
        return cls(**{name: _typed(text) for name, text in options.items()})

    def _log_iter(self, values: Mapping[str, Any], phase: str, epoch: int, max_epochs: int, batch_size: int, batch_current: int, batch_total: int,
                  total_iters: int, context: tuple[Any, Run | None]) -> None:
        self.log_iter(DataMap(values, phase, epoch, max_epochs, batch_size, batch_current, batch_total, total_iters), RoutineContext(*context))

    def _log_epoch(self, epoch: int, phase: str, context: tuple[Any, Run | None]) -> None:
        self.log_epoch(epoch, phase, RoutineContext(*context))

    def _end_log(self, context: tuple[Any, Run | None]) -> None:
        self.end_log(RoutineContext(*context))


def _typed(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def register_routine(routine: type[Routine]) -> type[Routine]:
    """Adds a class under its key, for configurations and Logger(routines=[key]); a later one of the same key replaces it. May stand above a class."""
    if not (isinstance(routine, type) and issubclass(routine, Routine)):
        raise TypeError(f"a class that derives from taffrail.Routine is wanted, not {routine!r}")
    if "key" not in vars(routine) or not routine.key:
        routine.key = routine.__name__
    options = [] if routine.__init__ is object.__init__ else [name for name in inspect.signature(routine.__init__).parameters if name != "self"]
    summary = (inspect.getdoc(routine) or "").split("\n")[0] if routine.__doc__ else ""
    _core._register_routine(routine, routine.key, routine.__name__, summary, options)
    return routine


class Logger(_core._Logger):
    """Routines × an interface. `routines` are keys of registered ones, or classes that derive from Routine; `interface` is a sink by name, or none:
    then the run alone keeps what is logged. Calls come from one thread; none of them stops the training.

    log_every_n_iter thins what the interface gets of train iterations; the run keeps every call.
    """

    def __init__(self, run: Run, *, name: str = "default", interface: str = "", interface_options: Mapping[str, Any] | None = None,
                 routines: Iterable[str | type[Routine]] = ("metric",), tracked_variables: Mapping[str, Iterable[str]] | None = None,
                 routine_options: Mapping[str, Mapping[str, Any]] | None = None, log_every_n_iter: int = 1, log_every_n_epochs: int = 1,
                 print_every_n_seconds: float = 0, print_epochs: bool = True, gpu_summarize: bool = True, version: str = "") -> None:
        keys = [routine if isinstance(routine, str) else register_routine(routine).key for routine in routines]
        super().__init__(run, {
            "name": name, "interface": interface, "interface_options": dict(interface_options or {}), "routines": keys,
            "tracked_variables": {routine: list(names) for routine, names in (tracked_variables or {}).items()},
            "routine_options": {routine: dict(options) for routine, options in (routine_options or {}).items()}, "log_every_n_iter": log_every_n_iter,
            "log_every_n_epochs": log_every_n_epochs, "print_every_n_seconds": print_every_n_seconds, "print_epochs": print_epochs,
            "gpu_summarize": gpu_summarize, "version": version})

    def log_iter(self, data: Mapping[str, Any], *, phase: str = "train", epoch: int = 0, max_epochs: int = 0, batch_size: int = 0, batch_current: int = 0,
                 batch_total: int = 0, total_iters: int = 0) -> None:
        """Hands `data` to each routine in turn; the interface sees it when this iteration is due. `phase` is 'train', 'validate', 'test' or 'predict'."""
        self._log_iter(data, [(str(name), _arrays.datum(value)) for name, value in data.items() if value is not None], phase, epoch, max_epochs, batch_size,
                       batch_current, batch_total, total_iters)

    def log_epoch(self, epoch: int | None = None, phase: str = "train") -> None:
        """The statistics gathered since the last call. Without `epoch`, of what log_iter() saw last."""
        self._log_epoch(epoch, phase)

    def log_hparams(self, hparams: object) -> None:
        """Hyperparameters for the routine `hparams`; nothing happens without it."""
        self._log_hparams(_arrays.flatten(_arrays.as_dict(hparams)))

    def end_log(self, state: str = "finished", why: str = "") -> None:
        """Ends gracefully. A state that is worse than 'finished' becomes the run's, with the reason."""
        self._end_log(state, why)


def make_loggers(run: Run, composed: Composed) -> list[Logger]:
    """Every logger of the block `logger:` of a composed configuration. Routines of your own must be registered before."""
    if composed.native is None:
        raise TypeError("loggers are made of what taffrail.compose() gave")
    return [Logger(run, **options) for options in _core._logger_options(composed.native)]
