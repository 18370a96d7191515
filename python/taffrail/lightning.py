"""Lightning: a logger with the whole contract, a profiler whose actions are zones, and Taffrail's progress bars.

    trainer = Trainer(logger=TaffrailLogger(project="digits"), profiler=TaffrailProfiler(), callbacks=[TaffrailProgressBar()])
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

try:
    from lightning.fabric.loggers.logger import rank_zero_experiment
    from lightning.pytorch.callbacks import ProgressBar
    from lightning.pytorch.loggers.logger import Logger
    from lightning.pytorch.profilers import Profiler
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ImportError:
    from lightning_fabric.loggers.logger import rank_zero_experiment
    from pytorch_lightning.callbacks import ProgressBar
    from pytorch_lightning.loggers.logger import Logger
    from pytorch_lightning.profilers import Profiler
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

from taffrail import _arrays, _core
from taffrail._functions import AdvancedProfiler
from taffrail._run import Run, _keep, init

if TYPE_CHECKING:
    from taffrail.tracer import Tracer

__all__ = ["TaffrailLogger", "TaffrailProfiler", "TaffrailProgressBar"]

FAILED = {"failed": "failed", "exception": "failed", "interrupted": "aborted", "aborted": "aborted"}


class TaffrailLogger(Logger):
    """Logs into a run: the one that is given, or one that is opened at first use on rank zero, with the options of taffrail.init().

    `prefix` stands in front of every key. `log_model` keeps checkpoints as artifacts: True at the end, 'all' each when it is saved.
    The run goes on after fit(), so that test() and your own words reach it; it ends with the program, or by `logger.experiment.finish()`.
    """

    LOGGER_JOIN_CHAR = "-"

    def __init__(self, project: str = "lightning", name: str = "", *, run: Run | None = None, prefix: str = "", log_model: bool | str = False,
                 save_dir: str | os.PathLike[str] = "", **options: Any) -> None:
        super().__init__()
        if save_dir:
            options["root"] = os.fspath(save_dir)
        self._options = {"project": project, "name": name, **options}
        self._prefix, self._log_model, self._run = prefix, log_model, run
        self._id = run.id if run is not None else str(options.get("id", ""))
        self._checkpoints: dict[str, float] = {}
        self._checkpoint_callback: Any = None

    @property
    @rank_zero_experiment
    def experiment(self) -> Run:
        """The run itself: `logger.experiment.log_image(...)`."""
        if self._run is None:
            same = [run for run in _keep if self._id and run.id == self._id]
            resumed = {"id": self._id, "resume": "allow"} if self._id else {}
            self._run = same[0] if same else init(**{**self._options, **resumed})
            self._id = self._run.id
        return self._run

    @property
    def name(self) -> str | None:
        return self._options["project"] or "default"

    @property
    def version(self) -> str | None:
        """The name of the run; None before it is opened."""
        return self._run.name if self._run is not None else (self._options["name"] or None)

    @property
    def save_dir(self) -> str | None:
        return str(self._options.get("root") or os.environ.get("TAFFRAIL_DIR") or "taffrail")

    @property
    def root_dir(self) -> str | None:
        return self.save_dir

    @property
    def log_dir(self) -> str | None:
        return self._run.folder if self._run is not None and self._run.active else self.save_dir

    def _named(self, metrics: Mapping[str, Any]) -> dict[str, Any]:
        return {f"{self._prefix}{self.LOGGER_JOIN_CHAR}{key}": value for key, value in metrics.items()} if self._prefix else dict(metrics)

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        run = self._run if self._run is not None else self.experiment
        run.log(self._named(metrics) if self._prefix else metrics, step)

    @rank_zero_only
    def log_hyperparams(self, params: dict[str, Any] | Namespace | None = None, *_: Any, **more: Any) -> None:
        self.experiment.config.update({**({} if params is None else _arrays.as_dict(params)), **more})

    @rank_zero_only
    def log_graph(self, model: Any, input_array: Any = None) -> None:
        from taffrail.torch import log_graph

        example = input_array if input_array is not None else getattr(model, "example_input_array", None)
        if example is not None and hasattr(model, "_on_before_batch_transfer"):
            example = model._apply_batch_transfer_handler(model._on_before_batch_transfer(example))
        log_graph(model, example, run=self.experiment)

    @rank_zero_only
    def log_image(self, key: str, images: list[Any], step: int | None = None, **captions: Any) -> None:
        """Pictures under one key; `caption=[…]` has one text for each."""
        from taffrail.media import Image

        if not isinstance(images, list):
            raise TypeError(f"a list of pictures is wanted, not {type(images).__name__}")
        texts = captions.get("caption") or [""] * len(images)
        self.experiment.log({self._prefixed(key): [Image(image, caption=text) for image, text in zip(images, texts, strict=True)]}, step)

    @rank_zero_only
    def log_text(self, key: str, text: str, step: int | None = None) -> None:
        self.experiment.log_text(self._prefixed(key), text, step)

    @rank_zero_only
    def log_table(self, key: str, columns: list[str] | None = None, data: Any = None, step: int | None = None) -> None:
        self.experiment.log_table(self._prefixed(key), data, step, columns=columns)

    def _prefixed(self, key: str) -> str:
        return f"{self._prefix}{self.LOGGER_JOIN_CHAR}{key}" if self._prefix else key

    def after_save_checkpoint(self, checkpoint_callback: Any) -> None:
        self._checkpoint_callback = checkpoint_callback
        if self._log_model == "all" or (self._log_model is True and checkpoint_callback.save_top_k == -1):
            self._keep_checkpoints(checkpoint_callback)

    @rank_zero_only
    def _keep_checkpoints(self, callback: Any) -> None:
        scores = {callback.last_model_path: callback.current_score, callback.best_model_path: callback.best_model_score, **getattr(callback, "best_k_models", {})}
        for path, score in scores.items():
            if path and os.path.exists(path) and self._checkpoints.get(path, -1.0) < os.path.getmtime(path):
                self._checkpoints[path] = os.path.getmtime(path)
                self.experiment.log_artifact(f"model-{self.version}", path, type="model", metadata={"score": None if score is None else float(score), "file": os.path.basename(path)})

    def save(self) -> None:
        """Nothing is left to do: what was logged outlives the program. Lightning calls this after every row, so that a wait here would be one in every step."""

    @rank_zero_only
    def finalize(self, status: str) -> None:
        """A stage is over. What went badly is how the run ends, unless a later stage of it goes well."""
        if self._run is None or self._run.finished:
            return
        if self._log_model and self._checkpoint_callback is not None:
            self._keep_checkpoints(self._checkpoint_callback)
        self._run.note_outcome("training", FAILED.get(status, "finished"), "" if status not in FAILED else f"the trainer ended as {status}")
        self._run.flush()

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process joins the run by its id."""
        return {**self.__dict__, "_id": self._run.id if self._run is not None else self._id, "_run": None, "_checkpoint_callback": None}


class TaffrailProfiler(Profiler):
    """Actions of the trainer as zones: they stand in the run with those of your own code, and in the table at the end.

    With `functions=True` every function of Python is measured too, with a table for each action: `line_count_restriction` rows sorted by `sort_by`,
    and with `dump_stats` a .prof file for each in `dirpath`. A `tracer` records the training steps that its schedule names.
    """

    _functions: AdvancedProfiler | None = None  # Lightning's base ends what was never made, too
    _tracer: Tracer | None = None

    def __init__(self, dirpath: str | os.PathLike[str] | None = None, filename: str | None = None, *, functions: bool = False,
                 line_count_restriction: int = 20, sort_by: str = "cumulative", dump_stats: bool = False, tracer: Tracer | None = None) -> None:
        super().__init__(dirpath=dirpath, filename=filename)
        if dump_stats and not (functions and dirpath):
            raise ValueError("dump_stats writes the .prof files of functions=True to dirpath; both must be given")
        self._open: dict[str, Any] = {}
        self._functions = AdvancedProfiler() if functions else None
        self._runs = False
        self._rows, self._sort_by, self._dump_stats, self._tracer = line_count_restriction, sort_by, dump_stats, tracer
        self._calls: dict[str, tuple[int, float]] = {}
        self._tables: dict[str, str] = {}

    def setup(self, stage: str, local_rank: int | None = None, log_dir: str | None = None) -> None:
        super().setup(stage, local_rank, log_dir)
        if self._functions is not None and not self._runs:
            self._runs = True
            self._functions.start()
        if self._tracer is not None:
            self._tracer.start()

    def start(self, action_name: str) -> None:
        if action_name in self._open:
            raise ValueError(f"Attempted to start {action_name} which has already started.")
        zone = _core.zone(action_name)
        self._open[action_name] = zone, time.perf_counter()
        zone.__enter__()
        _core._profile_start_action(action_name)

    def stop(self, action_name: str) -> None:
        _core._profile_stop_action(action_name)
        zone, began = self._open.pop(action_name, (None, 0.0))
        if zone is None:
            raise ValueError(f"Attempting to stop recording an action ({action_name}) which was never started.")
        zone.__exit__(None, None, None)
        if self._functions is not None:
            calls, seconds = self._calls.get(action_name, (0, 0.0))
            self._calls[action_name] = calls + 1, seconds + time.perf_counter() - began
        if self._tracer is not None and action_name == "run_training_batch":
            self._tracer.step()

    def summary(self) -> str:
        """The table of zones; with functions=True one table for each action."""
        if self._functions is None:
            return _core.zone_table_text()
        self._gather()
        blocks = [f"{name}: {calls} calls, {seconds:.6g} s\n{self._tables.get(name, '')}"
                  for name, (calls, seconds) in sorted(self._calls.items(), key=lambda item: -item[1][1])]
        return "\n".join(["Functions by action", "", *blocks])

    def teardown(self, stage: str | None) -> None:
        """The stage is over: what it measured goes to its files."""
        if self._tracer is not None:
            self._tracer.stop()
        if self._functions is not None:
            self._gather()
            if self._runs:
                self._runs = False
                self._functions.stop()
            self._calls, self._tables = {}, {}
        super().teardown(stage)

    def _gather(self) -> None:
        assert self._functions is not None
        if not self._runs:
            return
        for name in self._calls:
            self._tables[name] = self._functions.summary(self._sort_by, self._rows, action=name)
            if self._dump_stats and self.dirpath and self._functions.stats(action=name):
                os.makedirs(self.dirpath, exist_ok=True)
                self._functions.dump_stats(os.path.join(self.dirpath, self._prepare_filename(action_name=_file_part(name), extension=".prof")), action=name)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}, "_tracer": None, "_runs": False}


def _file_part(action: str) -> str:
    """An action as a part of a file's name: some hold brackets and slashes."""
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in action)


class TaffrailProgressBar(ProgressBar):
    """Taffrail's bars for a Trainer: `Trainer(callbacks=[TaffrailProgressBar()])`. What the program prints goes above them.

    Override get_metrics() to choose what a bar shows:

        class Mine(TaffrailProgressBar):
            def get_metrics(self, trainer, module):
                items = super().get_metrics(trainer, module)
                items.pop("v_num", None)
                return items
    """

    def __init__(self, refresh_rate: int = 1, leave: bool = False) -> None:
        super().__init__()
        if refresh_rate < 0:
            raise ValueError("refresh_rate is a number of batches; 0 shows no bars")
        self._refresh_rate, self._leave, self._enabled = refresh_rate, leave, refresh_rate > 0
        self._bars: dict[str, _core.Progress] = {}

    @property
    def refresh_rate(self) -> int:
        return self._refresh_rate

    @property
    def is_enabled(self) -> bool:
        return self._enabled

    def enable(self) -> None:
        self._enabled = self._refresh_rate > 0

    def disable(self) -> None:
        self._enabled = False
        for name in list(self._bars):
            self._close(name)

    def print(self, *values: Any, sep: str = " ", **_: Any) -> None:
        _core.print_above(sep.join(map(str, values)))

    def _begin(self, name: str, description: str, total: float, *, leave: bool = False) -> None:
        self._close(name)
        if self._enabled:
            self._bars[name] = _core.Progress(description, int(total) if total != float("inf") else None, refresh_rate=self._refresh_rate, leave=leave)

    def _advance(self, name: str, position: int, trainer: Any = None, module: Any = None) -> None:
        bar = self._bars.get(name)
        if bar is None:
            return
        if trainer is not None and bar.metrics_due(position):
            bar.set_metrics({key: float(value) if hasattr(value, "item") else value for key, value in self.get_metrics(trainer, module).items()})
        bar.update(position)

    def _close(self, name: str) -> None:
        bar = self._bars.pop(name, None)
        if bar is not None:
            bar.close()

    def on_train_epoch_start(self, trainer: Any, *_: Any) -> None:
        self._begin("train", f"Epoch {trainer.current_epoch}", self.total_train_batches, leave=self._leave)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._advance("train", batch_idx + 1, trainer, pl_module)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        if (bar := self._bars.get("train")) is not None:
            self._advance("train", bar.position, trainer, pl_module)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._close("train")

    def on_sanity_check_start(self, *_: Any) -> None:
        self.reset_dataloader_idx_tracker()

    def on_sanity_check_end(self, *_: Any) -> None:
        self._close("validate")

    def on_validation_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        if self.has_dataloader_changed(dataloader_idx):
            self._begin("validate", self.sanity_check_description if trainer.sanity_checking else self.validation_description,
                        self.total_val_batches_current_dataloader)

    def on_validation_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self._advance("validate", batch_idx + 1)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        self._close("validate")
        self.reset_dataloader_idx_tracker()

    def on_test_start(self, *_: Any) -> None:
        self.reset_dataloader_idx_tracker()

    def on_test_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        if self.has_dataloader_changed(dataloader_idx):
            self._begin("test", self.test_description, self.total_test_batches_current_dataloader)

    def on_test_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self._advance("test", batch_idx + 1, trainer, pl_module)

    def on_test_end(self, *_: Any) -> None:
        self._close("test")

    def on_predict_start(self, *_: Any) -> None:
        self.reset_dataloader_idx_tracker()

    def on_predict_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        if self.has_dataloader_changed(dataloader_idx):
            self._begin("predict", self.predict_description, self.total_predict_batches_current_dataloader)

    def on_predict_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        self._advance("predict", batch_idx + 1)

    def on_predict_end(self, *_: Any) -> None:
        self._close("predict")

    def on_exception(self, *_: Any) -> None:
        for name in list(self._bars):
            self._close(name)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bars": {}}
