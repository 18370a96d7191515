"""Accelerate: `Accelerator(log_with=TaffrailTracker("run-1", project="llm"))`."""

from __future__ import annotations

from typing import Any

from accelerate.tracking import GeneralTracker, on_main_process

from taffrail._run import Run, init

__all__ = ["TaffrailTracker"]


class TaffrailTracker(GeneralTracker):
    """A tracker of Accelerate that logs into a run; `options` are those of taffrail.init()."""

    name = "taffrail"
    requires_logging_directory = False
    main_process_only = True

    @on_main_process
    def __init__(self, run_name: str = "", run: Run | None = None, **options: Any) -> None:
        super().__init__()
        self.run = run if run is not None else init(name=run_name, **options)

    @property
    def tracker(self) -> Run:
        return self.run

    @on_main_process
    def store_init_configuration(self, values: dict[str, Any]) -> None:
        self.run.config.update(values)

    @on_main_process
    def log(self, values: dict[str, Any], step: int | None = None, **_: Any) -> None:
        self.run.log(values, step)

    @on_main_process
    def log_images(self, values: dict[str, Any], step: int | None = None, **_: Any) -> None:
        for key, images in values.items():
            self.run.log_image(key, images, step)

    @on_main_process
    def log_table(self, table_name: str, columns: list[str] | None = None, data: Any = None, dataframe: Any = None, step: int | None = None, **_: Any) -> None:
        self.run.log_table(table_name, dataframe if dataframe is not None else data, step, columns=columns)

    @on_main_process
    def finish(self) -> None:
        self.run.finish()
