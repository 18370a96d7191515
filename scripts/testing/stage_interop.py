"""The stage interop: a job for each folder of tests/interop, for the slow ones a job for each file."""

from pathlib import Path

from context import Context
from counting import Counts
from jobs import BUILT, Job

# Folder of tests/interop, its peers.
FOLDERS = [("parquet", "parquet"), ("media", "media"), ("tensorboard", "tensorboard"), ("attempts", "tensorboard"), ("torchmetrics", "lightning"),
           ("lightning", "lightning"), ("wandb", "wandb"), ("mlflow", "mlflow"), ("comet", "comet"), ("neptune", "neptune"), ("aim", "aim"), ("trackio", "trackio"), ("server", "server"), ("terminal", "tests"), ("profile", "profile"), ("analysis", "torch_tb_profiler"), ("example", "tests"), ("mpi", "tests"), ("hostile", "tests")]
BY_FILE = ("tensorboard", "server", "mpi")
MINUTES = {"lightning": 1.0, "wandb": 1.5, "mlflow": 1.2, "hostile": 1.0, "attempts": 1.2, "terminal": 0.8, "tensorboard read": 0.6, "server api": 0.6, "mpi stops": 0.6, "torchmetrics": 0.5, "server growth": 0.5}
CORES = {"terminal": 0.5, "wandb": 0.5, "server growth": 0.5, "tensorboard live": 0.5}  # they mostly wait


def measures_times(path: Path) -> bool:
    """Whether a file marks a test with pytest.mark.alone."""
    return "pytest.mark.alone" in path.read_text()


def programs(context: Context) -> dict[str, str]:
    """What the tests start, by variable."""
    built = context.root / "build" / "ci"
    places = {
        "TAFFRAIL_LIGHTNING_REPLAY": built / "tests/interop/lightning/lightning_replay",
        "TAFFRAIL_METRICS_REPLAY": built / "tests/interop/torchmetrics/metrics_replay",
        "TAFFRAIL_PARQUET_SAMPLE": next(iter(built.glob("tests/parquet/*sample*")), ""),
        "TAFFRAIL_MEDIA_TOOL": next(iter(built.glob("tests/interop/media/media_tool")), ""),
        "TAFFRAIL_BUILD": built,
    }
    if context.full:
        places |= {"TAFFRAIL_LIGHTNING_SCRIPTS": "500", "TAFFRAIL_FULL": "1"}
    return {name: str(place) for name, place in places.items()}


def interop(context: Context) -> list[Job]:
    """against the real peers: their readers, servers and clients"""
    jobs = []

    def add(path: Path, family: str, *choice: str, name: str, alone: bool = False) -> None:
        where = str(path.relative_to(context.root))

        def run(c: Context) -> Counts:
            return c.pytest(family, where, *choice, name="alone" if alone else "", environment=programs(c))

        jobs.append(Job("interop", name, run, needs=BUILT | {f"peers:{family}"}, minutes=MINUTES.get(name, 0.3), cores=CORES.get(name, 1), alone=alone))

    for folder, family in FOLDERS:
        place = context.root / "tests/interop" / folder
        files = sorted(place.glob("test_*.py"))
        # ClickHouse needs an environment of its own, which only the full run installs.
        few = ("-k", "not clickhouse") if folder == "parquet" else ()
        for path in files if folder in BY_FILE else [place]:
            name = folder if path is place else f"{folder} {path.stem.removeprefix('test_')}"
            add(path, family, *few, "-m", "not alone", name=name)
        for path in filter(measures_times, files):
            add(path, family, *few, "-m", "alone", name=f"{folder} {path.stem.removeprefix('test_')}, alone", alone=True)
        if folder == "parquet" and context.full:
            add(place, "clickhouse", "-k", "clickhouse", name="clickhouse")
    return jobs
