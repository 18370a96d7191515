"""Our archives, checked and uploaded by the unmodified official program to a server that records; and its archives, read by ours."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import Server, build_folder, comet, environment, messages_of, taffrail, write


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    folder = tmp_path_factory.mktemp("everything")
    write("comet", "all", folder)
    (archive,) = (folder / "log").glob("*.zip")
    return archive


def test_official_schemas_take_every_message(everything):
    from comet_ml import schemas

    experiment, messages, _ = messages_of(everything)
    schemas.get_experiment_file_validator(False).validate(experiment)
    of_type = {"metric_msg": "offline-metric-msg", "parameter_msg": "offline-parameter-msg", "log_other": "offline-log-other-msg", "file_upload": "offline-file-upload-msg",
               "graph": "offline-graph-msg", "3d-image": "offline-cloud-3d-msg", "standard_output": "offline-standard-output-msg"}
    checks = {name: schemas.get_validator(f"{schema}.schema.json", False) for name, schema in of_type.items()}
    for message in messages:
        checks[message["type"]].validate(message["payload"])
    assert {message["type"] for message in messages} >= set(of_type) - {"standard_output"}


def test_official_check_passes(tmp_path):
    write("comet", "rows", tmp_path)
    (archive,) = (tmp_path / "log").glob("*.zip")
    done = comet(tmp_path, "offline", "--csv", archive)
    assert done.returncode == 0 and "ERROR" not in done.stdout + done.stderr, done.stdout + done.stderr
    assert any("loss" in line and "metric" in line for line in done.stdout.splitlines()), done.stdout


def test_upload_delivers_everything(everything, tmp_path, server):
    done = comet(tmp_path, "upload", everything, COMET_URL_OVERRIDE=server.url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr or "invalid" not in (done.stdout + done.stderr).lower(), done.stdout + done.stderr
    _, messages, opened = messages_of(everything)
    sent = sorted((m["metricName"], m["step"], str(m["metricValue"])) for m in server.metrics)
    ours = sorted((m["payload"]["metric"]["metricName"], m["payload"]["metric"]["step"], str(m["payload"]["metric"]["metricValue"])) for m in messages if m["type"] == "metric_msg")
    assert sent == ours and len(sent) == 24, done.stdout + done.stderr
    losses = [(m["step"], float(m["metricValue"])) for m in server.metrics if m["metricName"] == "loss"]
    assert sorted(losses) == sorted([(0, 1.0), (1, 0.5), (2, 1 / 3), (7, 0.5), (6, 0.25), (6, 0.125), (9, 0.1)])
    assert {p["parameterName"]: p["parameterValue"] for p in server.parameters} == {"lr": 0.1, "opt|name": "adam", "opt|layers": 3, "x.y": True}
    assert server.others["Name"] == "nice" and server.others["best"] == 42 and set(server.tags) == {"a", "b", "late"}
    files = {bytes(opened.read(m["payload"]["file_path"])) for m in messages if m["type"] == "file_upload"}
    assert files <= {file for _, file in server.uploads}


def test_failure_is_told(tmp_path):
    write("comet", "failed", tmp_path)
    (archive,) = (tmp_path / "log").glob("*.zip")
    assert messages_of(archive)[0]["customer_error_reported"] is True


def test_killed_run_becomes_an_archive_by_sync(tmp_path):
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/comet/tracker_write"
    process = subprocess.Popen([program, "comet", "killed", tmp_path / "root", tmp_path / "log"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not any(path.stat().st_size > 3000 for path in (tmp_path / "log").glob("*/messages.json")):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not list((tmp_path / "log").glob("*.zip"))
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")
    (archive,) = (tmp_path / "log").glob("*.zip")
    values = [m["payload"]["metric"]["metricValue"] for m in messages_of(archive)[1] if m["type"] == "metric_msg"]
    assert len(values) > 10 and values == list(range(len(values)))
    taffrail("sync", run, "--yes")
    assert len(list((tmp_path / "log").glob("*.zip"))) == 1


PROGRAM = """
import sys, math, comet_ml
run = comet_ml.OfflineExperiment(project_name="demo", workspace="me", offline_directory=sys.argv[1], log_code=False, log_graph=False, log_git_metadata=False,
                                 log_git_patch=False, log_env_details=False, auto_output_logging=False, parse_args=False, display_summary_level=0)
run.set_name("nice")
run.add_tags(["a", "b", "late"])
run.log_parameters({"lr": 0.1, "opt": {"name": "adam", "layers": 3}, "x.y": True})
for step in range(3):
    run.log_metrics({"loss": 1 / (step + 1), "acc": step * 0.1, "epoch": step}, step=step)
    run.log_metrics({"val/loss": 10 - step, "dot.key": step, "ünïcode ✓": step}, step=step)
run.log_metric("nan", math.nan, step=3)
run.log_metric("inf", math.inf, step=3)
run.log_text("hello", step=4)
run.log_histogram_3d([1.0, 2.0, 3.0, 4.0], name="hist", step=4)
run.log_curve("pr", [0, 1], [1, 0], step=5)
run.log_other("best", 42)
for value, step in ((0.5, 7), (0.25, 6), (0.125, 6), (0.1, 9)):
    run.log_metric("loss", value, step=step)
run.end()
"""


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    folder = tmp_path_factory.mktemp("official")
    (folder / "program.py").write_text(PROGRAM)
    subprocess.run([sys.executable, folder / "program.py", folder / "out"], env=environment(folder), cwd=folder, check=True, timeout=300, capture_output=True)
    (archive,) = (folder / "out").glob("*.zip")
    return archive


def test_the_same_calls_give_the_same_metrics_and_parameters(everything, official):
    def told(archive):
        messages = messages_of(archive)[1]
        metrics = sorted((m["payload"]["metric"]["metricName"], m["payload"]["metric"]["step"], str(float(m["payload"]["metric"]["metricValue"]))) for m in messages if m["type"] == "metric_msg")
        parameters = {m["payload"]["param"]["paramName"]: m["payload"]["param"]["paramValue"] for m in messages if m["type"] == "parameter_msg"}
        return [metric for metric in metrics if metric[0] != "process duration"], {name: value for name, value in parameters.items() if not name.startswith("curr_")}

    assert told(everything) == told(official)


def test_commands_work_on_official_archives(official, tmp_path):
    shown = json.loads(taffrail("show", official, "--json"))
    run = shown["run"]
    assert (run["name"], run["project"], run["state"], sorted(run["tags"])) == ("nice", "demo", "finished", ["a", "b", "late"])
    assert run["config"] == {"lr": 0.1, "opt/layers": 3, "opt/name": "adam", "x.y": True} and run["summary"]["best"] == 42
    kinds = {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert kinds["loss"] == ("scalar", 7) and kinds["hist"] == ("histogram", 1) and kinds["text-sample"] == ("text", 1)
    taffrail("import", official, "--root", tmp_path / "root")
    taffrail("import", official, "--root", tmp_path / "root")
    (copy,) = (tmp_path / "root/runs").iterdir()
    after = json.loads(taffrail("show", copy, "--json"))
    assert {key["key"]: (key["kind"], key["count"]) for key in after["keys"]} == kinds
    assert "nice" in taffrail("ls", official.parent)


def test_our_archives_come_back_whole(everything):
    shown = json.loads(taffrail("show", everything, "--json"))
    kinds = {key["key"]: key["kind"] for key in shown["keys"]}
    assert {"loss": "scalar", "img": "image", "folder/imgs": "image", "hist": "histogram", "tab": "table", "text": "text", "mesh": "mesh", "sound": "audio", "graph": "graph"}.items() <= kinds.items()
    assert shown["run"]["group"] == "g" and shown["run"]["notes"] == "hello"
