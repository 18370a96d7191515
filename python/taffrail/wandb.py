"""The words of the W&B client over the native store: `import taffrail.wandb as wandb` is the one line that changes.

Runs are recorded as `taffrail.init()` records them, offline and at that cost; `mode="offline"` (or WANDB_MODE) also writes the run folder that
`wandb sync` uploads. A word that is missing here raises AttributeError and names the nearest one.
"""

from __future__ import annotations

import atexit
import difflib
import glob as _glob
import os
import warnings
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace, TracebackType
from typing import Any

from taffrail import _arrays
from taffrail import _run as _native
from taffrail._wandb_media import Artifact, Audio, Histogram, Html, Image, Object3D, Plotly, Table, Video, loggable

__all__ = ["AlertLevel", "Artifact", "Audio", "Error", "Histogram", "Html", "Image", "Object3D", "Plotly", "Run", "Settings", "Table", "Video", "alert",
           "define_metric", "finish", "init", "log", "log_artifact", "login", "save", "unwatch", "watch"]

RESUME = {None: "never", False: "never", True: "allow", "allow": "allow", "auto": "allow", "must": "must", "never": "never"}
MODES = ("online", "offline", "shared", "disabled")


def _lacks(owner: str, name: str, words: Sequence[str]) -> AttributeError:
    near = difflib.get_close_matches(name, words, 1)
    return AttributeError(f"{owner} has no '{name}'" + (f"; the nearest word is '{near[0]}'" if near else f"; it has {', '.join(words)}"))


class Error(Exception):
    """What the client calls its own failures."""


class AlertLevel:
    INFO, WARN, ERROR = "INFO", "WARN", "ERROR"


class Settings(SimpleNamespace):
    """Settings of a run by name. Those that init() has arguments for are used where the argument is absent; others are accepted."""


class Config(_native.Config):
    def update(self, values: object = (), /, allow_val_change: bool | None = None, **more: Any) -> None:
        """Values may change, allowed or not."""
        super().update(values, **more)

    def setdefaults(self, values: object) -> dict[str, Any]:
        """Sets what is not set yet."""
        self.update({name: value for name, value in _arrays.as_dict(values).items() if name not in self})
        return self.as_dict()


class Summary(MutableMapping[str, Any]):
    """The last value of everything logged, and what is set here."""

    def __init__(self, native: _native.Run) -> None:
        self._native, self._values = native, {}  # type: ignore[var-annotated]

    def _saw(self, values: Mapping[str, Any]) -> None:
        self._values.update((key, value) for key, value in values.items() if isinstance(value, (int, float, str)) or hasattr(value, "item"))

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


class Run:
    """A run by the client's words; `native` is the run of ours below it."""

    def __init__(self, native: _native.Run, project: str, entity: str, group: str, job_type: str, tags: Sequence[str], notes: str, offline: bool, resumed: bool) -> None:
        self.native, self.project, self.entity, self.group, self.job_type = native, project, entity, group, job_type
        self._tags, self._notes, self.offline, self.resumed = tuple(tags), notes, offline, resumed
        native.config = self.config = Config(native)
        self.summary = Summary(native)
        self._step, self._waiting, self._watches, self._over = 0, {}, [], False  # type: ignore[var-annotated]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _lacks("a run of taffrail.wandb", name, sorted(word for word in {*dir(type(self)), *vars(self)} if not word.startswith("_")))

    @property
    def id(self) -> str:
        return self.native.id

    @property
    def name(self) -> str:
        return self.native.name

    @name.setter
    def name(self, name: str) -> None:
        raise AttributeError("a run keeps the name that it was opened with: wandb.init(name=…)")

    @property
    def tags(self) -> tuple[str, ...]:
        return self._tags

    @tags.setter
    def tags(self, tags: Sequence[str]) -> None:
        tags = _native._listed(tags)
        for tag in self._tags:
            if tag not in tags:
                self.native.untag(tag)
        for tag in tags:
            if tag not in self._tags:
                self.native.tag(tag)
        self._tags = tuple(tags)

    @property
    def notes(self) -> str:
        return self._notes

    @notes.setter
    def notes(self, notes: str) -> None:
        self._notes = notes
        self.native.note(notes)

    @property
    def dir(self) -> str:
        return self.native.folder

    @property
    def step(self) -> int:
        return self._step

    @property
    def disabled(self) -> bool:
        return not self.native.active

    @property
    def url(self) -> str | None:
        return None

    @property
    def path(self) -> str:
        return "/".join(part for part in (self.entity, self.project, self.id) if part)

    def log(self, data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        """Values of a step. Without `step` the next one; `commit=False` waits for more of the same step. Steps only rise: what comes late is left out, with a warning."""
        if self._over:
            raise Error(f"run {self.id} is finished; open another one by wandb.init()")
        if not isinstance(data, Mapping):
            raise TypeError(f"Data must be a dict, not {type(data).__name__}")
        if any(not isinstance(key, str) for key in data):
            raise TypeError("Key values passed to `wandb.log` must be strings.")
        if step is not None:
            if step < self._step:
                warnings.warn(f"step {step} is below the current step {self._step}: steps must only rise, so this data is left out", stacklevel=2)
                return
            if step > self._step:
                self._commit()
                self._step = int(step)
        self._waiting.update(loggable(data))
        if commit if commit is not None else step is None:
            self._commit()
            self._step += 1

    def _commit(self) -> None:
        if self._waiting:
            values, self._waiting = self._waiting, {}
            self.native.log(values, self._step)
            self.summary._saw(values)

    def define_metric(self, name: str, step_metric: Any = None, step_sync: bool | None = None, hidden: bool | None = None, summary: str | None = None,
                      goal: str | None = None, overwrite: bool | None = None) -> SimpleNamespace:
        words = [word.strip() for word in (summary or "").split(",") if word.strip()]
        if unknown := set(words) - {"min", "max", "mean", "best", "last", "copy", "none", "first"}:
            raise Error(f"Unknown summary op: {sorted(unknown)[0]}")
        if goal not in (None, "minimize", "maximize"):
            raise Error(f"Unknown goal: {goal}")
        best = "max" if goal == "maximize" else "min"
        ours = next(({"best": best, "copy": "last", "first": "last"}.get(word, word) for word in words), "last")
        self.native.define_metric(name, step=getattr(step_metric, "name", step_metric) or "", summary=ours, goal=goal or "none", hidden=bool(hidden))
        return SimpleNamespace(name=name, step_metric=step_metric, summary=summary, goal=goal, hidden=hidden)

    def alert(self, title: str, text: str, level: str | None = None, wait_duration: Any = None) -> None:
        levels = {None: "info", "INFO": "info", "WARN": "warning", "ERROR": "error"}
        if level not in levels:
            raise ValueError("level must be one of 'INFO', 'WARN', or 'ERROR'")
        self.native.alert(title, text, levels[level])

    def log_artifact(self, artifact_or_path: Any, name: str | None = None, type: str | None = None, aliases: Any = None, tags: Any = None) -> Artifact:
        if not isinstance(artifact_or_path, Artifact):
            path = os.fspath(artifact_or_path)
            made = Artifact(name or f"run-{self.id}-{os.path.basename(path)}", type or "unspecified")
            made.add_dir(path) if os.path.isdir(path) else made.add_file(path)
            artifact_or_path = made
        artifact_or_path._log_to(self.native, artifact_or_path.name, None)
        return artifact_or_path

    def save(self, glob_str: str | os.PathLike[str], base_path: str | None = None, policy: str = "live") -> list[str]:
        """Keeps files as they are now, each as an artifact of its path."""
        found = [path for path in sorted(_glob.glob(os.fspath(glob_str), recursive=True)) if os.path.isfile(path)]
        for path in found:
            self.native.log_artifact(os.path.relpath(path, base_path or os.path.dirname(path) or "."), path, type="wandb-file")
        self.native.flush()
        return found

    def watch(self, models: Any, criterion: Any = None, log: str | None = "gradients", log_freq: int = 1000, idx: int | None = None, log_graph: bool = False) -> None:
        from taffrail import torch as _torch

        for number, model in enumerate(models if isinstance(models, (list, tuple)) else [models]):
            if log is not None:
                self._watches.append(_torch.watch(model, run=self.native, log=log, log_freq=log_freq, prefix=f"{number}/" if isinstance(models, (list, tuple)) else ""))
            if log_graph:
                _torch.log_graph(model, run=self.native, key=f"graph_{(idx or 0) + number}")

    def unwatch(self, models: Any = None) -> None:
        kept = [watch for watch in self._watches if models is not None and watch.module not in (models if isinstance(models, (list, tuple)) else [models])]
        for watch in self._watches:
            if watch not in kept:
                watch.remove()
        self._watches = kept

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        self._commit()
        self.unwatch()
        self._over = True
        self.native.finish("failed" if exit_code else "finished")
        _opened.discard(self)
        if _state.run is self:
            _state.run = None

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self._commit()
        if error is not None:
            _native._note_failure(self.native, error)
        self.finish(0 if error is None else 1)
        return False


_state = SimpleNamespace(run=None)
_opened: set[Run] = set()  # until they are finished


def _commit_at_exit() -> None:
    """A program that ends without finish(): what waits for more of its step is all of it. The run itself ends as the process does."""
    for run in list(_opened):
        if not run.native.finished:
            run._commit()


os.register_at_fork(after_in_child=lambda: [run._waiting.clear() for run in _opened])  # the parent logs those


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
    resume = RESUME[pick(resume, "resume", "WANDB_RESUME")]
    folder = pick(dir, "root_dir", "WANDB_DIR")
    values = {} if config is None else _arrays.as_dict(config)
    wanted = {key: value for key, value in values.items() if (not config_include_keys or key in config_include_keys) and key not in (config_exclude_keys or ())}
    with _switched_off(mode == "disabled"):
        native = _native.init(project, pick(name, "run_name", "WANDB_NAME") or "", group=group, job_type=job_type, tags=names, notes=notes,
                              id=pick(id, "run_id", "WANDB_RUN_ID") or "", resume=resume)
    made = Run(native, project, entity, group, job_type, names, notes, mode == "offline", resume != "never")
    try:
        if mode in ("offline", "online", "shared") and native.active:
            native.add_sink("wandb", **{key: str(value) for key, value in {"log_dir": folder, "entity": entity}.items() if value})
        made.config.update(wanted)
    except BaseException as error:
        _native._note_failure(native, error)
        native.finish("failed")
        raise
    _state.run = made
    _opened.add(made)
    atexit.unregister(_commit_at_exit)
    atexit.register(_commit_at_exit)  # the last that is registered is the first: the run is still open then
    return made


def _open() -> Run:
    if _state.run is None:
        raise Error("You must call wandb.init() before this call")
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


def save(glob_str: str | os.PathLike[str], base_path: str | None = None, policy: str = "live") -> list[str]:
    return _open().save(glob_str, base_path, policy)


def watch(models: Any, criterion: Any = None, log: str | None = "gradients", log_freq: int = 1000, idx: int | None = None, log_graph: bool = False) -> None:
    _open().watch(models, criterion, log, log_freq, idx, log_graph)


def unwatch(models: Any = None) -> None:
    _open().unwatch(models)


def login(*_: Any, **__: Any) -> bool:
    """There is nothing to log in to: runs stay on this machine."""
    return True


def __dir__() -> list[str]:
    return sorted([*__all__, "config", "run", "summary"])


def __getattr__(name: str) -> Any:
    if name == "run":
        return _state.run
    if name in ("config", "summary"):
        return getattr(_open(), name)
    raise _lacks("taffrail.wandb", name, [*__all__, "config", "run", "summary"])
