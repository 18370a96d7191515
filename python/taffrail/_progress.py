"""Progress bars for any loop: `for batch in taffrail.progress(batches, "load"):`. They share the screen with those of native code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from taffrail import _core

_Item = TypeVar("_Item")


class ProgressRange(Generic[_Item]):
    """What progress() gives: walks the items and advances its `bar`."""

    def __init__(self, items: Iterable[_Item], bar: _core.Progress) -> None:
        self._items, self.bar = items, bar

    def __iter__(self) -> Iterator[_Item]:
        advance = self.bar.advance
        try:
            for item in self._items:
                yield item
                advance()
        finally:
            self.bar.close()


def progress(items: Any, description: str = "", *, total: int | None = None, initial: int = 0, refresh_rate: int = 1, leave: bool = True,
             unit: str = "it") -> ProgressRange[Any]:
    """Walks `items`, or counts to a number, behind a bar. Where standard output is no terminal a line appears per 10 %."""
    if isinstance(items, int):
        items = range(items)
    if total is None and hasattr(items, "__len__"):
        total = len(items)
    return ProgressRange(items, _core.Progress(description, total, initial=initial, refresh_rate=refresh_rate, leave=leave, unit=unit))
