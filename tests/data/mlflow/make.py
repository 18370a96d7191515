"""Makes the samples of this folder: python make.py VERSION TARGET with that version of MLflow installed, in an empty folder below /tmp.

The same runs in both of its stores, packed as TARGET/VERSION.tar.xz (names of files there are not for every system): mlflow.db with its artifacts
(mlruns), and files/mlruns; expected.json is what its own client reports of them. Pictures go to the grid as that version names them.
"""

import json
import os
import shutil
import sys
import tarfile
from pathlib import Path

version, target = sys.argv[1], Path(sys.argv[2]) / f"{sys.argv[1]}.tar.xz"
os.environ.update({"LOGNAME": "someone", "MLFLOW_ALLOW_FILE_STORE": "true", "GIT_PYTHON_REFRESH": "quiet"})
sys.argv = ["make.py"]  # it is written down
import mlflow
import numpy
from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag, ViewType

assert mlflow.__version__ == version, mlflow.__version__
START = 1_700_000_000_000


def fill(client: MlflowClient) -> None:
    experiment = client.create_experiment("eras")
    run = client.create_run(experiment, run_name="whole", start_time=START, tags={"mlflow.note.content": "a note", "team": "a"}).info.run_id
    points = [Metric("train/loss", 1 / (step + 1), START + step, step) for step in range(40)]
    points += [Metric("odd", value, START + 50 + at, step) for at, (value, step) in enumerate(
        [(float("nan"), 3), (float("inf"), 4), (-float("inf"), 5), (-0.25, -7), (1.0, 2**53 + 1), (2.0, 2**53 + 1), (5e-324, 0)])]
    points += [Metric("ünï-code.x y", 7.5, START, 0)]
    client.log_batch(run, points, [Param("lr", "0.5"), Param("opt/name", "adam"), Param("long", "x" * 500), Param("flag", "True")], [RunTag("plain", "")])
    client.log_text(run, "hello", "notes/a.txt")
    with_pictures = hasattr(client, "log_image") and "key" in MlflowClient.log_image.__code__.co_varnames
    if with_pictures:
        grey = numpy.full((3, 4, 3), 9, dtype=numpy.uint8)
        client.log_image(run, grey, key="picture", step=2, timestamp=START)
        client.log_image(run, grey, key="picture", step=5, timestamp=START)
    child = client.create_run(experiment, run_name="child", start_time=START, tags={"mlflow.parentRunId": run}).info.run_id
    client.log_metric(child, "loss", 0.5, START, 1)
    client.set_terminated(child, "KILLED", START + 500)
    failed = client.create_run(experiment, run_name="failed", start_time=START).info.run_id
    client.set_terminated(failed, "FAILED", START + 500)
    gone = client.create_run(experiment, run_name="gone", start_time=START).info.run_id
    client.set_terminated(gone, "FINISHED", START + 500)
    client.delete_run(gone)
    client.set_terminated(run, "FINISHED", START + 1000)


def told(client: MlflowClient) -> dict:
    """What the official client says of every run, numbers as they print."""
    runs = {}
    for experiment in client.search_experiments(view_type=ViewType.ALL):
        for run in client.search_runs([experiment.experiment_id], run_view_type=ViewType.ALL):
            history = {key: [[point.step, point.timestamp, repr(point.value)] for point in client.get_metric_history(run.info.run_id, key)] for key in run.data.metrics}
            runs[run.info.run_name] = {"id": run.info.run_id, "status": run.info.status, "experiment": experiment.name, "deleted": run.info.lifecycle_stage == "deleted",
                                       "start": run.info.start_time, "end": run.info.end_time, "params": run.data.params, "history": history,
                                       "tags": {name: value for name, value in run.data.tags.items() if not name.startswith("mlflow.")}}
    return runs


place = Path("/tmp/mlflow-eras")
shutil.rmtree(place, ignore_errors=True)
(place / "files").mkdir(parents=True)
os.chdir(place)
expected = {}
for name, uri in (("database", f"sqlite:///{place}/mlflow.db"), ("files", f"file://{place}/files/mlruns")):
    mlflow.set_tracking_uri(uri)
    fill(MlflowClient(uri))
    expected[name] = told(MlflowClient(uri))
shutil.copytree(place / "files", place / "kept/files")  # with the deleted run in .trash
shutil.copytree(place / "mlruns", place / "kept/mlruns")
shutil.copy(place / "mlflow.db", place / "kept")
(place / "kept/expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


with tarfile.open(target, "w:xz") as packed:
    packed.add(place / "kept", version, filter=nobody)
shutil.rmtree(place)
