"""Runs sent to a real tracking server, read back by its own client."""

import json
import math
import re
import subprocess
import time

import pytest
from conftest import build_folder, environment, only_run, taffrail, write

pytestmark = pytest.mark.filterwarnings("ignore")


def history(client, run, name):
    return sorted((point.step, point.value) for point in client.get_metric_history(run.info.run_id, name))


def listed(client, run, path=None) -> list[str]:
    files = []
    for entry in client.list_artifacts(run.info.run_id, path):
        files += listed(client, run, entry.path) if entry.is_dir else [entry.path]
    return files


def test_every_kind_arrives(server, client, tmp_path):
    done = write("all", tmp_path / "root", server.url)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"sends to {server.url}") == 1
    run = only_run(client, "all1")
    run_id = run.info.run_id
    assert client.get_experiment(run.info.experiment_id).name == "demo"
    assert run.info.run_name == "nice" and run.info.status == "FINISHED" and run.info.end_time >= run.info.start_time

    assert history(client, run, "loss") == [(step, 1 / (step + 1)) for step in range(3)]
    for name in ("odd_x23_key", "ünï _xE2__x9C__x93_", "a/_x2F_b", "_x2E_./x"):
        assert history(client, run, name) == [(step, float(step)) for step in range(3)], name
    assert history(client, run, "step") == [(-5, 1.0), (2, 3.0), (2, 4.0), (2**53 + 1, 2.0)]
    assert math.isnan(history(client, run, "nan")[0][1])
    assert history(client, run, "inf") == [(3, 1.7976931348623157e308)]
    assert run.data.tags["taffrail.infinite"] == "inf"
    cut = [name for name in run.data.metrics if name.startswith("kkk")]
    assert len(cut) == 1 and len(cut[0]) <= 250

    assert run.data.params["lr"] == "0.1" and run.data.params["opt/name"] == "adam" and run.data.params["layers"] == "3"
    assert run.data.params["flag"] == "True" and run.data.params["long"] == "x" * 6000 and run.data.params["odd_x23_name"] == "v"
    tags = run.data.tags
    assert tags["a"] == "" and tags["color"] == "red" and tags["late"] == "" and tags["taffrail.group"] == "g" and tags["taffrail.job_type"] == "train"
    assert tags["mlflow.note.content"] == "hello" and tags["mlflow.source.type"] == "LOCAL" and tags["mlflow.user"]
    assert tags["taffrail.summary.best"] == "42" and json.loads(tags["taffrail.metric.acc"])["goal"] == "maximize"
    assert any(name.startswith("taffrail.alert.") and value == "WARN T: text" for name, value in tags.items())

    files = listed(client, run)
    for file in ("params/long.txt", "histograms/hist/step_4.json", "text/text/step_4.md", "tables/tab/step_4.json", "meshes/mesh/step_5.glb", "audio/sound/step_5.wav",
                 "figures/figure/step_5.json", "tensors/tensor/step_5.npy", "taffrail/names.json", "console/part_000000.txt"):
        assert file in files, files
    assert any(file.startswith("artifacts/my model/v") and file.endswith("weights.bin") for file in files), files
    folder = tmp_path / "down"
    folder.mkdir()
    assert open(client.download_artifacts(run_id, "params/long.txt", str(folder))).read() == "x" * 7000
    assert "to stdout" in open(client.download_artifacts(run_id, "console/part_000000.txt", str(folder))).read()
    assert any(name.startswith("system/cpu_utilization_percentage") for name in run.data.metrics), run.data.metrics


def test_pictures_are_those_of_the_image_grid(server, client, tmp_path):
    from PIL import Image

    if not [run for run in client.search_runs([e.experiment_id for e in client.search_experiments()], "tags.`taffrail.run_id` = 'all1'")]:
        write("all", tmp_path / "root", server.url)
    run = only_run(client, "all1")
    assert run.data.tags["mlflow.loggedImages"] == "True"
    names = sorted(entry.path for entry in client.list_artifacts(run.info.run_id, "images"))
    grid = [name for name in names if name.startswith("images/samples~digit+step+")]
    assert len(grid) == 6 and sum(name.endswith("+compressed.webp") for name in grid) == 3, names
    assert sum(name.startswith("images/pair~1+step+4+timestamp+") for name in names) == 2
    small = Image.open(client.download_artifacts(run.info.run_id, next(name for name in grid if name.endswith(".webp")), str(tmp_path)))
    assert small.format == "WEBP" and small.size == (256, 170)
    whole = Image.open(client.download_artifacts(run.info.run_id, next(name for name in grid if name.endswith(".png")), str(tmp_path)))
    assert whole.size == (60, 40)


def test_the_same_calls_by_the_official_client_give_the_same_run(server, client, tmp_path):
    """All that both can say; what that client refuses (odd names, long parameters) is told in docs/trackers/mlflow.md."""
    import numpy
    from PIL import Image

    if not client.search_runs([one.experiment_id for one in client.search_experiments()], "tags.`taffrail.run_id` = 'all1'"):
        write("all", tmp_path / "root", server.url)
    ours = only_run(client, "all1")
    pixels = (numpy.arange(40 * 60 * 3) // 28).astype(numpy.uint8).reshape(40, 60, 3)
    run_id = client.create_run(client.create_experiment("the same calls"), run_name="nice").info.run_id
    for name, value in {"lr": 0.1, "opt/name": "adam", "layers": 3, "flag": True}.items():
        client.log_param(run_id, name, value)
    for name, value in {"color": "red", "mlflow.note.content": "hello"}.items():
        client.set_tag(run_id, name, value)
    for step in range(3):
        client.log_metric(run_id, "loss", 1 / (step + 1), step=step)
        client.log_metric(run_id, "acc", step * 0.1, step=step)
    for name, value, step in (("nan", math.nan, 3), ("inf", math.inf, 3), ("step", 1, -5), ("step", 2, 2**53 + 1), ("step", 3, 2), ("step", 4, 2)):
        client.log_metric(run_id, name, value, step=step)
    client.log_image(run_id, pixels, key="samples/digit", step=0)
    client.set_terminated(run_id)
    theirs = client.get_run(run_id)

    assert (ours.info.run_name, ours.info.status) == (theirs.info.run_name, theirs.info.status)
    for name in theirs.data.metrics:
        assert [(step, str(value)) for step, value in history(client, ours, name)] == [(step, str(value)) for step, value in history(client, theirs, name)], name
        assert str(ours.data.metrics[name]) == str(theirs.data.metrics[name]), name
    assert theirs.data.params.items() <= ours.data.params.items()
    assert {name: ours.data.tags[name] for name in ("color", "mlflow.note.content", "mlflow.runName", "mlflow.loggedImages")} == {
        name: theirs.data.tags[name] for name in ("color", "mlflow.note.content", "mlflow.runName", "mlflow.loggedImages")}

    def pictures(run) -> dict:
        found = {}
        for file in listed(client, run, "images"):
            if file.startswith("images/samples~digit+step+0+"):
                name = re.sub(r"timestamp\+\d+\+[0-9a-f-]+", "", file)
                found[name] = Image.open(client.download_artifacts(run.info.run_id, file, str(tmp_path))).convert("RGB")
        return found

    mine, official = pictures(ours), pictures(theirs)
    assert mine.keys() == official.keys() and len(mine) == 2
    assert {name: picture.size for name, picture in mine.items()} == {name: picture.size for name, picture in official.items()}
    (whole,) = (name for name in mine if name.endswith(".png"))
    assert mine[whole].tobytes() == official[whole].tobytes() == pixels.tobytes()


def test_resumed_run_is_one_run_there(server, client, tmp_path):
    assert write("first", tmp_path / "root", server.url).returncode == 0
    run = only_run(client, "again1")
    assert run.info.status == "FAILED"
    assert write("second", tmp_path / "root", server.url).returncode == 0
    run = only_run(client, "again1")
    assert run.info.status == "FINISHED"
    assert [step for step, _ in history(client, run, "loss")] == sorted([*range(10), *range(5, 15)])  # both attempts of steps 5 to 9
    assert run.data.params["lr"] == "0.1" and run.data.tags["taffrail.params.lr"] == "0.2"


def test_server_that_dies_during_a_run_gets_everything(server, client, tmp_path):
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/mlflow/mlflow_write"
    writer = subprocess.Popen([program, "slow", tmp_path / "root", server.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    assert writer.stdout.readline() == "ready\n"
    server.kill()
    time.sleep(1)
    server.start()
    _, said = writer.communicate(timeout=300)
    assert writer.returncode == 0
    if "taffrail sync" in said:
        taffrail("sync", "--root", tmp_path / "root", "slow1", "--yes")
    run = only_run(client, "slow1")
    assert history(client, run, "loss") == [(step, step * 0.5) for step in range(2000)]
    assert history(client, run, "acc") == [(step, float(-step)) for step in range(2000)]
    assert run.info.status == "FINISHED"


def test_addresses_that_are_files_are_explained(tmp_path):
    for uri in ("sqlite:///x.db", "file:///tmp/mlruns", "mlruns"):
        done = write("first", tmp_path / "root", uri)
        assert "mlflow server --backend-store-uri " + uri in done.stderr, done.stderr
