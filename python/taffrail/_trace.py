"""`taffrail.trace`: some steps of a PyTorch program recorded by PyTorch's own profiler, as trace files of the run.

    with taffrail.trace(run=run) as tracer:        # the third to the fifth step
        for batch in loader:
            train(batch)
            tracer.step()
    print(tracer.summary())

`taffrail profile analyze FILE` says where the time of a step went and what helps; the page Profile of `taffrail ui` shows it.
"""

from __future__ import annotations

import os
import re
import socket
import time
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taffrail._run import Run

# The first PyTorch with the profiler that writes such traces.
OLDEST_TORCH = (1, 8, 1)
NO_KINETO = ("no trace: this PyTorch ({version}) was built without Kineto (USE_KINETO=1), which records it; zones are measured all the same: "
             "taffrail.zone_table_text()")


def _torch() -> Any:
    try:
        import torch
        import torch.profiler
    except ImportError as missing:
        raise ImportError("taffrail.trace records what PyTorch does, which is not installed here; zones (taffrail.zone, taffrail.profile) need nothing") from missing
    numbers = tuple(int(number) for number in re.findall(r"\d+", torch.__version__.split("+")[0])[:3])
    if numbers < OLDEST_TORCH:
        raise RuntimeError(f"taffrail.trace needs PyTorch {'.'.join(map(str, OLDEST_TORCH))} or newer; this one is {torch.__version__}")
    return torch


def _safe(name: str) -> str:
    return re.sub(r'[<>:"/\\|?*\[\]\s\x00-\x1f]+', "_", name) or "worker"


class trace:
    """Records some steps of the block: `skip_first` without, then cycles of `wait` steps without, `warmup` steps to get ready and `active` recorded
    ones, `repeat` times (0 = for ever). Each cycle gives a file <worker>.<nanoseconds>.pt.trace.json.gz in `profiles/` of the run, or in `folder`.

    `shapes`, `memory` and `stacks` record the inputs' shapes, what is allocated, and who called; each costs time in every step. step() says that a step
    is over. Where this PyTorch cannot record, one warning says so and the block runs as without."""

    def __init__(self, *, run: Run | None = None, folder: str | os.PathLike[str] = "", skip_first: int = 0, wait: int = 1, warmup: int = 1, active: int = 3,
                 repeat: int = 1, shapes: bool = True, memory: bool = False, stacks: bool = False, worker: str = "", use_gzip: bool = True) -> None:
        from taffrail._run import active_run

        for name, value, least in (("skip_first", skip_first, 0), ("wait", wait, 0), ("warmup", warmup, 0), ("active", active, 1), ("repeat", repeat, 0)):
            if value < least:
                raise ValueError(f"taffrail.trace cannot have {name}={value}; give {least} or more steps")
        run = run if run is not None else active_run()
        self._folder = os.fspath(folder) or (os.path.join(run.folder, "profiles") if run is not None and run.folder else "")
        if not self._folder and run is None:
            raise ValueError("taffrail.trace has no place for its files: open a run before it, or give folder=")
        torch = _torch()
        self._worker, self._end = worker, ".pt.trace.json" + (".gz" if use_gzip else "")
        self._steps, self._first = 0, skip_first + wait + warmup
        self.files: list[str] = []
        self._profiler: Any = None
        self._missing = ""
        if not torch.profiler.kineto_available():
            self._missing = NO_KINETO.format(version=torch.__version__)
            warnings.warn(self._missing, stacklevel=2)
        elif self._folder:
            activities = torch.profiler.supported_activities()
            if torch.profiler.ProfilerActivity.CUDA not in activities or not torch.cuda.is_available():
                self._missing = "no GPU trace: this PyTorch finds no GPU; what the processor did is all there is"
            self._profiler = torch.profiler.profile(
                activities=activities, record_shapes=shapes, profile_memory=memory, with_stack=stacks, on_trace_ready=self._keep,
                schedule=torch.profiler.schedule(skip_first=skip_first, wait=wait, warmup=warmup, active=active, repeat=repeat))

    # A file is there whole or not at all: those who look at a growing run see no half one.
    def _keep(self, profiler: Any) -> None:
        os.makedirs(self._folder, exist_ok=True)
        name = f"{_safe(self._worker or f'{socket.gethostname()}_{os.getpid()}')}.{time.time_ns()}{self._end}"
        unfinished = os.path.join(self._folder, f".unfinished-{name}")
        try:
            profiler.export_chrome_trace(unfinished)
            os.replace(unfinished, os.path.join(self._folder, name))
        except OSError as problem:
            warnings.warn(f"the trace is not kept: {problem}", stacklevel=2)
            return
        self.files.append(os.path.join(self._folder, name))

    def __enter__(self) -> trace:
        if self._profiler is not None:
            self._profiler.__enter__()
        return self

    def step(self) -> None:
        """A step is over, the next one begins."""
        self._steps += 1
        if self._profiler is not None:
            self._profiler.step()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, stack: TracebackType | None) -> None:
        if self._profiler is not None:
            self._profiler.__exit__(kind, error, stack)

    def summary(self) -> str:
        """The files, and what is not in them."""
        lines = [f"trace: {path}" for path in self.files]
        if not lines and self._profiler is not None:
            lines.append(f"no trace: the block ended after {self._steps} steps, and the first one that would be recorded is number {self._first + 1}. "
                         "Fewer of skip_first, wait and warmup let it begin earlier")
        return "\n".join(lines + ([self._missing] if self._missing else []))
