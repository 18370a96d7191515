"""The words of the W&B client over the native store: `import taffrail.wandb as wandb` is the one line that changes.

Runs are recorded as `taffrail.init()` records them, offline and at that cost; `mode="offline"` (or WANDB_MODE) also writes the run folder that
`wandb sync` uploads. A word that is missing here raises AttributeError and names the nearest one.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from taffrail import _arrays
from taffrail import _run as _native
from taffrail._core import version as __version__
from taffrail._wandb_artifact import Artifact
from taffrail._wandb_media import Audio, Histogram, Html, Image, Object3D, Plotly, Table, Video
from taffrail._wandb_run import CommError, Error, Run, UsageError, lacks, leave_nothing_at_exit, opened
from taffrail._wandb_run import state as _state

__all__ = ["AlertLevel", "Artifact", "Audio", "CommError", "Error", "Histogram", "Html", "Image", "Object3D", "Plotly", "Run", "Settings", "Table", "UsageError", "Video",
           "alert", "define_metric", "finish", "init", "log", "log_artifact", "log_code", "log_model", "login", "mark_preempting", "require", "save", "setup", "teardown", "termerror", "termlog",
           "termwarn", "unwatch", "watch"]

RESUME = {None: "never", False: "never", True: "allow", "allow": "allow", "auto": "allow", "must": "must", "never": "never"}
MODES = ("online", "offline", "shared", "disabled")
OLD_MODES = {"dryrun": "offline", "run": "online"}


class AlertLevel:
    INFO, WARN, ERROR = "INFO", "WARN", "ERROR"


class Settings(SimpleNamespace):
    """Settings of a run by name. Those that init() has arguments for are used where the argument is absent; others are accepted."""


@contextmanager
def _switched_off(disabled: bool) -> Iterator[None]:
    before = os.environ.get("TAFFRAIL_MODE")
    if disabled:
        os.environ["TAFFRAIL_MODE"] = "off"
    try:
        yield
    finally:
        if disabled and before is None:
            del os.environ["TAFFRAIL_MODE"]
        elif disabled:
            os.environ["TAFFRAIL_MODE"] = str(before)


def init(entity: str | None = None, project: str | None = None, dir: Any = None, id: str | None = None, name: str | None = None, notes: str | None = None,
         tags: Sequence[str] | None = None, config: Any = None, config_exclude_keys: Sequence[str] | None = None, config_include_keys: Sequence[str] | None = None,
         allow_val_change: bool | None = None, group: str | None = None, job_type: str | None = None, mode: str | None = None, force: bool | None = None,
         reinit: Any = None, resume: Any = None, resume_from: str | None = None, fork_from: str | None = None, save_code: bool | None = None,
         tensorboard: bool | None = None, sync_tensorboard: bool | None = None, monitor_gym: bool | None = None, settings: Any = None,
         anonymous: Any = None) -> Run:
    """Opens a run. A run that is open is given back, in a notebook finished, unless `reinit` says otherwise ('return_previous', 'finish_previous' or True,
    'create_new')."""
    if resume_from or fork_from or sync_tensorboard or tensorboard:
        raise NotImplementedError("resume_from, fork_from and TensorBoard patching are not offered; resume= and taffrail.tensorboard are")
    said = dict(settings) if isinstance(settings, Mapping) else vars(settings) if settings is not None else {}

    def pick(given: Any, setting: str, variable: str) -> Any:
        return given if given is not None else said.get(setting) if said.get(setting) is not None else os.environ.get(variable) or None

    mode = pick(mode, "mode", "WANDB_MODE")
    mode = OLD_MODES.get(mode, mode)
    if mode is not None and mode not in MODES:
        raise Error(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if _state.run is not None and not _state.run.native.finished:
        if reinit in (True, "finish_previous") or (reinit in (None, "default") and _native._in_notebook()):
            _state.run.finish()
        elif reinit != "create_new":
            return _state.run
    project = pick(project, "project", "WANDB_PROJECT") or "uncategorized"
    entity, group = pick(entity, "entity", "WANDB_ENTITY") or "", pick(group, "run_group", "WANDB_RUN_GROUP") or ""
    job_type, notes = pick(job_type, "run_job_type", "WANDB_JOB_TYPE") or "", pick(notes, "run_notes", "WANDB_NOTES") or ""
    names = _native._listed(tags) if tags is not None else [tag for tag in os.environ.get("WANDB_TAGS", "").split(",") if tag]
    resume = pick(resume, "resume", "WANDB_RESUME")
    if resume not in RESUME:
        raise Error(f"resume must be one of allow, must, never, auto, not {resume!r}")
    resume = RESUME[resume]
    folder = pick(dir, "root_dir", "WANDB_DIR")
    values = {} if config is None else _arrays.as_dict(config)
    wanted = {key: value for key, value in values.items() if (not config_include_keys or key in config_include_keys) and key not in (config_exclude_keys or ())}
    with _switched_off(mode == "disabled"):
        native = _native.init(project, pick(name, "run_name", "WANDB_NAME") or "", group=group, job_type=job_type, tags=names, notes=notes,
                              id=pick(id, "run_id", "WANDB_RUN_ID") or "", resume=resume)
    try:
        made = Run(native, project, entity, group, job_type, names, notes, mode == "offline", resume != "never", Settings(**said))
        if mode in ("offline", "online", "shared") and native.active:
            made.writes_folder = True
            native.add_sink("wandb", **{key: str(value) for key, value in {"log_dir": folder, "entity": entity}.items() if value})
        made.config.update(wanted)
    except BaseException as error:
        _native._note_failure(native, error)
        native.finish("failed")
        raise
    _state.run = made
    opened.add(made)
    atexit.unregister(leave_nothing_at_exit)
    atexit.register(leave_nothing_at_exit)  # the last that is registered is the first: the run is still open then
    return made


def _open() -> Run:
    if _state.run is None:
        raise UsageError("You must call wandb.init() before this call")
    return _state.run


def log(data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
    _open().log(data, step, commit)


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    if _state.run is not None:
        _state.run.finish(exit_code, quiet)


def define_metric(name: str, step_metric: Any = None, step_sync: bool | None = None, hidden: bool | None = None, summary: str | None = None, goal: str | None = None,
                  overwrite: bool | None = None) -> SimpleNamespace:
    return _open().define_metric(name, step_metric, step_sync, hidden, summary, goal, overwrite)


def alert(title: str, text: str, level: str | None = None, wait_duration: Any = None) -> None:
    _open().alert(title, text, level, wait_duration)


def log_artifact(artifact_or_path: Any, name: str | None = None, type: str | None = None, aliases: Any = None, tags: Any = None) -> Artifact:
    return _open().log_artifact(artifact_or_path, name, type, aliases, tags)


def log_code(*arguments: Any, **options: Any) -> Artifact | None:
    return _open().log_code(*arguments, **options)


def log_model(path: str | os.PathLike[str], name: str | None = None, aliases: Any = None) -> None:
    _open().log_model(path, name, aliases)


def save(glob_str: str | os.PathLike[str], base_path: str | None = None, policy: str = "live", glob: bool = True) -> list[str]:
    return _open().save(glob_str, base_path, policy, glob)


def watch(models: Any, criterion: Any = None, log: str | None = "gradients", log_freq: int = 1000, idx: int | None = None, log_graph: bool = False) -> None:
    _open().watch(models, criterion, log, log_freq, idx, log_graph)


def unwatch(models: Any = None) -> None:
    _open().unwatch(models)


def login(*_: Any, **__: Any) -> bool:
    """There is nothing to log in to: runs stay on this machine."""
    return True


def mark_preempting() -> None:
    _open().mark_preempting()


def require(requirement: Any = None, experiment: Any = None) -> None:
    """What the client asks for before it changes; nothing depends on it here."""


def setup(settings: Any = None) -> None:
    """There is nothing to start."""


def teardown(exit_code: int | None = None) -> None:
    finish(exit_code)


def termlog(string: str = "", newline: bool = True, repeat: bool = True) -> None:
    print(f"wandb: {string}", end="\n" if newline else "", file=sys.stderr)


def termwarn(string: str, **_: Any) -> None:
    termlog(f"WARNING {string}")


def termerror(string: str, **_: Any) -> None:
    termlog(f"ERROR {string}")


LATE = ("config", "errors", "plot", "run", "summary")


def __dir__() -> list[str]:
    return sorted([*__all__, *LATE])


def __getattr__(name: str) -> Any:
    if name == "run":
        return _state.run
    if name in ("config", "summary"):
        return getattr(_open(), name)
    if name == "plot":
        from taffrail import _wandb_plot

        return _wandb_plot
    if name == "errors":
        return SimpleNamespace(Error=Error, CommError=CommError, UsageError=UsageError)
    raise lacks("taffrail.wandb", name, [*__all__, *LATE])
