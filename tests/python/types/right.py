"""A program as people write them, which type checkers find nothing in (tests/python/test_types.py). It is not run."""

from __future__ import annotations

from collections.abc import Sequence

import taffrail
import taffrail.tensorboard
import taffrail.wandb as wandb
from taffrail.tensorboard import SummaryWriter


class Seen(taffrail.Sink):
    def __init__(self) -> None:
        self.count = 0

    def accepts(self, kind: str) -> bool:
        return kind in ("scalar", "text")

    def write(self, records: Sequence[taffrail.Record]) -> None:
        self.count += len(records)


class Best(taffrail.Routine):
    key = "best"

    def log_iter(self, data: taffrail.DataMap, context: taffrail.RoutineContext) -> None:
        context.log({"best": float(data.values["acc"])}, step=data.total_iters)


class Accuracy(taffrail.Metric):
    def __init__(self) -> None:
        super().__init__()
        self.add_state("correct", 0, dist_reduce_fx="sum")

    def update(self, right: int) -> None:
        self.correct += right

    def compute(self) -> float:
        return float(self.correct)


@taffrail.profile
def load(count: int) -> int:
    return sum(range(count))


@taffrail.profile(name="other")
async def later(count: int) -> int:
    return count


def measured() -> int:
    with taffrail.zone("a"), taffrail.PauseDrawing():
        return 1


def logged() -> int:
    with wandb.init() as run:
        run.log({"a": 1.0})
        return 1


def train() -> None:
    seen = Seen()
    with taffrail.init(project="p", name="n", config={"lr": 0.1}, tags=["a"], sinks=[seen], resume=True) as run:
        loss = run.scalar("loss")
        row = run.row("a", "b")
        for step in range(10):
            loss.log(0.5, step)
            row.log(step, 1.0, 2.0)
            run.log({"acc": 0.5, "image": taffrail.Image([[0.0]])}, step=step)
            run.log("key", 1.0, step)
            taffrail.log({"x": 1.0})
            with taffrail.zone("step"):
                load(5)
        number: int = load(5)
        run.summary["best"] = number
        run.define_metric("val/*", goal="maximize")
        path: str = run.folder
        run.log_artifact("a", path)
        with taffrail.guard(nan="mark"):
            pass
    series = taffrail.read().run("n").read("loss", ["step", "value"])
    print(len(series), series.to_pandas(), [info.name for info in taffrail.read().runs()])
    for item in taffrail.progress(range(3), "load"):
        print(item)
    writer = SummaryWriter("runs")
    writer.add_scalar("a", 1.0, 0)
    writer.close()
    taffrail.tensorboard.SummaryWriter("x").close()
    with wandb.init(project="p", config={"a": 1}) as other:
        other.log({"a": 1.0, "im": wandb.Image([[0]])})
        wandb.log({"b": 2}, step=1)
    with taffrail.profile.AdvancedProfiler() as profiler:
        load(3)
    profiler.dump_stats("x.prof")
    try:
        taffrail.read("nowhere")
    except taffrail.NotFoundError as error:
        code: str = error.code
        print(code)
    except taffrail.Error:
        pass
    plan = taffrail.schedule(wait=1, warmup=1, active=2)
    with taffrail.Tracer("traces", schedule=plan) as tracer:
        tracer.step()
    print(taffrail.__version__.upper(), taffrail.zone_rows())
    taffrail.notebook.show(run, height=3)
    logger = taffrail.Logger(run, routines=["metric", Best], interface="csv", interface_options={"log_dir": "csv"})
    logger.log_iter({"acc": 0.5}, phase="train")
    composed = taffrail.compose("config", ["a=1"])
    print(composed.config["a"], taffrail.make_loggers(run, composed))


train()
