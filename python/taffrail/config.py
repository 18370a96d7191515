"""Configurations: YAML files composed of groups, with overrides, as the C++ programs take them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from taffrail import _core


class _Composed(NamedTuple):
    config: dict[str, Any]
    choices: dict[str, str]


class Composed(_Composed):
    """`config` is plain dicts, lists and values; `choices` says which option of each group was taken."""

    native: Any = None  # what make_loggers() takes


def compose(primary: str = "config", overrides: Iterable[str] = (), search_path: Iterable[str] = ("configs",), base: str = "") -> Composed:
    """Reads the file `primary` (a name without .yaml, or a path), follows its `defaults:`, applies `group=option`, `a.b=1`, `+a=1`
    and `~a` in order, and resolves `${…}`. Mistakes are told with their place."""
    config, choices, native = _core.compose(primary, list(overrides), list(search_path), base)
    composed = Composed(config, choices)
    composed.native = native
    return composed
