"""Taffrail records what a training run does and shows it.

    import taffrail

    run = taffrail.init(project="digits", name="vae-1", config={"lr": 3e-4})
    for step in range(1000):
        run.log({"train/loss": loss, "train/acc": accuracy}, step=step)
    run.finish()

`taffrail ui` in the same folder opens the dashboard. Nothing starts, and no file is touched, before the first run.
"""

from taffrail._core import (
    AlreadyExistsError,
    Blob,
    ClosedError,
    CorruptError,
    Error,
    InternalError,
    InvalidArgumentError,
    IoError,
    NoSpaceError,
    NotFoundError,
    PauseDrawing,
    PermissionDeniedError,
    Profiler,
    Progress,
    Row,
    Scalar,
    Schedule,
    TimeoutError,
    UnavailableError,
    UnsupportedError,
    Zone,
    ZoneSpan,
    enable_zones,
    mark_step,
    print_above,
    print_zones_at_exit,
    registered_profilers,
    registered_routines,
    registered_sinks,
    reset_zones,
    schedule,
    start_zone_trace,
    stop_zone_trace,
    zone,
    zone_rows,
    zone_table_text,
    zone_tree,
    zone_tree_text,
    zone_value,
)
from taffrail._core import version as __version__
from taffrail._run import Run, active_run, finish, init, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from taffrail import config as config, media as media, notebook as notebook, reading as reading, sink as sink
    from taffrail import tensorboard as tensorboard, torch as torch, wandb as wandb
    from taffrail._debug import breakpoint, guard
    from taffrail._progress import ProgressRange, progress
    from taffrail._trace import trace
    from taffrail.config import Composed, compose
    from taffrail.media import Artifact, Audio, Figure, Graph, Histogram, Image, Mesh, PointCloud, Table, Text, Video
    from taffrail.metric import Metric
    from taffrail.pipeline import DataMap, Logger, Routine, RoutineContext, make_loggers, register_routine
    from taffrail.profile import _CallableModule
    from taffrail.reading import Catalogue, Entry, KeyInfo, RecordedRun, RunInfo, Series, read
    from taffrail.sink import Record, Sink, SinkContext
    from taffrail.torch import log_graph, watch
    from taffrail.tracer import Tracer

    profile: _CallableModule

__all__ = [
    "AlreadyExistsError", "Artifact", "Audio", "Blob", "Catalogue", "ClosedError", "Composed", "CorruptError", "DataMap", "Entry", "Error",
    "Figure", "Graph", "Histogram", "Image", "InternalError", "InvalidArgumentError", "IoError", "KeyInfo", "Logger", "Mesh", "Metric",
    "NoSpaceError", "NotFoundError", "PauseDrawing", "PermissionDeniedError", "PointCloud", "Profiler", "Progress", "ProgressRange",
    "Record", "RecordedRun", "Routine", "RoutineContext", "Row", "Run", "RunInfo", "Scalar", "Schedule", "Series", "Sink", "SinkContext",
    "Table", "Text", "TimeoutError", "Tracer", "UnavailableError", "UnsupportedError", "Video", "Zone", "ZoneSpan", "__version__",
    "active_run", "breakpoint", "compose", "enable_zones", "finish", "guard", "init", "log", "log_graph", "make_loggers", "mark_step",
    "print_above", "print_zones_at_exit", "profile", "progress", "read", "register_routine", "registered_profilers", "registered_routines",
    "registered_sinks", "reset_zones", "schedule", "start_zone_trace", "stop_zone_trace", "trace", "watch", "zone", "zone_rows",
    "zone_table_text", "zone_tree", "zone_tree_text", "zone_value",
]

# All that a program which only logs numbers does without, imported when it is first named: `import taffrail` stays cheap. Names of modules are those of
# their files.
_NAMED_IN = {
    "taffrail._debug": ("breakpoint", "guard"),
    "taffrail._progress": ("ProgressRange", "progress"),
    "taffrail._trace": ("trace",),
    "taffrail.config": ("config", "Composed", "compose"),
    "taffrail.media": ("media", "Artifact", "Audio", "Figure", "Graph", "Histogram", "Image", "Mesh", "PointCloud", "Table", "Text", "Video"),
    "taffrail.metric": ("Metric",),
    "taffrail.notebook": ("notebook",),
    "taffrail.pipeline": ("DataMap", "Logger", "Routine", "RoutineContext", "make_loggers", "register_routine"),
    "taffrail.profile": ("profile",),
    "taffrail.reading": ("reading", "Catalogue", "Entry", "KeyInfo", "RecordedRun", "RunInfo", "Series", "read"),
    "taffrail.sink": ("sink", "Record", "Sink", "SinkContext"),
    "taffrail.tensorboard": ("tensorboard",),
    "taffrail.torch": ("torch", "log_graph", "watch"),
    "taffrail.tracer": ("Tracer",),
    "taffrail.wandb": ("wandb",),
}
_LATE = {name: module for module, names in _NAMED_IN.items() for name in names}
_BY_NAME = ("accelerate", "keras", "lightning", "transformers")  # modules that import a framework


if not TYPE_CHECKING:  # which would take any name for one of the package

    def __getattr__(name: str) -> object:
        if name in _LATE:
            import importlib

            module = importlib.import_module(_LATE[name])
            found = module if _LATE[name] == f"taffrail.{name}" else getattr(module, name)
            globals()[name] = found
            return found
        if name in _BY_NAME:
            raise AttributeError(f"taffrail.{name} needs a package of its own and is imported by name: import taffrail.{name}")
        import difflib

        near = difflib.get_close_matches(name, {*__all__, *_LATE}, 1)
        raise AttributeError(f"module 'taffrail' has no attribute '{name}'" + (f"; the nearest word is '{near[0]}'" if near else ""))


def __dir__() -> list[str]:
    return sorted(__all__)
