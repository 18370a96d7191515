"""The commands and the dashboard on logdirs, as on native runs."""

import csv
import hashlib
import io
import json
import subprocess
import urllib.parse
import urllib.request

import numpy as np
import pytest
from conftest import dump
from PIL import Image
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from test_repair import TAFFRAIL, taffrail


def test_ls_lists_every_run_below_the_shared_folder(logdir):
    runs = {run["id"]: run for run in json.loads(taffrail("ls", logdir, "--json").stdout)}
    assert {".", "media", "scalars/0", "scalars/1", "scalars/2", "hparams/a", "hparams/a/eval", "names/nested/deeper"} <= set(runs)
    assert runs["hparams/failed"]["state"] == "failed" and runs["hparams/a"]["state"] == "finished"
    assert runs["hparams/seed_0"]["group"] == "trial"


def test_show_names_every_kind_of_a_logdir(logdir):
    shown = json.loads(taffrail("show", "--root", logdir, "media", "--json").stdout)
    kinds = {key["kind"] for key in shown["keys"]}
    assert kinds >= {"scalar", "image", "video", "audio", "text", "table", "histogram", "graph", "mesh", "pr_curve", "embedding"}
    settings = json.loads(taffrail("show", "--root", logdir, "hparams/a", "--json").stdout)["run"]["config"]
    assert settings == {"lr": 0.1, "layers": 3, "bias": True, "optimizer": "adam"}


def test_compare_puts_runs_of_a_logdir_side_by_side(logdir):
    table = taffrail("compare", "--root", logdir, "hparams/a", "hparams/b").stdout
    assert "hparams/a" in table and "hparams/b" in table
    assert any(line.startswith("lr") and "0.1" in line and "0.2" in line for line in table.splitlines())
    assert any(line.startswith("accuracy") and "0.5" in line and "0.75" in line for line in table.splitlines())


def test_export_writes_every_point_of_a_logdir_as_csv(logdir):
    rows = list(csv.DictReader(io.StringIO(taffrail("export", "--root", logdir, "scalars/0", "--format", "csv").stdout)))
    assert len(rows) == 667 * 50
    first = next(row for row in rows if row["key"] == "group/tag_7" and row["step"] == "3")
    assert float(first["value"]) == pytest.approx(3 * 50 + 7 + 0.1, rel=1e-6)


def test_import_and_export_return_what_the_logdir_held(logdir, tmp_path):
    """Event files to a native run and back to event files: the same answers from both."""
    assert taffrail("import", logdir, "--root", tmp_path / "native").returncode == 0
    checked = taffrail("verify", "--root", tmp_path / "native", "--json")
    assert checked.returncode == 0 and all(not run["damage"] for run in json.loads(checked.stdout)), checked.stdout[-2000:]
    done = taffrail("export", "--root", tmp_path / "native", "media", "--format", "tensorboard", "-o", tmp_path / "back")
    assert done.returncode == 0, done.stderr
    before, after = dump(logdir)["media"]["keys"], next(iter(dump(tmp_path / "back").values()))["keys"]
    del before["custom_scalars__config__ text"]
    assert set(after) == set(before)
    assert all(after[key] == before[key] for key in before if not key.endswith((" scalar", " graph"))), "media byte for byte"
    assert [point[:2] for point in after["t_f32 scalar"]] == [point[:2] for point in before["t_f32 scalar"]]


def files_in(value):
    """Every {file, sha256, size} below a value."""
    if isinstance(value, dict):
        if value.get("file"):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from files_in(part)


def test_exported_media_of_a_logdir_are_the_files_their_lines_name(logdir, tmp_path):
    lines = tmp_path / "lines.jsonl"
    assert taffrail("export", "--root", logdir, "media", "--media", tmp_path / "media", "-o", lines).returncode == 0
    found = [file for line in lines.read_text().splitlines() for file in files_in(json.loads(line)["value"])]
    assert len(found) > 20
    for file in found:
        data = (tmp_path / "media" / file["file"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(data).hexdigest() and file["size"] == len(data), file
    plain = taffrail("export", "--root", logdir, "media", "-k", "u8/3").stdout
    assert json.loads(plain.splitlines()[0])["value"]["sha256"] == dump(logdir)["media"]["keys"]["u8/3 image"][0]["sha256"][0]


def test_runs_of_the_same_name_stay_apart_under_the_names_of_their_folders(logdir, tmp_path):
    both = f"a:{logdir}/scalars,b:{logdir}/scalars"
    ids = taffrail("ls", both, "-q").stdout.split()
    assert sorted(ids) == ["a/0", "a/1", "a/2", "b/0", "b/1", "b/2"]
    rows = list(csv.DictReader(io.StringIO(taffrail("export", both, "-k", "group/tag_7", "-t", "csv").stdout)))
    assert {row["run"] for row in rows} == set(ids)
    assert taffrail("export", both, "-k", "group/tag_7", "-t", "tensorboard", "-o", tmp_path / "out").returncode == 0
    assert set(dump(tmp_path / "out")) == set(ids)


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_exported_attempts_read_in_tensorboard_as_one_rising_curve(tmp_path, start_tensorboard, loader):
    store, out = tmp_path / "store", tmp_path / "out"
    assert taffrail("demo", "generate", "--runs", "9", "--points", "60", "--no-media", "--root", store).returncode == 0
    resumed = [run for run in json.loads(taffrail("ls", store, "--json").stdout) if run["attempts"] == 2]
    assert taffrail("export", store, "-t", "tensorboard", "-o", out).returncode == 0
    names = {f"{run['name']}-{run['id']}" for run in resumed}
    assert names
    board = start_tensorboard(out, loader)
    board.wait_for_runs(names)
    for name in names:
        steps = [point[1] for point in board.get("plugin/scalars/scalars", run=name, tag="train/loss")]
        assert steps == sorted(set(steps)) and len(steps) > 50


@pytest.fixture
def ui():
    """Starts the dashboard; gives a function that asks its API."""
    started = []

    def start(*arguments):
        process = subprocess.Popen([TAFFRAIL, "ui", *map(str, arguments), "--no-open", "--port", "0", "--json"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        started.append(process)
        line = ""
        while "}" not in line:
            line += process.stdout.readline()
        address = f"http://127.0.0.1:{json.loads(line)['port']}"

        def ask(path: str, body: dict | None = None, **query):
            url = f"{address}/{path}" + ("?" + urllib.parse.urlencode(query) if query else "")
            request = urllib.request.Request(url, data=json.dumps(body).encode() if body is not None else None,
                                             headers={"Content-Type": "application/json"} if body is not None else {})
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status, reply.read()

        return ask

    yield start
    for process in started:
        process.terminate()
        process.wait(20)


def test_ui_shows_a_logdir_under_the_name_tensorboard_gives_the_option(logdir, ui):
    ask = ui("--logdir", logdir)
    assert ask("")[0] == 200
    runs = json.loads(ask("api/v1/runs:query", {"columns": ["config:lr", "metric:accuracy"]})[1])
    names = dict(zip(runs["runs"]["name"], runs["runs"]["id"]))
    assert {"media", "scalars/0", "scalars/2", "hparams/a", "names/ünïcode ✓"} <= set(names)
    at = runs["runs"]["name"].index("hparams/a")
    assert runs["values"]["config:lr"][at] == 0.1 and runs["values"]["metric:accuracy"][at] == 0.5
    entry = json.loads(ask("api/v1/entries", run=names["media"], key="u8/3", first=0, count=1)[1])
    picture = ask("api/v1/image", run=names["media"], key="u8/3", index=0, item=0)[1]
    assert entry and hashlib.sha256(picture).hexdigest() == dump(logdir)["media"]["keys"]["u8/3 image"][0]["sha256"][0]


def test_ui_shrinks_pngs_and_jpegs_and_sends_others_whole(ui, tmp_path):
    """One picture of each format, 640x480, asked for 160 pixels wide; Pillow's own shrinking is the judge."""
    across, down = np.meshgrid(np.arange(640), np.arange(480))
    picture = Image.fromarray(np.stack([across * 255 // 640, down * 255 // 480, (across + down) % 256], axis=2).astype(np.uint8))
    files = {"jpeg": {"quality": 95}, "progressive": {"format": "jpeg", "progressive": True}, "grey": {"format": "jpeg"}, "png": {}, "webp": {}}
    stored = {}
    writer = EventFileWriter(str(tmp_path / "run"))
    for name, options in files.items():
        packed = io.BytesIO()
        (picture.convert("L") if name == "grey" else picture).save(packed, **{"format": name, **options})
        stored[name] = packed.getvalue()
        value = Summary.Value(tag=name, image=Summary.Image(width=640, height=480, colorspace=1 if name == "grey" else 3, encoded_image_string=stored[name]))
        writer.add_event(Event(step=1, wall_time=1.0, summary=Summary(value=[value])))
    cut = stored["jpeg"][:2000]  # shown as far as it goes
    writer.add_event(Event(step=1, summary=Summary(value=[Summary.Value(tag="cut", image=Summary.Image(width=640, height=480, colorspace=3, encoded_image_string=cut))])))
    lie = Summary.Image(width=2_000_000_000, height=480, colorspace=3, encoded_image_string=stored["png"])
    writer.add_event(Event(step=1, summary=Summary(value=[Summary.Value(tag="lie", image=lie)])))
    writer.close()
    ask = ui("--logdir", tmp_path)
    run = json.loads(ask("api/v1/runs:query", {})[1])["runs"]["id"][0]

    def image(name, width=160):
        return ask("api/v1/image", run=run, key=name, index=0, item=0, width=width)[1]

    for name in ("jpeg", "progressive", "grey", "png"):
        small = Image.open(io.BytesIO(image(name)))
        assert small.size == (160, 120) and small.format == ("PNG" if name == "png" else "JPEG"), name
        wanted = np.asarray(picture.convert(small.mode).resize((160, 120), Image.Resampling.BOX), float)
        assert np.abs(np.asarray(small, float) - wanted).mean() < 5, name
        assert len(image(name)) < len(stored[name]), name
    assert image("webp") == stored["webp"]
    assert Image.open(io.BytesIO(image("cut"))).size == (160, 120)
    assert Image.open(io.BytesIO(image("lie"))).size == (160, 120)
    assert image("lie", 641) == image("lie", 1_900_000_000) == stored["png"], "nothing grows to the size that a record states"


def test_ui_takes_several_named_logdirs_and_says_which_is_wrong(logdir, ui, tmp_path):
    ask = ui("--logdir", f"one:{logdir}/scalars,my second:{logdir}/hparams")
    runs = json.loads(ask("api/v1/runs:query", {})[1])["runs"]
    assert {("one", "0"), ("one", "2"), ("my second", "a"), ("my second", "a/eval")} <= set(zip(runs["root"], runs["name"]))
    wrong = taffrail("ui", "--logdir", f"one:{logdir}/scalars,two:{tmp_path}/nowhere", "--no-open", "--port", "0")
    assert wrong.returncode == 1 and "nowhere" in wrong.stderr
