"""Run: what a training program talks to, and how runs begin and end in a Python process."""

from __future__ import annotations

import atexit
import os
import sys
import weakref
from _collections_abc import Mapping, MutableMapping  # which every interpreter has loaded already; `collections` takes a millisecond

from taffrail import _arrays, _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Any, SupportsIndex, overload

    from taffrail._devices import Arriving
    from taffrail.sink import Sink

_current: list[weakref.ref[Run]] = []  # open runs, the newest last
_with_python_sinks: weakref.WeakSet[Run] = weakref.WeakSet()
_hooked = False
_worker = 0  # the process that is a worker of multiprocessing, and has our finaliser
MOST_LAST_VALUES = 20  # in the message of a run that failed


class Config(MutableMapping[str, object]):
    """The hyperparameters of a run. What is set here is recorded at once; nested names are joined by `/`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[name] = value
        self._run._log_hparams(_arrays.flatten(value, name))

    def __delitem__(self, name: str) -> None:
        raise TypeError("a hyperparameter that was recorded cannot be taken back; set it to None")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"the configuration has no '{name}'") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self[name] = value

    def update(self, values: object = (), /, **more: Any) -> None:
        """Takes a dict, a Namespace, a dataclass, or anything a dict can be made of."""
        for name, value in {**_arrays.as_dict(values), **more}.items():
            self[name] = value

    def as_dict(self) -> dict[str, Any]:
        return dict(self._values)

    def __repr__(self) -> str:
        return f"Config({self._values!r})"


class Summary(MutableMapping[str, object]):
    """Values of the run as a whole: `run.summary["best/acc"] = 0.91`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[name] = value
        for flat, cell in _arrays.flatten(value, name):
            self._run._summary(flat, cell)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a summary value that was recorded cannot be taken back; set it to None")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __call__(self, key: str, value: Any) -> None:
        """As in C++: `run.summary("best/acc", 0.91)`."""
        self[key] = value

    def __repr__(self) -> str:
        return f"Summary({self._values!r})"


class Run(_core.Run):
    """A run being recorded. Every method may be called from any thread; `with` and the end of the program finish it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(options)
        self.config = Config(self)
        self._summary_values = Summary(self)
        self._process, self._stopped = os.getpid(), False  # by Ctrl-C
        self._arriving: Arriving | None = None
        _current.append(weakref.ref(self))
        _keep.add(self)

    @property
    def summary(self) -> Summary:
        """Values of the run as a whole; they win over what would be derived from the series of that name."""
        return self._summary_values

    def scalar(self, key: str) -> _core.Scalar:
        """A bound key: resolve once, log often."""
        return self._scalar(_arrays.place(key, None)[0])

    def row(self, *keys: str) -> _core.Row:
        """Several bound keys that share one time and one record: `row.log(step, a, b)`."""
        if not keys:
            raise TypeError("row() takes the keys of the row: run.row('loss', 'acc')")
        return self._row(tuple(_arrays.place(key, None)[0] for key in keys))

    def _log_object(self, key: str, value: object, step: int | None) -> None:
        """What log() was given that is no plain number."""
        step = None if step is None else step.__index__()  # log() has looked at it
        logged = getattr(value, "_log_to", None)
        if logged is not None:
            logged(self, key, step)
        elif isinstance(value, str):
            self._text(key, value, step, False)
        elif isinstance(value, Mapping):
            self.log({f"{key}/{name}": part for name, part in value.items()}, step)
        else:
            _arrays.log_foreign(self, key, value, step)

    def _comes_by_itself(self, value: Any) -> bool:
        """Whether this is a number of a device that nothing needs to wait for. A guard wants to see it at once."""
        if getattr(getattr(value, "device", None), "type", "") == "cpu":
            return False
        if not (hasattr(value, "detach") or hasattr(value, "copy_to_host_async") or type(value).__module__.split(".")[0] == "cupy"):
            return False
        from taffrail import _devices

        debug = sys.modules.get("taffrail._debug")
        if not _devices.is_far(value) or _arrays._elements(value) != 1 or (debug is not None and debug._guards) or not self.active or self.finished:
            return False
        if self._process != os.getpid():
            return False  # nobody would wait for it at the end of a forked child
        if hasattr(value, "is_ready") and value.is_ready() and (self._arriving is None or not self._arriving):
            return False  # JAX knows that it is there, and it can overtake nothing
        if self._arriving is None:
            self._arriving = _devices.Arriving()
        return True

    def _bring(self, pairs: list[tuple[str, Any]], step: int | None) -> list[tuple[str, Any]]:
        """Has numbers of devices come by themselves; returns the other pairs of a key and what was logged."""
        far = [pair for pair in pairs if self._comes_by_itself(pair[1])]
        if not far:
            return pairs
        assert self._arriving is not None
        self._arriving.bring(self, far, step)
        return [] if len(far) == len(pairs) else [pair for pair in pairs if not any(pair is one for one in far)]

    def _settle_row(self, row: _core.Row, values: tuple[Any, ...], step: int | None) -> bool:
        """Before a row is logged: logs what has arrived for its keys. Whether the row comes by itself, since one of its numbers does."""
        far = any(self._comes_by_itself(value) for value in values if not isinstance(value, (int, float)))
        self._settle({} if far else dict(zip(row.keys, values, strict=True)))
        if far:
            assert self._arriving is not None
            self._arriving.bring_row(self, row, values, step)
        return far

    def _settle(self, values: object = None, value: object = None) -> None:
        """Logs what has arrived from devices; without an argument all is waited for."""
        if self._arriving is not None:
            self._arriving.settle(self, values, value)

    def flush(self) -> None:
        """Returns when everything logged before is in the log file."""
        self._settle()
        super().flush()

    def commit(self) -> None:
        """As flush(), and on the disk itself."""
        self._settle()
        super().commit()

    def set_epoch(self, epoch: float) -> None:
        """Later records carry this epoch."""
        self._settle()
        super().set_epoch(epoch)

    def set_samples(self, samples: int) -> None:
        """Later records carry this number of samples."""
        self._settle()
        super().set_samples(samples)

    def set_phase(self, phase: str) -> None:
        """'train', 'validate', 'test', 'predict', 'sanity' or ''."""
        self._settle()
        super().set_phase(phase)

    def log_hparams(self, hparams: object) -> None:
        """Hyperparameters from a dict, a Namespace or a dataclass; later calls add and overwrite."""
        self.config.update(hparams)

    def define_metric(self, pattern: str, *, step: str = "", summary: str = "last", goal: str = "none", hidden: bool = False) -> None:
        """How the metrics that `pattern` (a key, or with `*`) matches are meant: the key of their x axis, which number stands for them
        ('last', 'min', 'max', 'mean', 'none') and which way is better ('none', 'minimize', 'maximize')."""
        self._define_metric(pattern, step, summary, goal, hidden)

    def alert(self, title: str, text: str = "", level: str = "warning") -> None:
        """Something a person should see; level is 'info', 'warning' or 'error'."""
        self._alert(title, text, level)

    def log_image(self, key: str, image: object, step: int | None = None, *, caption: str = "", captions: Iterable[str] | None = None,
                  layout: str | None = None) -> None:
        """A picture or a batch: an array (H×W, HWC, CHW, or a batch of these), a PIL picture, a matplotlib figure, or a file."""
        from taffrail.media import Image

        key, step = _arrays.place(key, step)
        Image(image, caption=caption, captions=captions, layout=layout)._log_to(self, key, step)

    def log_histogram(self, key: str, values: object, step: int | None = None, *, bins: int = 64) -> None:
        """The distribution of an array's values, or bins as (counts, edges)."""
        from taffrail.media import Histogram

        key, step = _arrays.place(key, step)
        Histogram(values, bins=bins)._log_to(self, key, step)

    def log_audio(self, key: str, audio: object, sample_rate: int = 44100, step: int | None = None, *, caption: str = "") -> None:
        """Samples ([frames] or [frames × channels]) or a file (WAV, FLAC, Ogg, MP3)."""
        from taffrail.media import Audio

        key, step = _arrays.place(key, step)
        Audio(audio, sample_rate, caption=caption)._log_to(self, key, step)

    def log_video(self, key: str, video: object, step: int | None = None, *, fps: float = 10.0, caption: str = "", layout: str | None = None) -> None:
        """Frames (T×H×W×C or T×C×H×W) or a file (MP4, WebM, GIF)."""
        from taffrail.media import Video

        key, step = _arrays.place(key, step)
        Video(video, fps=fps, caption=caption, layout=layout)._log_to(self, key, step)

    def log_mesh(self, key: str, mesh: object, faces: object = None, step: int | None = None, *, colors: object = None, normals: object = None,
                 config: Mapping[str, Any] | None = None) -> None:
        """Vertices with faces, points without, a Trimesh or Open3D object, or a file (OBJ, PLY, STL, GLB)."""
        from taffrail.media import Mesh

        key, step = _arrays.place(key, step)
        Mesh(mesh, faces, colors=colors, normals=normals, config=config)._log_to(self, key, step)

    def log_text(self, key: str, text: str, step: int | None = None, *, plain: bool = False) -> None:
        """Markdown, unless `plain`."""
        from taffrail.media import Text

        key, step = _arrays.place(key, step)
        Text(text, plain=plain)._log_to(self, key, step)

    def log_table(self, key: str, table: object, step: int | None = None, *, columns: Iterable[str] | None = None) -> None:
        """Rows with `columns`, a Table, or a DataFrame of pandas or Polars."""
        from taffrail.media import Table

        key, step = _arrays.place(key, step)
        (table if isinstance(table, Table) else Table(table, columns=columns))._log_to(self, key, step)

    def log_figure(self, key: str, figure: object, step: int | None = None) -> None:
        """A figure of Plotly (or its JSON) or of matplotlib."""
        from taffrail.media import Figure

        key, step = _arrays.place(key, step)
        Figure(figure)._log_to(self, key, step)

    def log_graph(self, key: str, graph: object, step: int | None = None) -> None:
        """A computation graph: a Graph, or a PyTorch module."""
        from taffrail.media import Graph

        key, step = _arrays.place(key, step)
        (graph if isinstance(graph, Graph) else Graph(graph))._log_to(self, key, step)

    def log_pr_curve(self, key: str, labels: object, predictions: object, step: int | None = None, *, thresholds: int = 127, weights: object = None) -> None:
        """Precision and recall from labels (0 and 1) and predictions in 0…1."""
        key, step = _arrays.place(key, step)
        self._pr_curve(key, _arrays.typed(labels, "B"), _arrays.typed(predictions, "d"), step, thresholds,
                       None if weights is None else _arrays.typed(weights, "d"))

    def log_embedding(self, key: str, vectors: object, step: int | None = None, *, metadata: object = None, thumbnails: object = None,
                      layout: str = "chw") -> None:
        """Rows of vectors, with labels and little pictures where given."""
        from taffrail.media import Table

        key, step = _arrays.place(key, step)
        table = None if metadata is None else metadata if isinstance(metadata, Table) else Table.of_labels(metadata)
        self._embedding(key, _arrays.array(vectors), step, None if table is None else table.columns, None if table is None else table.rows,
                        None if thumbnails is None else _arrays.array(thumbnails), layout)

    def log_tensor(self, key: str, tensor: object, step: int | None = None) -> None:
        """Any array, kept bit for bit."""
        key, step = _arrays.place(key, step)
        self._tensor(key, _arrays.array(tensor), step)

    def log_artifact(self, name: str, path: str | os.PathLike[str], *, type: str = "file", metadata: Mapping[str, Any] | None = None) -> None:
        """A file or a folder, as the next version of the artifact `name`."""
        self._artifact(name, os.fspath(path), type, _arrays.flatten(metadata or {}))

    def add_sink(self, sink: str | Sink, /, **options: Any) -> int:
        """Adds a back end: a registered one by name with its options (`taffrail list` shows them), or an object of a class of yours
        that derives from taffrail.Sink. Returns its bit in the route of records."""
        from taffrail.sink import Sink

        if isinstance(sink, str):
            return self._add_sink(sink, options)
        if not isinstance(sink, Sink):
            raise TypeError(f"a sink is a name or a taffrail.Sink, not {type(sink).__name__}")
        if options:
            raise TypeError("options are for sinks by name; a sink of your own has its own constructor")
        _with_python_sinks.add(self)
        return self._add_python_sink(sink, type(sink).__name__)

    @property
    def stats(self) -> dict[str, int]:
        """Counters: records, written, gaps, blocked_ns, errors, bytes_written."""
        return self._stats()

    def finish(self, state: str = "finished") -> None:
        """Ends the run: what was logged is written, sinks are closed within finish_timeout, the run is sealed. A second call does nothing."""
        if os.getpid() != self._process:
            return  # the parent's to end; what a forked child logs is taken over by it
        try:
            self._settle()
        finally:
            self._end(state)

    def _end(self, state: str) -> None:
        try:
            self._finish(state)
        finally:
            if self.finished:
                _keep.discard(self)
                _current[:] = [known for known in _current if known() is not None and known() is not self]

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end_by(error)

    def _end_by(self, error: BaseException | None) -> None:
        """Finishes as an exception that leaves the program, or none, says."""
        if error is not None and not (isinstance(error, SystemExit) and error.code in (None, 0)):
            _note_failure(self, error)
            self.finish("aborted" if isinstance(error, KeyboardInterrupt) else "failed")
        else:
            self.finish()

    def __repr__(self) -> str:
        state = "off" if not self.active else "finished" if self.finished else "running"
        return f"<taffrail.Run {self.name!r} ({state}) in {self.folder!r}>"

    def __reduce__(self) -> Any:
        raise TypeError("a run cannot be pickled; open it in the process that logs, or hand over its id and resume it")

    def _repr_html_(self) -> str:
        from taffrail.notebook import summary_html

        return summary_html(self)


_keep: set[Run] = set()  # open runs live until they are finished, whatever becomes of the program's names for them


def init(project: str = "", name: str = "", config: object = None, *, root: str | os.PathLike[str] = "", group: str = "", job_type: str = "",
         tags: str | Iterable[str] = (), notes: str = "", id: str = "", resume: str | bool = "never", resume_step: int | None = None,
         overflow: str = "block", overflow_wait: float = 30.0, flush_interval: float = 0.1, finish_timeout: float = 30.0,
         ring_budget_bytes: int | None = None, ring_bytes: int | None = None, roll_bytes: int | None = None, durability: str = "async",
         store: bool = True, seal_on_finish: bool = True, console: bool | None = None, environment: bool | None = None,
         machine_load: float | bool | None = None, rank: int | None = None, world_size: int | None = None, spool: str = "",
         sinks: str | Sink | Iterable[str | Sink] = ()) -> Run:
    """Opens a run. What is left empty comes from the TAFFRAIL_* variables; times are seconds. `resume` is 'never', 'allow' (or True) or 'must'.

    Raises what went wrong. `TAFFRAIL_MODE=off` gives a run that records nothing. In a notebook the run of an earlier
    execution of the cell is finished first.
    """
    values = {} if config is None else _arrays.as_dict(config)  # what is wrong with it is said before there is a run
    wanted = [sinks] if isinstance(sinks, str) or hasattr(sinks, "write") else list(sinks or ())
    if resume is None or isinstance(resume, bool):  # as other clients have it
        resume = "allow" if resume else "never"
    if _in_notebook():
        for known in list(_current):
            if (earlier := known()) is not None and not earlier.finished:
                earlier.finish()
    run = Run(project=project, name=name, root=os.fspath(root or ""), group=group, job_type=job_type, tags=_listed(tags), notes=notes, id=id, resume=resume,
              resume_step=resume_step, overflow=overflow, overflow_wait=overflow_wait, flush_interval=flush_interval,
              finish_timeout=finish_timeout, ring_budget_bytes=ring_budget_bytes, ring_bytes=ring_bytes, roll_bytes=roll_bytes,
              durability=durability, store=store, seal_on_finish=seal_on_finish, console=console, environment=environment,
              machine_load=machine_load, rank=rank, world_size=world_size, spool=spool)
    _hook_exit()
    _hook_worker()
    try:
        for sink in wanted:
            run.add_sink(sink)
        run.config.update(values)
    except BaseException as error:
        _note_failure(run, error)
        run.finish("failed")  # nobody was given it
        raise
    return run


def _listed(names: object) -> list[Any]:
    """Several texts, or one."""
    return [names] if isinstance(names, str) else list(names or ())  # type: ignore[call-overload]


def active_run() -> Run | None:
    """The newest run that is open, or None."""
    for known in reversed(_current):
        if (run := known()) is not None and not run.finished:
            return run
    return None


def _must_run() -> Run:
    run = active_run()
    if run is None:
        raise _core.ClosedError("no run is open; call taffrail.init() first")
    return run


if TYPE_CHECKING:

    @overload
    def log(values: Mapping[str, object], step: SupportsIndex | None = None) -> None: ...
    @overload
    def log(key: str, value: object, step: SupportsIndex | None = None) -> None: ...
def log(*arguments: Any, **options: Any) -> None:
    """run.log() of the newest open run: log(values, step=None) or log(key, value, step=None)."""
    _must_run().log(*arguments, **options)


def finish(state: str = "finished") -> None:
    """Finishes the newest open run; does nothing without one."""
    if (run := active_run()) is not None:
        run.finish(state)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    try:
        return shell is not None and any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell.get_ipython()).__mro__)  # hosted ones derive from it
    except AttributeError:
        return False


def _note_failure(run: Run, error: BaseException) -> None:
    """The traceback becomes the reason why the run ended, with the numbers that were logged last."""
    import traceback

    said = "".join(traceback.format_exception(type(error), error, error.__traceback__))[-16384:]
    last: dict[str, str] = {}
    for key, value, step in run._last_values():
        if key not in last and len(last) < MOST_LAST_VALUES:
            last[key] = f"{key} = {value:.6g}" + ("" if step is None else f" at step {step}")
    if last:
        said += f"Last values: {', '.join(last.values())}\n"
    run.note_outcome("program", "aborted" if isinstance(error, KeyboardInterrupt) else "failed", said)


def _hook_exit() -> None:
    """An exception that nobody catches marks open runs as failed; the exit itself then finishes them with the status of the process."""
    global _hooked
    if _hooked:
        return
    _hooked = True
    earlier = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        for run in list(_keep):
            if run._process == os.getpid() and not _interactive():
                _note_failure(run, error.with_traceback(trace))
                run._stopped = isinstance(error, KeyboardInterrupt)
        earlier(kind, error, trace)

    sys.excepthook = hook
    atexit.register(_at_exit)


def _hook_worker() -> None:
    """A forked worker of multiprocessing ends without exit handlers; a run that it opened ends as its work did."""
    global _worker
    process, util = sys.modules.get("multiprocessing.process"), sys.modules.get("multiprocessing.util")
    if process is None or util is None or process.parent_process() is None or _worker == os.getpid():
        return
    _worker = os.getpid()
    util.Finalize(None, _end_worker, exitpriority=0)


def _status_of_worker() -> int | None:
    """How a worker ends: before Python 3.13 what its work raised is on its way here, and it is 0; later it is kept by whoever calls os._exit() next."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if module == "multiprocessing.process" and frame.f_code.co_name == "_bootstrap":
            return 0
        if module in ("multiprocessing.popen_fork", "multiprocessing.forkserver") and isinstance(frame.f_locals.get("code"), int):
            return int(frame.f_locals["code"])
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _end_worker() -> None:
    status = _status_of_worker()
    if status is None:
        return  # spawned ones end as programs do: the library finishes their runs with the status
    for run in list(_keep):
        if run._process == os.getpid():
            try:
                if status != 0:
                    run.note_outcome("program", "failed", f"the worker ended with status {status}; its standard error says why")
                run._end_by(sys.exc_info()[1])
            except Exception as problem:  # noqa: BLE001: the worker is over, but what went wrong is said
                print(f"taffrail: {problem}", file=sys.stderr)


def _interactive() -> bool:
    return hasattr(sys, "ps1") or sys.flags.interactive != 0


def _at_exit() -> None:
    """Sinks in Python must be closed, and numbers of devices be there, while there is an interpreter. What Ctrl-C ended is not failed, whatever the exit status.
    Other runs wait for that status: the library finishes them."""
    for run in list(_keep):
        if run._process == os.getpid():
            try:
                run.finish() if run in _with_python_sinks or run._stopped else run._settle()
            except Exception as error:  # noqa: BLE001: the program is over, but what went wrong is said
                print(f"taffrail: {error}", file=sys.stderr)
    _core._ask_not_finite(None)


_core._ask_number_types(_arrays.is_number_type)
