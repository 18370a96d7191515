"""A run by the words of the W&B client: rows of a step, configuration, summary, files."""

from __future__ import annotations

import difflib
import glob as _glob
import operator
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace, TracebackType
from typing import Any

from taffrail import _arrays, _core, reading
from taffrail import _run as _native
from taffrail._wandb_artifact import Artifact
from taffrail._wandb_media import PLAIN, loggable
from taffrail._wandb_values import MACHINE, Axes, Config, Summary

STEPLESS = frozenset(("hparams", "artifact", "alert", "note", "tag"))  # kinds that stand for no value of a step


def lacks(owner: str, name: str, words: Sequence[str]) -> AttributeError:
    near = difflib.get_close_matches(name, words, 1)
    return AttributeError(f"{owner} has no '{name}'" + (f"; the nearest word is '{near[0]}'" if near else f"; it has {', '.join(words)}"))


class Error(Exception):
    """What the client calls its own failures."""


class UsageError(Error):
    """A call that makes no sense where it stands."""


class CommError(Error):
    """A server that does not answer; nothing here asks one."""


class Run:
    """A run by the client's words; `native` is the run of ours below it."""

    def __init__(self, native: _native.Run, project: str, entity: str, group: str, job_type: str, tags: Sequence[str], notes: str, offline: bool, resumed: bool,
                 settings: SimpleNamespace | None = None) -> None:
        self.native, self.project, self.entity, self.group, self.job_type = native, project, entity, group, job_type
        self._tags, self._notes, self.offline, self.resumed = tuple(tags), notes, offline, False
        self.settings, self.start_time = settings or SimpleNamespace(), time.time()
        self.url = self.project_url = self.sweep_id = self.sweep_url = None  # of a server
        native.config = self.config = Config(native)
        self.summary = Summary(native)
        self._step, self._waiting, self._watches, self._over = 0, {}, [], False  # type: ignore[var-annotated]
        self._logged: set[str] = set()  # keys of this step that wait for nothing
        self._has_media, self.writes_folder = False, False  # this step; a run folder of the client's too
        self._axes = Axes()
        self._saved: dict[str, tuple[str, tuple[int, int]]] = {}  # files that may still change: their name, and how they were
        if resumed and native.active:
            self._take_up()
        self.starting_step = self._step

    def _take_up(self) -> None:
        """Goes on where the attempts before this one stopped: behind their last step, with their settings, summary, tags and notes."""
        past = next(iter(reading.read(self.native.folder)))
        info = past.info
        self.resumed = info.attempts > 1
        if not self.resumed:
            return
        self._step = 1 + max((key.last_step for key in past.keys() if key.kind not in STEPLESS and not key.key.startswith(MACHINE)), default=-1)
        self.config._take_up(info.config)
        self.summary._take_up(past)
        self._tags, self._notes = tuple(dict.fromkeys([*info.tags, *self._tags])), self._notes or info.notes

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise lacks("a run of taffrail.wandb", name, sorted(word for word in {*dir(type(self)), *vars(self)} if not word.startswith("_")))

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
    def path(self) -> str:
        return "/".join(part for part in (self.entity, self.project, self.id) if part)

    def log(self, data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        """Values of a step. Without `step` the next one; `commit=False` waits for more of the same step. Steps only rise: what comes late is left out, with a warning."""
        if self._over:
            raise UsageError(f"run {self.id} is finished; open another one by wandb.init()")
        if not isinstance(data, Mapping):
            raise TypeError(f"wandb.log() takes a dict, not a {type(data).__name__}")
        odd = False
        for key, value in data.items():
            if type(key) is not str and not isinstance(key, str):
                raise TypeError("Key values passed to `wandb.log` must be strings.")
            odd = odd or type(value) not in PLAIN
        if step is not None:
            step = operator.index(step)
            if step < self._step:
                warnings.warn(f"step {step} is below the current step {self._step}: steps must only rise, so this data is left out", stacklevel=2)
                return
            if step > self._step:
                self._commit()
                self._step = step
        if odd:
            self._take(loggable(data))
        else:
            self._waiting.update(data)
        if commit if commit is not None else step is None:
            self._commit()
            self._step += 1

    def _take(self, values: dict[str, Any]) -> None:
        """Numbers and texts wait for the rest of their step. What a program may write over meanwhile (pictures, files, figures, arrays) is logged as it is now."""
        for key, value in values.items():
            if type(value) in PLAIN or _arrays.is_number_type(type(value)):
                self._waiting[key] = value
            elif value is not None:
                self._waiting.pop(key, None)
                self.native.log(key, value, self._step)
                self._logged.add(key)
                self._axes.saw(key, value)
                self._has_media = self._has_media or not hasattr(value, "item")
                self.summary._saw({key: value})

    def _commit(self) -> None:
        if self._waiting or self._logged:
            values, self._waiting = self._waiting, {}
            others, self._logged = self._logged, set()
            if self._has_media and self.writes_folder:
                # Pictures are made ready beside the program, and the folder has rows in the order in which they come: the client, which makes them
                # ready in the call, has each in the row of its step.
                super(_native.Run, self.native).flush()
            self._has_media = False
            self._axes.complete(values, others)
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
        axis = getattr(step_metric, "name", step_metric) or ""
        self.native.define_metric(name, step=axis, summary=ours, goal=goal or "none", hidden=bool(hidden))
        if axis and step_sync is not False:
            self._axes.define(name, axis)
            self._axes.take_up(self.summary)
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
        if aliases or tags:
            warnings.warn(f"aliases and tags of artifacts are not kept: versions of '{artifact_or_path.name}' are numbered", stacklevel=2)
        artifact_or_path._log_to(self.native, artifact_or_path.name, None)
        return artifact_or_path

    def log_model(self, path: str | os.PathLike[str], name: str | None = None, aliases: Any = None) -> None:
        self.log_artifact(path, name, "model", aliases)

    def log_code(self, root: str | None = ".", name: str | None = None, include_fn: Callable[..., bool] | None = None,
                 exclude_fn: Callable[..., bool] | None = None) -> Artifact | None:
        """The program's own files below `root` (Python, requirements.txt, Dockerfiles, or what `include_fn` takes) as an artifact."""
        top = os.path.abspath(root or ".")
        program = os.path.relpath(os.path.abspath(sys.argv[0] or "program"), top)
        made = Artifact(name or "-".join(part for part in ("source", self.project, program.replace(os.sep, "_")) if part), "code")
        for parent, folders, files in os.walk(top):
            folders[:] = sorted(folder for folder in folders if not _is_of_tracking(os.path.join(parent, folder)))
            for path in sorted(os.path.join(parent, file) for file in files):
                if os.path.isfile(path) and _asked(include_fn, path, top, _is_source) and not _asked(exclude_fn, path, top, lambda _: False):
                    made.add_file(path, os.path.relpath(path, top))
        return self.log_artifact(made) if made._files else None

    def mark_preempting(self) -> None:
        """For a server; a run that is killed is found as crashed."""

    def save(self, glob_str: str | os.PathLike[str], base_path: str | None = None, policy: str = "live", glob: bool = True) -> list[str]:
        """Keeps files, each as an artifact of its path below `base_path`; unless `policy` is 'now' once more at the end, where they have changed by then."""
        if policy not in ("live", "now", "end"):
            raise ValueError('Only "live", "end" and "now" policies are currently supported.')
        wanted = os.fspath(glob_str)
        base = base_path or (os.path.dirname(os.path.dirname(wanted)) if os.path.isabs(wanted) else ".")
        found = [path for path in (sorted(_glob.glob(wanted, recursive=True)) if glob else [wanted]) if os.path.isfile(path)]
        for path in found:
            name = os.path.relpath(path, base)
            self._keep(path, name)
            if policy != "now":
                self._saved[os.path.abspath(path)] = name, _state_of_file(path)
        self.native.flush()
        return found

    def _keep(self, path: str, name: str) -> None:
        self.native.log_artifact(name, path, type="wandb-file")

    def _keep_what_changed(self) -> None:
        for path, (name, before) in self._saved.items():
            try:
                if os.path.isfile(path) and _state_of_file(path) != before:
                    self._keep(path, name)
            except (OSError, ValueError, _core.Error) as error:  # gone meanwhile: no reason to leave the run open
                warnings.warn(f"'{path}' is not kept once more: {error}", stacklevel=2)
        self._saved.clear()

    def watch(self, models: Any, criterion: Any = None, log: str | None = "gradients", log_freq: int = 1000, idx: int | None = None, log_graph: bool = False) -> None:
        from taffrail._wandb_watch import Watch
        from taffrail.torch import log_graph as log_graph_of

        if log not in ("gradients", "parameters", "all", None):
            raise ValueError("log must be one of 'gradients', 'parameters', 'all', or None")
        for model in models if isinstance(models, (list, tuple)) else [models]:
            if not hasattr(model, "named_parameters"):
                raise TypeError(f"Expected a pytorch model (torch.nn.Module). Received {type(model)}")
            number = len(self._watches) if idx is None else idx
            self._watches.append(Watch(self, model, log, log_freq, f"graph_{number}" if number else ""))
            if log_graph:
                log_graph_of(model, run=self.native, key=f"graph_{number}")
            idx = None if idx is None else idx + 1

    def unwatch(self, models: Any = None) -> None:
        kept = [watch for watch in self._watches if models is not None and watch.module not in (models if isinstance(models, (list, tuple)) else [models])]
        for watch in self._watches:
            if watch not in kept:
                watch.remove()
        self._watches = kept

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        if not self._over:
            self._leave_nothing()
        self.unwatch()
        self._over = True
        self.native.finish("failed" if exit_code else "finished")
        opened.discard(self)
        if state.run is self:
            state.run = None

    def _leave_nothing(self) -> None:
        """What waits for more of its step is all of it, and files are what they are."""
        if not self.native.finished:
            self._commit()
            if self.native._process == os.getpid():
                self._keep_what_changed()

    def __repr__(self) -> str:
        return repr(self.native)

    def _repr_html_(self) -> str:
        return self.native._repr_html_()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._commit()
        if error is not None:
            _native._note_failure(self.native, error)
        self.finish(0 if error is None else 1)


def _state_of_file(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size


def _is_source(path: str) -> bool:
    name = os.path.basename(path)
    return name.endswith(".py") or name == "requirements.txt" or name.startswith("Dockerfile")


def _is_of_tracking(folder: str) -> bool:
    """Runs of the client or of ours, which are no part of a program."""
    return os.path.basename(folder) in ("wandb", ".wandb", ".git", "__pycache__") or os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def _asked(function: Callable[..., bool] | None, path: str, root: str, otherwise: Callable[[str], bool]) -> bool:
    """Functions of the program take a path, or a path and the root."""
    if function is None:
        return otherwise(path)
    try:
        return bool(function(path, root))
    except TypeError:
        return bool(function(path))


state = SimpleNamespace(run=None)
opened: set[Run] = set()  # until they are finished


def leave_nothing_at_exit() -> None:
    """A program that ends without finish(). The run itself ends as the process does."""
    for run in list(opened):
        run._leave_nothing()


def _begin_child() -> None:
    """What waits in a forked child is its parent's to log."""
    for run in opened:
        run._waiting.clear()
        run._logged.clear()


os.register_at_fork(after_in_child=_begin_child)
