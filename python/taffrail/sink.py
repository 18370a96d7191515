"""Back ends of your own: derive from Sink, hand an object of it to run.add_sink()."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Record(NamedTuple):
    """One logged value with everything known about it. `value` is a number for scalars, a text, or a dict with the words of the kind."""

    key: str
    kind: str
    phase: str
    step: int
    time_ns: int
    epoch: float | None
    samples: int | None
    rank: int
    attempt: int
    writer: int
    seq: int
    route: int
    value: Any


class SinkContext(NamedTuple):
    """What a sink is told about the run when it opens. What is said later comes as records of the kinds hparams, tag, note,
    metric_definition and summary."""

    run_id: str
    run_name: str
    project: str
    group: str
    job_type: str
    tags: list[str]
    notes: str
    config: dict[str, Any]
    summary: dict[str, Any]
    run_folder: str
    start_time_ns: int
    attempt: int
    resume_step: int | None
    rank: int
    world_size: int


class Sink:
    """One back end. A thread of the sink's own calls open, then write and flush, then close; it never holds up the training.

    An exception of write() means that the records come again. One with an attribute `delivered` says how many of them did arrive.
    """

    def open(self, context: SinkContext) -> None:
        """Before the first write of a process."""

    def write(self, records: Sequence[Record]) -> None:
        """Takes the records in order."""
        raise NotImplementedError

    def flush(self) -> None:
        """Makes everything written so far visible."""

    def give_reason(self, reason: str) -> None:
        """Why the run ends as it does; comes before close(), where there is something to say."""

    def close(self, state: str) -> None:
        """The run ends: 'finished', 'failed', 'crashed' or 'aborted'."""

    def accepts(self, kind: str) -> bool:
        """False for kinds that are not to be handed over."""
        return kind == "scalar"

    def _open(self, context: dict[str, Any]) -> None:
        self.open(SinkContext(**context))

    def _write(self, records: list[tuple[Any, ...]]) -> None:
        self.write([Record(*record) for record in records])
