"""Databases and file stores of MLflow 2.x (tests/data/mlflow, each with what its own client said of it), read by ours."""

import json
import math
import tarfile

import pytest
from conftest import ROOT, taffrail

ERAS = sorted(path.name.removesuffix(".tar.xz") for path in (ROOT / "tests/data/mlflow").glob("*.tar.xz"))
STATES = {"FINISHED": "finished", "FAILED": "failed", "KILLED": "aborted", "RUNNING": "running"}


@pytest.fixture(scope="module", params=ERAS)
def era(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("era")
    with tarfile.open(ROOT / "tests/data/mlflow" / f"{request.param}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder / request.param


def store(era, name):
    return era / "mlflow.db" if name == "database" else era / "files/mlruns"


def same(one: float, other: float, is_sql: bool) -> bool:
    # SQL keeps infinities as the largest numbers, which are infinities again here.
    return math.isnan(one) and math.isnan(other) or one == other or (is_sql and math.isinf(one) and abs(other) == 1.7976931348623157e308 and (one > 0) == (other > 0))


def points(place, run) -> dict:
    text = taffrail("export", "--root", place, run, "--format", "jsonl")
    series: dict = {}
    for line in text.splitlines():
        row = json.loads(line) if line.startswith("{") else {}
        if row.get("kind") == "scalar":
            series.setdefault(row["key"], []).append((row["step"], row["time"] // 1_000_000, float(row["value"])))
    return series


@pytest.mark.parametrize("name", ["database", "files"])
def test_runs_are_what_their_own_client_said(era, name):
    place, told = store(era, name), json.loads((era / "expected.json").read_text())[name]
    runs = {run["name"]: run for run in json.loads(taffrail("ls", place, "--json", "--all"))}
    for run_name, theirs in told.items():
        ours = runs[run_name]
        assert (ours["id"], ours["project"], ours["state"]) == (theirs["id"], theirs["experiment"], STATES[theirs["status"]]), run_name
        assert ours["deleted"] == theirs["deleted"]
        shown = json.loads(taffrail("show", "--root", place, theirs["id"], "--json"))["run"]
        assert {key: str(value) if value is not True else "True" for key, value in shown["config"].items()} == theirs["params"], run_name
        assert set(shown["tags"]) == {tag if not value else f"{tag}={value}" for tag, value in theirs["tags"].items()}
        series = points(place, theirs["id"])
        assert set(series) == set(theirs["history"]), run_name
        for key, expected in theirs["history"].items():
            by_time = sorted(series[key], key=lambda point: (point[0], point[1]))
            wanted = sorted(((step, time, float(value)) for step, time, value in expected), key=lambda point: (point[0], point[1]))
            assert [point[:2] for point in by_time] == [point[:2] for point in wanted], key
            assert all(same(mine[2], other[2], name == "database") for mine, other in zip(by_time, wanted)), key
    assert json.loads(taffrail("show", "--root", place, told["whole"]["id"], "--json"))["run"]["notes"] == "a note"


@pytest.mark.parametrize("name", ["database", "files"])
def test_pictures_and_files_come_along(era, name, tmp_path):
    place, told = store(era, name), json.loads((era / "expected.json").read_text())[name]
    shown = json.loads(taffrail("show", "--root", place, told["whole"]["id"], "--json"))
    kinds = {key["key"]: (key["kind"], key["count"]) for key in shown["keys"]}
    assert kinds["picture"] == ("image", 2) and kinds["notes"] == ("artifact", 1), kinds
    taffrail("import", place, "--root", tmp_path / "root")
    (copy,) = (run for run in json.loads(taffrail("ls", "--root", tmp_path / "root", "--json")) if run["name"] == "whole")
    after = json.loads(taffrail("show", "--root", tmp_path / "root", copy["id"], "--json"))
    assert {key["key"]: (key["kind"], key["count"]) for key in after["keys"]} == kinds
    assert "already" in (said := taffrail("import", place, "--root", tmp_path / "root")) or "0 " in said
