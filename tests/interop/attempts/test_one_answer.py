"""One answer to which points count, whoever asks: random runs of several attempts and ranks, read from logs, sealed, without their logs, and with a newest attempt
that is running or sealed by itself, through the commands, the server and TensorBoard, against one naive model (naive.py)."""

import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy
import pytest
import requests
from naive import Run, Writer, same, summary
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))
TAFFRAIL, WRITER = BUILD / "bin" / "taffrail", BUILD / "tests" / "e2e" / "e2e_writer"
SEEDS = range(24)
PHASES = ("running", "logs", "sealed", "dropped", "resumed", "sealed again")


def taffrail(*arguments) -> str:
    done = subprocess.run([TAFFRAIL, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def runs():
    return [Run(seed) for seed in SEEDS]


@pytest.fixture(scope="module", params=PHASES)
def store(request, runs, tmp_path_factory):
    """The same runs in each of the states a run goes through. Each attempt but the first resumes a run that may be sealed by then, its logs dropped."""
    phase, root = request.param, tmp_path_factory.mktemp(request.param)

    def seal():
        taffrail("seal", "--root", root, "--all")

    def drop():
        for live in (root / "runs").glob("*/live"):
            shutil.rmtree(live)

    with Writer(WRITER, root) as writer:
        if phase in ("running", "logs", "sealed", "dropped"):
            writer.write(runs, lambda run: range(run.newest() + 1), live=phase == "running")
        else:
            writer.write(runs, lambda run: range(run.newest()))
            seal()
            drop()
            writer.write(runs, lambda run: [run.newest()], live=phase == "resumed")
        if phase in ("sealed", "dropped", "sealed again"):
            seal()
        if phase in ("dropped", "sealed again"):
            drop()
        states = {run["state"] for run in json.loads(taffrail("ls", root, "--json", "-n", 0))}
        assert states == {"running" if phase in ("running", "resumed") else "finished"}
        yield root


@pytest.fixture(scope="module")
def server(store, tmp_path_factory):
    process = subprocess.Popen([TAFFRAIL, "ui", store, "--port", "0", "--no-open", "--json", "--state-dir", tmp_path_factory.mktemp("state")],
                               stdout=subprocess.PIPE, text=True)
    yield json.loads(process.stdout.readline())["address"]
    process.terminate()
    assert process.wait(timeout=20) == 0


def number(text) -> float:
    return float(text) if isinstance(text, (int, float)) else float(text.replace("Infinity", "inf"))


def rows_of(lines, named=lambda row: row["run"]):
    """(run, key) to its points in the order of the file."""
    found = {}
    for row in lines:
        found.setdefault((named(row), row["key"]), []).append((int(row["attempt"]), int(row["rank"]), int(row["step"]), int(row["time"]), number(row["value"])))
    return found


def expect_points(found, runs, chosen):
    """`found` holds the chosen points of every series of every run, in log order, and nothing else."""
    expected = {(run.id, key): [(p.attempt, p.rank, p.step, p.time, p.value) for p in chosen(run, key)] for run in runs for key in run.keys()}
    expected = {series: points for series, points in expected.items() if points}
    assert found.keys() == expected.keys()
    for series, points in expected.items():
        assert len(found[series]) == len(points), series
        assert all(all(map(same, one, other)) for one, other in zip(found[series], points)), series


def parquet_rows(files) -> list:
    sys.path.insert(0, str(ROOT / "scripts"))
    from testing import peers

    read = ("import json, sys, pyarrow.parquet as p\n"
            "for f in sys.argv[1:]:\n"
            "    t = p.read_table(f); t = t.set_column(t.column_names.index('time'), 'time', t['time'].cast('int64'))\n"
            "    print(json.dumps([{**r, 'value': repr(r['value'])} for r in t.to_pylist()]))")
    lines = subprocess.run([peers.python_of("parquet"), "-c", read, *files], capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def test_the_command_line_exports_what_counts(store, runs, tmp_path):
    tidy = taffrail("export", store, "-t", "csv")
    expect_points(rows_of(csv.DictReader(io.StringIO(tidy))), runs, Run.winners)
    expect_points(rows_of(csv.DictReader(io.StringIO(taffrail("export", store, "-t", "csv", "--attempts", "all")))), runs, Run.all)
    lines = taffrail("export", store, "-t", "jsonl").splitlines()
    expect_points(rows_of(map(json.loads, lines)), runs, Run.all)
    lines = taffrail("export", store, "-t", "jsonl", "--attempts", "winning").splitlines()
    expect_points(rows_of(map(json.loads, lines)), runs, Run.winners)
    taffrail("export", store, "-t", "parquet", "-o", tmp_path / "points.parquet")
    expect_points(rows_of(parquet_rows([tmp_path / "points.parquet"])[0]), runs, Run.winners)


def wide_points(text):
    table = csv.DictReader(io.StringIO(text))
    found = {}
    for row in table:
        for key in table.fieldnames[5:]:
            if row[key] != "":
                found.setdefault((row["run"], key), Counter())[int(row["attempt"]), int(row["rank"]), int(row["step"]), repr(number(row[key]))] += 1
    return found


def expect_cells(found, runs):
    for run in runs:
        for key in run.keys():
            expected = Counter((p.attempt, p.rank, p.step, repr(p.value)) for p in run.winners(key))
            assert found.get((run.id, key), Counter()) == expected, (run.id, key)


def test_the_wide_table_has_a_cell_for_each_point_that_counts(store, runs):
    expect_cells(wide_points(taffrail("export", store, "-t", "csv", "--wide")), runs)


def test_the_server_sends_the_files_that_the_command_line_writes(store, server, runs, tmp_path):
    ids = [run.id for run in runs]

    def download(**job):
        ticket = requests.post(server + "api/v1/exports", json={"runs": ids, **job}, timeout=30).json()
        assert "partial" not in ticket
        return requests.get(server + ticket["href"], timeout=60).content

    def order(text):
        """Runs may come in another order; series of a run may not."""
        rows = list(csv.reader(io.StringIO(text)))
        return rows[0], sorted(rows[1:], key=lambda row: row[0])

    assert order(download(format="csv").decode()) == order(taffrail("export", store, "-t", "csv"))
    assert order(download(format="csv", attempts="all").decode()) == order(taffrail("export", store, "-t", "csv", "--attempts", "all"))
    sent = [json.loads(line) for line in download(format="jsonl").decode().splitlines()]
    written = [json.loads(line) for line in taffrail("export", store, "-t", "jsonl", "--attempts", "winning").splitlines()]
    assert sorted(map(json.dumps, sent)) == sorted(map(json.dumps, written))
    expect_cells(wide_points(download(format="csv", shape="wide").decode()), runs)
    (tmp_path / "sent.parquet").write_bytes(download(format="parquet"))
    expect_points(rows_of(parquet_rows([tmp_path / "sent.parquet"])[0]), runs, Run.winners)


def frame_of(server, **chart):
    content = requests.post(server + "api/v1/series:query", json={"charts": [{"id": "c", "precision": "f32", **chart}]}, timeout=30).content
    head, body = int.from_bytes(content[4:8], "little"), content[16:]
    header = json.loads(body[:head])
    assert "error" not in header, header
    types = {"f64": "<f8", "f32": "<f4", "u32": "<u4", "u8": "<u1"}
    return header, {field["name"]: numpy.frombuffer(body[head:], types[field["type"]], field["length"], field["offset"]).tolist() for field in header["fields"]}


def marks_of(arrays, first, count):
    totals = [0, 0, 0]
    for bin_number, kind, how_many in zip(arrays.get("mark_bin", []), arrays.get("mark_kind", []), arrays.get("mark_count", [])):
        totals[kind] += how_many if first <= bin_number < first + count else 0
    return totals


def test_charts_show_what_counts_as_points_and_as_bins(server, runs):
    for run in runs:
        for key in run.keys():
            winners = sorted(run.winners(key), key=lambda point: point.step)
            known = summary(winners)
            for width in (8192, 7):
                header, arrays = frame_of(server, runs=[run.id], keys=[key], width=width)
                series = header["series"]
                assert (series["points"], series["total"]) == ([len(winners)], [len(winners)]), (run.id, key)
                assert sum(arrays["count"]) == len(winners)
                assert marks_of(arrays, 0, len(arrays["count"])) == [known["nan"], known["positive"], known["negative"]], (run.id, key)
                if series["raw"][0]:
                    assert arrays["x"][:-1] == [point.step for point in winners]
                    shown = [point.value if math.isfinite(point.value) else math.nan for point in winners]  # the others are marks
                    assert all(map(same, arrays["mean"], shown)), (run.id, key)
                else:
                    expect_bins(arrays, winners)
            superseded = len(run.all(key)) - len(winners)
            header, arrays = frame_of(server, runs=[run.id], keys=[key], width=7, attempts="all")
            by_current = {True: 0, False: 0}
            for current, points in zip(header["series"]["current"], header["series"]["points"]):
                by_current[current] += points
            assert by_current == {True: len(winners), False: superseded}, (run.id, key)


def test_over_another_metric_each_point_stands_where_its_process_was(server, runs):
    for run in runs:
        others, points = run.winners("a"), run.winners("train/b")
        if not others or not points:
            continue
        own = {(p.attempt, p.rank, p.step): p.value for p in others}
        newest = {p.step: p.value for p in others}
        placed = [(own.get((p.attempt, p.rank, p.step), newest.get(p.step, math.nan)), p.value) for p in points]
        expected = sorted((pair for pair in placed if math.isfinite(pair[0])), key=lambda pair: pair[0])
        header, arrays = frame_of(server, runs=[run.id], keys=["train/b"], width=8192, x={"axis": "metric", "metric": "a"})
        assert header["series"]["points"] == [len(expected)] and (not expected or header["series"]["raw"][0]), run.id
        if expected:
            assert arrays["x"][:-1] == [x for x, _ in expected], run.id
            assert all(map(same, arrays["mean"], [value if math.isfinite(value) else math.nan for _, value in expected])), run.id


def expect_bins(arrays, winners):
    edges, last = arrays["x"], len(arrays["count"]) - 1
    for i, count in enumerate(arrays["count"]):
        inside = [p for p in winners if p.step >= edges[i] and (p.step <= edges[i + 1] if i == last else p.step < edges[i + 1])]
        known = summary(inside)
        assert count == known["count"]
        finite = [p.value for p in inside if math.isfinite(p.value)]
        for name in ("min", "max"):
            assert same(arrays[name][i], math.nan if known[name] is None else known[name]), (name, i)
        assert same(arrays["last"][i], finite[-1] if finite else math.nan), i
        assert (known["mean"] is None and math.isnan(arrays["mean"][i])) or arrays["mean"][i] == pytest.approx(known["mean"], rel=1e-5, abs=1e-3)


def test_statistics_of_a_range_are_those_of_what_counts(server, runs):
    series = [(run, key) for run in runs for key in run.keys()]
    asked = {"series": [{"run": run.id, "key": key} for run, key in series], "x": {"axis": "step"}}
    answers = requests.post(server + "api/v1/series:stats", json=asked, timeout=60).json()["stats"]
    for (run, key), answer in zip(series, answers):
        known = summary(run.winners(key))
        if known["count"] == 0:
            assert answer is None
            continue
        finite = known["count"] - known["nan"] - known["positive"] - known["negative"]
        assert (answer["count"], answer["nan"]) == (finite, known["count"] - finite), (run.id, key)
        for name in ("min", "max", "mean"):
            expected = math.nan if known[name] is None else known[name]
            assert number(answer[name]) == pytest.approx(expected, nan_ok=True, abs=1e-6), (run.id, key, name)


def test_show_and_compare_know_what_counts(store, runs):
    known = {(run.id, key): (run.winners(key), summary(run.winners(key))) for run in runs for key in run.keys()}
    for run in runs:
        shown = {key["key"]: key for key in json.loads(taffrail("show", "--root", store, run.id, "--json"))["keys"]}
        assert list(shown) == sorted(run.keys())
        for key, answer in shown.items():
            winners, expected = known[run.id, key]
            assert answer["count"] == expected["count"], (run.id, key)
            if not winners:
                continue
            assert [answer[name + "_count"] for name in ("nan", "positive_infinity", "negative_infinity")] == [expected["nan"], expected["positive"], expected["negative"]]
            assert (answer["first_step"], answer["last_step"]) == (min(p.step for p in winners), max(p.step for p in winners))
            expect_summary(answer, expected)
    for statistic in ("min", "max", "mean", "last"):
        table = json.loads(taffrail("compare", "--root", store, *(run.id for run in runs), "--value", statistic, "--json"))
        for i, id in enumerate(table["runs"]):
            for key, values in table["metrics"].items():
                if (id, key) in known:
                    expect_summary({statistic: values[i]}, known[id, key][1])


def expect_summary(answer, expected):
    for name in {"min", "max", "mean", "last"} & answer.keys():
        assert (answer[name] is None) == (expected[name] is None), (name, answer, expected)
        if answer[name] is not None:
            assert number(answer[name]) == pytest.approx(expected[name], abs=1e-9), name


def test_tensorboard_reads_what_counts_from_its_export(store, runs, tmp_path):
    taffrail("export", store, "-t", "tensorboard", "-o", tmp_path / "logdir")
    for run in runs:
        found = {}
        for rank in range(run.world_size):
            folder = tmp_path / "logdir" / f"{run.name}-{run.id}" / (f"rank_{rank}" if rank else "")
            if not folder.exists():
                continue
            events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0})
            events.Reload()
            for tag in events.Tags()["scalars"]:
                found.setdefault(tag, Counter()).update((rank, event.step, repr(float(event.value))) for event in events.Scalars(tag))
            for tag in events.Tags()["tensors"]:
                found.setdefault(tag, Counter()).update((rank, event.step, repr(float(event.tensor_proto.float_val[0]))) for event in events.Tensors(tag) if event.tensor_proto.float_val)
        for key in run.keys():
            expected = Counter((p.rank, p.step, repr(p.value)) for p in run.winners(key))
            assert found.get(key, Counter()) == expected, (run.id, key)


def test_the_tail_is_the_newest_points_of_every_attempt(store, runs):
    for run in runs:
        newest = sorted((point for key in run.keys() for point in run.all(key)), key=lambda point: point.time)
        for count in (7, len(newest) + 1):
            shown = [json.loads(line) for line in taffrail("tail", "--root", store, run.id, "-n", count, "--json").splitlines()]
            expected = [(p.key, p.attempt, p.rank, p.step, p.time, repr(p.value)) for p in newest[-count:]]
            assert [(p["key"], p["attempt"], p["rank"], p["step"], p["time"], repr(number(p["value"]))) for p in shown] == expected, (run.id, count)


def test_the_nearest_point_is_one_that_counts(server, runs):
    series = [(run, key) for run in runs for key in run.keys()]
    for at in (-5, 0, 17.5, 40, 1_000_000):
        asked = {"series": [{"run": run.id, "key": key} for run, key in series], "x": {"axis": "step"}, "at": at}
        answers = requests.post(server + "api/v1/series:points", json=asked, timeout=60).json()["points"]
        for (run, key), answer in zip(series, answers):
            winners = run.winners(key)
            if not winners:
                assert answer is None, (run.id, key, at)
                continue
            nearest = min(abs(point.step - at) for point in winners)
            best = [(p.attempt, p.step, repr(p.value)) for p in winners if abs(p.step - at) == nearest]
            assert (answer["attempt"], answer["step"], repr(number(answer["value"]))) in best, (run.id, key, at)
