"""Keras: `model.fit(..., callbacks=[TaffrailCallback(project="mnist")])`."""

from __future__ import annotations

from typing import Any

from keras.callbacks import Callback

from taffrail._run import Run, init

__all__ = ["TaffrailCallback"]


def _key(name: str) -> str:
    return f"val/{name[4:]}" if name.startswith("val_") else f"train/{name}"


class TaffrailCallback(Callback):
    """Logs what Keras reports into a run: the one that is given, or one opened when the training begins. `log_freq` is 'epoch', or every
    how many batches the values of a batch are logged too, under `batch/`."""

    def __init__(self, run: Run | None = None, *, log_freq: str | int = "epoch", **options: Any) -> None:
        super().__init__()
        if log_freq != "epoch" and (not isinstance(log_freq, int) or log_freq < 1):
            raise ValueError("log_freq is 'epoch' or a number of batches")
        self.run, self._options, self.log_freq, self._batches = run, options, log_freq, 0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        if self.run is None or self.run.finished:
            self.run = init(**{"project": "keras", **self._options})
        self.run.config.update({"fit": {name: value for name, value in (self.params or {}).items() if value is not None},
                                "parameters": int(self.model.count_params()) if self.model is not None and self.model.built else None})

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        if self.log_freq != "epoch" and self._batches % self.log_freq == 0 and self.run is not None:
            self.run.log({f"batch/{name}": value for name, value in (logs or {}).items()}, self._batches)
        self._batches += 1

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        assert self.run is not None
        self.run.set_epoch(float(epoch))
        values = {_key(name): value for name, value in (logs or {}).items()}
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None and hasattr(optimizer, "learning_rate"):
            values["train/learning_rate"] = float(optimizer.learning_rate)
        self.run.log(values, epoch)

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """evaluate() by itself; what fit() evaluates comes with its epoch."""
        if self.run is not None and not self.run.finished and not getattr(self, "_fitting", False):
            self.run.log({f"test/{name}": value for name, value in (logs or {}).items()})

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        self._fitting = True

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        self._fitting = False
        if self.run is not None and not self.run.finished:
            self.run.flush()
