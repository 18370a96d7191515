"""Reading runs: the native store and every foreign format that this build understands.

    past = taffrail.read("taffrail/")
    series = past.run("vae-1").read("train/loss")
    series.value.mean(), series.to_pandas(), polars.from_arrow(series)
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from taffrail import _core


def _nearest(wanted: str, known: list[str]) -> str:
    """What was probably meant, for the end of a message."""
    import difflib

    near = difflib.get_close_matches(wanted, known, 3, 0.5)
    return f"; did you mean {' or '.join(repr(name) for name in near)}?" if near else ""


class Entry(NamedTuple):
    """A value of a key that holds no numbers. Blobs inside `value` load their bytes when asked: `entry.value["images"][0].load()`."""

    step: int
    time_ns: int
    epoch: float | None
    samples: int | None
    attempt: int
    rank: int
    phase: str
    writer: int
    seq: int
    kind: str
    value: Any


class KeyInfo(NamedTuple):
    """A key of a run; min, max, last and mean are those of the finite points of a scalar, None where there is none."""

    key: str
    kind: str
    count: int
    min: float | None = None
    max: float | None = None
    last: float | None = None
    mean: float | None = None
    nan_count: int = 0
    infinity_count: int = 0
    first_step: int = 0
    last_step: int = 0


class RunInfo(NamedTuple):
    """What a list of runs shows."""

    id: str
    name: str
    project: str
    group: str
    job_type: str
    notes: str
    tags: list[str]
    state: str
    start_time_ns: int
    end_time_ns: int
    attempts: int
    world_size: int
    location: str
    source: str
    archived: bool
    deleted: bool
    color: str
    config: dict[str, Any]
    summary: dict[str, Any]
    message: str


class Series:
    """The points of a scalar key, in columns. Arrays share the memory that was read where it is in one piece; Arrow always does."""

    def __init__(self, raw: _core.Series) -> None:
        self._raw = raw

    def __len__(self) -> int:
        return len(self._raw)

    @property
    def key(self) -> str:
        return self._raw.key

    @property
    def columns(self) -> list[str]:
        return self._raw.columns

    @property
    def damage(self) -> list[dict[str, Any]]:
        """What could not be read; empty: the points are all there is."""
        return self._raw.damage

    def column(self, name: str) -> Any:
        """A column as a NumPy array, without NumPy as a memoryview."""
        raw = self._raw.column(name)
        try:
            import numpy
        except ImportError:
            return raw
        return numpy.asarray(raw)

    @property
    def step(self) -> Any:
        return self.column("step")

    @property
    def value(self) -> Any:
        return self.column("value")

    @property
    def time_ns(self) -> Any:
        return self.column("time")

    def to_numpy(self) -> dict[str, Any]:
        """Every column that was read, by name."""
        return {name: self.column(name) for name in self.columns}

    def to_pandas(self) -> Any:
        """A DataFrame; `time` becomes a time, absent epochs and samples become missing values."""
        import pandas

        columns = self.to_numpy()
        if "time" in columns:
            columns["time"] = pandas.to_datetime(columns["time"], utc=True)
        if "samples" in columns:
            samples = pandas.array(columns["samples"], dtype="Int64", copy=True)
            samples[columns["samples"] == -(2**63)] = pandas.NA
            columns["samples"] = samples
        return pandas.DataFrame(columns, copy=False)

    def to_arrow(self) -> Any:
        """A pyarrow table on the memory that was read."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def to_polars(self) -> Any:
        import polars

        return polars.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Arrow's C data interface: pyarrow, Polars, DuckDB and others take the series as it is, without a copy."""
        return self._raw.arrow_stream()

    def __arrow_c_schema__(self) -> object:
        return self._raw.arrow_schema()

    def __repr__(self) -> str:
        return f"<taffrail.Series {self.key!r}: {len(self)} points, {', '.join(self.columns)}>"


class RecordedRun:
    """One run, native or foreign. A run that is still being written grows on refresh()."""

    def __init__(self, raw: _core.RecordedRun) -> None:
        self._raw = raw

    @property
    def info(self) -> RunInfo:
        return RunInfo(**self._raw.info())

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def config(self) -> dict[str, Any]:
        return self.info.config

    @property
    def summary(self) -> dict[str, Any]:
        return self.info.summary

    def keys(self) -> list[KeyInfo]:
        """All keys, sorted by name."""
        return [KeyInfo(**key) for key in self._raw.keys()]

    def read(self, key: str, columns: Iterable[str] = ("step", "value"), *, from_: float | None = None, to: float | None = None,
             attempts: str = "winning", axis: str | None = None, backwards: bool = False) -> Series:
        """A scalar key in columns: step, time, value, epoch, samples, rank, attempt, phase, writer, seq.

        `from_` and `to` bound the points, both included, in units of the axis ('steps', 'wall_time', 'relative_time', 'epoch',
        'samples'); `attempts='all'` keeps what a later attempt superseded.
        """
        if attempts not in ("winning", "all"):
            raise ValueError(f"attempts must be 'winning' or 'all', not '{attempts}'")
        wanted = [columns] if isinstance(columns, str) else list(columns)
        try:
            return Series(self._raw.read(key, wanted, from_, to, attempts == "all", axis, backwards))
        except _core.NotFoundError as error:
            kinds = [info.kind for info in self.keys() if info.key == key]
            if kinds and "scalar" not in kinds:
                raise _core.NotFoundError(f"'{key}' holds no numbers, but {kinds[0]}: entries('{key}') gives them") from None
            raise _core.NotFoundError(f"{error}{_nearest(key, [info.key for info in self.keys()])}") from None

    def __getitem__(self, key: str) -> Series:
        return self.read(key)

    def entries(self, key: str) -> list[Entry]:
        """Every entry of a key that holds no numbers, in log order."""
        try:
            return [Entry(*entry) for entry in self._raw.entries(key)]
        except _core.NotFoundError as error:
            raise _core.NotFoundError(f"{error}{_nearest(key, [info.key for info in self.keys()])}") from None

    def to_pandas(self, keys: Iterable[str] | None = None) -> Any:
        """A DataFrame with a column for each scalar key and a row for each step; of several points at one step the last counts."""
        import pandas

        wanted = [info.key for info in self.keys() if info.kind == "scalar"] if keys is None else list(keys)
        columns = {}
        for key in wanted:
            series = self.read(key)
            values = pandas.Series(series.value, index=pandas.Index(series.step, name="step"))
            columns[key] = values[~values.index.duplicated(keep="last")]
        return pandas.DataFrame(columns).sort_index()

    def console(self, first: int = 0, count: int = 2**31) -> list[dict[str, Any]]:
        """Lines of captured output."""
        return self._raw.console(first, count)

    @property
    def environment(self) -> dict[str, Any]:
        """The snapshot of command, code version and machine."""
        return self._raw.environment()

    @property
    def damage(self) -> list[dict[str, Any]]:
        return self._raw.damage()

    def refresh(self) -> bool:
        """Takes in what was written since; True when anything changed."""
        return self._raw.refresh()

    @property
    def revision(self) -> int:
        return self._raw.revision

    def __repr__(self) -> str:
        info = self.info
        return f"<taffrail.RecordedRun {info.name!r} ({info.state}), {len(self._raw.keys())} keys>"


class Catalogue:
    """A set of runs under one root, newest first."""

    def __init__(self, raw: _core.Catalogue) -> None:
        self._raw = raw

    def runs(self, include_deleted: bool = False) -> list[RunInfo]:
        return [RunInfo(**info) for info in self._raw.runs(include_deleted)]

    def run(self, id: str) -> RecordedRun:
        """By id, unique prefix of an id, name (the newest wins) or path."""
        try:
            return RecordedRun(self._raw.run(id))
        except _core.NotFoundError as error:
            raise _core.NotFoundError(f"{error}{_nearest(id, [info.name for info in self.runs()])}") from None

    def __getitem__(self, id: str) -> RecordedRun:
        return self.run(id)

    def __iter__(self) -> Iterator[RecordedRun]:
        return (self.run(info.id) for info in self.runs())

    def __len__(self) -> int:
        return len(self._raw.runs(False))

    def unreadable(self) -> list[tuple[str, str]]:
        """Runs that are there and cannot be opened: where, and why."""
        return self._raw.unreadable()

    def refresh(self) -> list[str]:
        """Takes in new, changed and vanished runs; the ids that changed."""
        return self._raw.refresh()

    def __repr__(self) -> str:
        return f"<taffrail.Catalogue of {len(self)} runs>"


def read(path: str | os.PathLike[str] = "", **options: Any) -> Catalogue:
    """Opens a folder: a root of runs, one run, or anything a source understands (a TensorBoard logdir, .wandb files, …). Without a path
    it is TAFFRAIL_DIR, else ./taffrail. `options` are those of the source (`taffrail list NAME`)."""
    return Catalogue(_core.read(os.fspath(path) or os.environ.get("TAFFRAIL_DIR") or "taffrail", options))
