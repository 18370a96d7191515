"""What the real package wrote is what it says itself, through every command, and stays as it was."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import urllib.request

import pytest
from conftest import ROOT, build_folder, environment, said, taffrail, theirs

READ = """
import json, sys
from trackio.sqlite_storage import SQLiteStorage
all = {}
for project in SQLiteStorage.get_projects():
    for record in SQLiteStorage.get_run_records(project):
        series = {}
        for row in SQLiteStorage.get_logs(project, run_id=record["id"]):
            step, _ = row.pop("step"), row.pop("timestamp")
            for key, value in row.items():
                if isinstance(value, (bool, int, float)):
                    series.setdefault(key, []).append([step, repr(float(value))])
        all[f"{project}/{record['name']}"] = {"id": record["id"], "series": series}
print(json.dumps(all))
"""


def series_of(place, run) -> dict:
    series: dict = {}
    for line in taffrail("export", "--root", place, run, "--format", "jsonl").splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("kind") == "scalar":
            series.setdefault(row["key"], []).append([row["step"], repr(float(row["value"]))])
    return series


def digests(folder) -> dict:
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_every_point_is_what_the_package_says(projects):
    before = digests(projects)
    told = json.loads(theirs(READ, projects).splitlines()[-1])
    runs = {f"{run['project']}/{run['name']}": run for run in said("ls", projects)}
    assert set(runs) == set(told) == {"digits/one", "digits/two", "myotherproject/one"}
    for name, expected in told.items():
        assert runs[name]["id"] == expected["id"] and runs[name]["source"] == "trackio"
        ours = series_of(projects, expected["id"])
        nested = {key for key in ours if key.startswith(("outer/", "system/"))}
        assert {key: ours[key] for key in ours if key not in nested} == expected["series"], name
    one = series_of(projects, told["digits/one"]["id"])
    assert len(one["train/loss"]) == 40 and one["outer/a"] == [[60, "1.5"]] and one["outer/deep/b"] == [[60, "2.0"]] and [value for _, value in one["system/gpu/0/utilization"]] == ["50.0", "60.0"]
    assert [value for _, value in one["odd"] if value in ("nan", "inf", "-inf")] == ["nan", "inf", "-inf"] and one["__step"] == [[60, "4.0"]]
    assert digests(projects) == before, "a folder that is read stays as it was"


def test_settings_media_alerts_and_artifacts_come_along(projects, tmp_path):
    shown = said("show", "--root", projects / "digits.db", "one")
    run, kinds = shown["run"], {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert run["config"] == {"lr": 0.5, "opt/name": "adam", "opt/layers": "[1,2]", "flag": True} and run["group"] == "g"
    assert {key: kind for key, (kind, _) in kinds.items() if kind != "scalar"} == {
        "picture": "image", "pil": "image", "histogram": "histogram", "table": "table", "mixed": "table", "report": "text", "said": "text", "list": "text", "page": "artifact",
        "sound": "audio", "mesh": "mesh", "alerts": "alert", "model": "artifact", "hparams": "hparams"}
    taffrail("export", "--root", projects / "digits.db", "one", "--format", "media", "--media", tmp_path / "media")
    found = {path.name: path.read_bytes() for path in (tmp_path / "media").rglob("*") if path.is_file()}
    pictures = {path.read_bytes() for path in (projects / "media/digits/one/61").glob("*.png")}
    assert len(pictures) == 2 and pictures <= set(found.values()) and b"weights" in found.values()


def test_it_is_compared_imported_and_shown(projects, tmp_path):
    compared = taffrail("compare", "--root", projects / "digits.db", "one", "two")
    assert "0.5" in compared and "0.25" in compared
    first = taffrail("import", projects, "--root", tmp_path / "root")
    runs = {(run["project"], run["name"]): run for run in said("ls", "--root", tmp_path / "root")}
    assert set(runs) == {("digits", "one"), ("digits", "two"), ("myotherproject", "one")}, first
    again = taffrail("import", projects, "--root", tmp_path / "root")
    assert len(said("ls", "--root", tmp_path / "root")) == 3, again
    copy = runs["digits", "one"]["id"]
    assert series_of(tmp_path / "root", copy) == series_of(projects / "digits.db", "one")
    kinds = lambda *place: {key["key"]: (key["kind"], key["count"]) for key in said("show", "--root", *place)["keys"]}
    assert kinds(tmp_path / "root", copy) == kinds(projects / "digits.db", "one")
    server = subprocess.Popen([build_folder() / "bin/taffrail", "ui", projects, "--port", "0", "--no-open", "--json", "--state-dir", tmp_path / "state"], stdout=subprocess.PIPE, text=True)
    try:
        base = json.loads(server.stdout.readline())["address"] + "api/v1/"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(base + "projects", timeout=300) as answer:
            assert {(project["name"], project["runs"]) for project in json.load(answer)["projects"]} == {("digits", 2), ("myotherproject", 1)}
    finally:
        server.terminate()
        server.wait()


LIVE = """
import sys, time, trackio
trackio.init(project="live", name="n", auto_log_gpu=False, auto_log_cpu=False)
for step in range(100000):
    trackio.log({"loss": step / 2}, step=step)
    if step == 20:
        print("ready", flush=True)
    time.sleep(0.01)
"""


def test_a_program_that_still_writes_is_read_and_held_up_by_nobody(tmp_path):
    folder = tmp_path / "projects"
    folder.mkdir()
    writer = subprocess.Popen([sys.executable, "-c", LIVE], env=environment(folder), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        while "ready" not in (line := writer.stdout.readline()):
            assert line, "the writer has ended"
        counts = []
        while len(counts) < 200 and (not counts or counts[-1] < counts[0] + 30):
            listed = subprocess.run([build_folder() / "bin/taffrail", "ls", folder, "--json"], capture_output=True, text=True, timeout=300)
            if listed.returncode == 0 and (runs := json.loads(listed.stdout)):  # its tables are there a moment after it
                assert runs[0]["state"] == "running"
                points = series_of(folder, "n")["loss"]
                assert points == [[step, repr(step / 2)] for step in range(len(points))]
                counts.append(len(points))
        assert counts[-1] > counts[0], "it grows while it is read"
    finally:
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    points = series_of(folder, "n")["loss"]
    assert points == [[step, repr(step / 2)] for step in range(len(points))] and len(points) >= counts[-1]


ERAS = sorted(path.name.removesuffix(".tar.xz") for path in (ROOT / "tests/data/trackio").glob("*.tar.xz"))


@pytest.mark.parametrize("era", ERAS)
def test_what_older_versions_left_is_what_they_said(era, tmp_path):
    """tests/data/trackio/make.py: from before runs had ids."""
    with tarfile.open(ROOT / "tests/data/trackio" / f"{era}.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    place = tmp_path / era
    told = json.loads((place / "expected.json").read_text())
    assert {run["name"] for run in said("ls", place)} == set(told)
    for name, expected in told.items():
        ours = series_of(place, name)
        assert {key: points for key, points in ours.items() if "/" not in key} == expected["series"]
        shown = said("show", "--root", place, name)
        assert shown["run"]["config"] == expected["config"]
        kinds = {key["key"]: key["kind"] for key in shown["keys"]}
        assert expected["kinds"].items() <= kinds.items(), kinds


def test_bad_input_is_told(projects, tmp_path):
    (tmp_path / "half").mkdir()
    whole = (projects / "digits.db").read_bytes()
    (tmp_path / "half/digits.db").write_bytes(whole[: len(whole) // 2])
    listed = subprocess.run([build_folder() / "bin/taffrail", "ls", tmp_path / "half"], capture_output=True, text=True, timeout=300)
    assert "digits.db" in listed.stdout + listed.stderr and "malformed" in listed.stdout + listed.stderr, listed
    shutil.copytree(projects, tmp_path / "gone", ignore=shutil.ignore_patterns("media", "artifacts"))
    shown = subprocess.run([build_folder() / "bin/taffrail", "show", "--root", tmp_path / "gone/digits.db", "one"], capture_output=True, text=True, timeout=300)
    assert "train/loss" in shown.stdout, shown
    exported = subprocess.run([build_folder() / "bin/taffrail", "export", "--root", tmp_path / "gone/digits.db", "one", "--format", "media", "--media", tmp_path / "media"],
                              capture_output=True, text=True, timeout=300)
    assert exported.returncode == 1 and "'picture' at step 61" in exported.stdout + exported.stderr, exported
