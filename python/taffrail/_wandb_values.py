"""What stands beside the rows of a run, by the words of the W&B client: its configuration, its summary, the axes of its metrics."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from typing import Any

from taffrail import _arrays, reading
from taffrail import _run as _native
from taffrail._wandb_media import PLAIN, loggable

MACHINE = "system/"  # what the machine says of itself, at steps of its own


class Config(_native.Config):
    def _take_up(self, values: Mapping[str, Any]) -> None:
        """What earlier attempts recorded is there, and not recorded once more."""
        self._values.update(_nested(values))

    def update(self, values: object = (), /, allow_val_change: bool | None = None, **more: Any) -> None:
        """Values may change, allowed or not."""
        super().update(values, **more)

    def setdefaults(self, values: object) -> dict[str, Any]:
        """Sets what is not set yet."""
        self.update({name: value for name, value in _arrays.as_dict(values).items() if name not in self})
        return self.as_dict()


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Flat names as the dicts and lists they were made of (_arrays.flatten)."""
    made: dict[str, Any] = {}
    for name, value in values.items():
        place, parts = made, name.split("/")
        for part in parts[:-1]:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                made[name] = value
                break
            place = inner
        else:
            place[parts[-1]] = value
    return {name: _with_lists(value) for name, value in made.items()}


def _with_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    parts = {name: _with_lists(part) for name, part in value.items()}
    return list(parts.values()) if parts and list(parts) == [str(number) for number in range(len(parts))] else parts


class Summary(MutableMapping[str, Any]):
    """The last value of everything logged, and what is set here."""

    def __init__(self, native: _native.Run) -> None:
        self._native, self._values = native, {}  # type: ignore[var-annotated]

    def _take_up(self, past: reading.RecordedRun) -> None:
        self._values.update({info.key: info.last for info in past.keys() if info.last is not None and not info.key.startswith(MACHINE)})
        self._values.update(past.summary)

    def _saw(self, values: Mapping[str, Any]) -> None:
        mine = self._values
        for key, value in values.items():
            if type(value) in PLAIN or isinstance(value, (int, float, str)) or hasattr(value, "item"):
                mine[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._values[key] = value
        for name, part in loggable({key: value}).items():
            self._native.summary[name] = part

    def __delitem__(self, key: str) -> None:
        del self._values[key]
        self._native.summary[key] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._values:
            raise AttributeError(name)
        return self._values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self[name] = value


class Axes:
    """The x axes that define_metric() gave to metrics, and where each stands: a row that lacks the axis of one of its metrics is given its last value."""

    def __init__(self) -> None:
        self._rules: list[tuple[str, str]] = []  # pattern, axis
        self._of: dict[str, str | None] = {}
        self._last: dict[str, Any] = {}

    def define(self, pattern: str, axis: str) -> None:
        self._rules.append((pattern, axis))
        self._of.clear()

    def take_up(self, summary: Mapping[str, Any]) -> None:
        self._last.update({axis: summary[axis] for _, axis in self._rules if axis in summary and axis not in self._last})

    def saw(self, key: str, value: Any) -> None:
        """A number that was logged ahead of its row: a device's."""
        if any(key == axis for _, axis in self._rules):
            self._last[key] = value

    def complete(self, values: dict[str, Any], others: Collection[str] = ()) -> None:
        """`others` are keys of the row that are logged already."""
        if not self._rules:
            return
        for key in [*values, *others]:
            if key not in self._of:
                # A whole name goes before patterns; of several the last one says it.
                fits = [(pattern == key, axis) for pattern, axis in self._rules if pattern == key or ("*" in pattern and fnmatch.fnmatchcase(key, pattern))]
                self._of[key] = ([axis for exact, axis in fits if exact] or [axis for _, axis in fits] or [None])[-1]
            axis = self._of[key]
            if axis and axis not in values and axis not in others and axis in self._last:
                values[axis] = self._last[axis]
        for _, axis in self._rules:
            if axis in values:
                self._last[axis] = values[axis]
