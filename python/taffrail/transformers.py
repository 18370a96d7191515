"""Hugging Face Trainer: `Trainer(..., callbacks=[TaffrailCallback(project="bert")])`."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from taffrail._run import Run, init

__all__ = ["TaffrailCallback"]


def _key(name: str) -> str:
    for prefix in ("eval", "test", "predict"):
        if name.startswith(f"{prefix}_"):
            return f"{prefix}/{name[len(prefix) + 1:]}"
    return f"train/{name}"


class TaffrailCallback(TrainerCallback):
    """Logs what the trainer reports into a run: the one that is given, or one opened when the training begins, on the first process."""

    def __init__(self, run: Run | None = None, **options: Any) -> None:
        self.run, self._options, self._own = run, options, run is None

    def _begin(self, args: Any, state: Any, model: Any) -> Run | None:
        if not state.is_world_process_zero:
            return None
        if self.run is None or (self._own and self.run.finished):
            name = getattr(args, "run_name", None)
            self.run = init(**{"project": "huggingface", **({"name": str(name)} if name and name != args.output_dir else {}), **self._options})
            self.run.config.update({"trainer": args.to_sanitized_dict()})
            config = getattr(model, "config", None)
            if config is not None:
                self.run.config["model"] = config.to_dict() if hasattr(config, "to_dict") else str(config)
        return self.run

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        self._begin(args, state, model)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, model: Any = None, **_: Any) -> None:
        run = self._begin(args, state, model)
        if run is None or not logs:
            return
        if state.epoch is not None:
            run.set_epoch(float(state.epoch))
        numbers = {_key(name): value for name, value in logs.items() if isinstance(value, (int, float)) and name != "epoch"}
        if "total_flos" in logs or "train_runtime" in logs:  # the figures of the whole training
            for name, value in numbers.items():
                run.summary[name] = value
        else:
            run.log(numbers, int(state.global_step))

    def on_predict(self, args: Any, state: Any, control: Any, metrics: dict[str, Any], **_: Any) -> None:
        if (run := self._begin(args, state, None)) is not None:
            run.log({_key(name): value for name, value in metrics.items() if isinstance(value, (int, float))}, int(state.global_step))

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.run is not None and not self.run.finished:
            self.run.flush()
