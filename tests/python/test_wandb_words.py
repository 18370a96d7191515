"""Programs written for the W&B client, with the one changed line: what they do between init() and finish() means what it means there. That the folder
for `wandb sync` is that of the real client is tests/python/frameworks/test_wandb.py."""

import datetime
import enum
import json
import pathlib

import pytest
import taffrail
import taffrail.wandb as wandb

np = pytest.importorskip("numpy")


def one(root, key, name="n"):
    entries = taffrail.read(root).run(name).entries(key)
    assert len(entries) == 1
    return entries[0].value


def test_a_run_that_is_resumed_goes_on_behind_its_last_step(root):
    with wandb.init(project="p", name="n", id="again", resume="allow", config={"lr": 0.1, "model": {"depth": 4, "sizes": [8, 16]}}, tags=["first"], notes="said") as run:
        assert not run.resumed and run.starting_step == 0
        for step in range(5):
            wandb.log({"loss": 1.0 - step / 10, "best": step})
        run.summary["top"] = 0.75
        for _ in range(40):  # the machine's readings and alerts count steps of their own
            run.native.log({"system/cpu": 1.0})
            wandb.alert("careful", "something")
    with wandb.init(project="p", id="again", resume="must", config={"lr": 0.2}) as run:
        assert run.resumed and run.step == run.starting_step == 5 and run.tags == ("first",) and run.notes == "said"
        assert wandb.config["model"] == {"depth": 4, "sizes": [8, 16]} and wandb.config.lr == 0.2
        assert (wandb.summary["top"], wandb.summary["loss"]) == (0.75, 0.6)
        wandb.log({"loss": 0.5})
        with pytest.warns(UserWarning, match="below"):
            wandb.log({"loss": 9.0}, step=2)
    past = taffrail.read(root).run("again")
    assert past["loss"].step.tolist() == list(range(6)) and past["loss"].value.tolist() == [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]
    assert past.config == {"lr": 0.2, "model/depth": 4, "model/sizes/0": 8, "model/sizes/1": 16}
    with pytest.raises(wandb.Error, match="allow, must, never"):
        wandb.init(resume="maybe")


def test_rows_have_the_axis_of_their_metrics(root):
    with wandb.init(name="n") as run:
        run.define_metric("val/*", step_metric="epoch")
        run.define_metric("val/own", step_metric="own_axis")
        run.define_metric("free/*", step_metric="epoch", step_sync=False)
        wandb.log({"val/before": 1.0})  # there is no epoch yet
        for epoch in range(3):
            wandb.log({"epoch": epoch, "loss": 1.0})
            wandb.log({"val/loss": 2.0, "val/own": 3.0, "free/x": 4.0})
        wandb.log({"val/picture": wandb.Image(np.zeros((4, 4, 3), "u1"))})
        wandb.log({"free/x": 5.0})
    past = taffrail.read(root).run("n")
    assert past["epoch"].step.tolist() == [1, 2, 3, 4, 5, 6, 7] and past["epoch"].value.tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert "own_axis" not in {info.key for info in past.keys()}


def test_an_axis_that_is_on_a_device_is_not_overtaken_by_its_last_value():
    from taffrail._wandb_values import Axes

    axes = Axes()
    axes.define("val/*", "epoch")
    axes.take_up({"epoch": 7})
    axes.saw("epoch", 8)  # logged ahead of its row
    row = {"val/loss": 0.5}
    axes.complete(row, {"epoch"})
    assert row == {"val/loss": 0.5}
    row = {"val/loss": 0.4}
    axes.complete(row)
    assert row == {"val/loss": 0.4, "epoch": 8}


def test_what_is_written_over_before_its_step_is_done_is_logged_as_it_was(root, tmp_path):
    """With step= a row waits for more of itself; programs use their buffers, figures and files again meanwhile."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from PIL import Image, ImageDraw

    buffer, sound, total = np.zeros((4, 4, 3), "u1"), np.zeros(100, "f4"), np.zeros(1)
    drawing, file = Image.new("RGB", (4, 4)), tmp_path / "a.txt"
    many = []
    with wandb.init(name="n") as run:
        for step in range(3):
            buffer[:], sound[:], total[0] = 50 * step, step / 4, step
            ImageDraw.Draw(drawing).rectangle([0, 0, 4, 4], fill=(step, 0, 0))
            file.write_text(str(step))
            pyplot.clf()
            pyplot.plot([0, step])
            many.append(wandb.Image(buffer))
            wandb.log({"frame": wandb.Image(buffer), "sound": wandb.Audio(sound, sample_rate=8000), "spread": wandb.Histogram(sound), "drawing": wandb.Image(drawing), "array": np.full(40, step),
                       "total": total, "chart": pyplot, "loss": float(step)}, step=step)
            wandb.log({"later": 1.0}, step=step)
        wandb.log({"many": many}, step=5)
        assert run.native.stats["errors"] == 0
    pyplot.close()
    past = taffrail.read(root).run("n")
    assert past["total"].value.tolist() == past["loss"].value.tolist() == [0, 1, 2] and past["later"].step.tolist() == [0, 1, 2]
    for key in ("frame", "drawing", "chart", "sound"):
        entries = past.entries(key)
        blobs = [entry.value["images"][0] if "images" in entry.value else entry.value.get("picture") or entry.value["data"] for entry in entries]
        assert [entry.step for entry in entries] == [0, 1, 2] and len({blob.sha256 for blob in blobs}) == 3, key
    assert [entry.value["min"] for entry in past.entries("spread")] == [0, 0.25, 0.5] and [entry.value["max"] for entry in past.entries("array")] == [0, 1, 2]
    assert [blob.sha256 for blob in one(root, "many")["images"]] == [entry.value["images"][0].sha256 for entry in past.entries("frame")]


@pytest.mark.parametrize("pixels, expected", [
    (np.array([[0.0, 100.0], [200.0, 255.0]]), [0, 100, 200, 255]),
    (np.array([[-1.0, 0.0], [0.5, 1.0]]), [0.0, 0.5, 0.75, 1.0]),
    (np.array([[0.0, 0.25], [0.5, 1.0]]), [0.0, 0.25, 0.5, 1.0]),
    (np.array([[0, 100], [200, 255]]), [0, 100, 200, 255]),
    (np.array([[[[0], [100]], [[200], [255]]]]), [0, 100, 200, 255]),
])
def test_pictures_have_the_range_that_holds_them(root, pixels, expected):
    import io

    from PIL import Image

    with wandb.init(name="n"):
        wandb.log({"picture": wandb.Image(pixels)})
    value = one(root, "picture")
    data = value["images"][0].load()
    got = np.asarray(Image.open(io.BytesIO(data))) if value["format"] == "png" else np.frombuffer(data, "f4")
    assert (value["width"], value["height"], value["channels"]) == (2, 2, 1) and got.reshape(-1).tolist() == expected


def test_a_mode_converts(root):
    with wandb.init(name="n"):
        wandb.log({"grey": wandb.Image(np.full((4, 4, 3), 7, "u1"), mode="L"), "color": wandb.Image(np.full((4, 4), 0.5), mode="RGB")})
    assert one(root, "grey")["channels"] == 1 and one(root, "color")["channels"] == 3
    batch_of_one = wandb.Image(np.zeros((1, 1, 4, 4), "u1"), mode="L")
    with wandb.init(name="m"):
        wandb.log({"one": batch_of_one})
    assert one(root, "one", "m")["channels"] == 1


def test_values_of_every_spelling(root):
    class Kind(enum.Enum):
        A = 7

    with wandb.init(name="n") as run:
        wandb.log({"time": datetime.datetime(2020, 1, 1), "path": pathlib.Path("/x"), "kind": Kind.A, "bytes": b"said", "function": len, "set": {1}, "none": None,
                   "numbers": [np.float32(0.5), datetime.date(2020, 1, 1)], "zero-d": np.array(3), "np": np.float32(0.5)}, step=np.int64(3))
        for step in (60.5, "60"):
            with pytest.raises(TypeError, match="integer"):
                wandb.log({"a": 1.0}, step=step)
        assert run.native.stats["errors"] == 0
    past = taffrail.read(root).run("n")
    assert {info.key: info.last for info in past.keys() if info.kind == "scalar"} == {"kind": 7, "zero-d": 3, "np": 0.5}
    assert {info.key: past.entries(info.key)[0].value for info in past.keys() if info.kind == "text"} == \
        {"time": "2020-01-01T00:00:00", "path": "/x", "bytes": "said", "function": "builtins.len", "set": "[1]", "numbers": '[0.5, "2020-01-01"]'}


def test_files_that_change_are_kept_as_they_are_at_the_end(root, tmp_path, program):
    program("""
        import os
        import taffrail.wandb as wandb

        run = wandb.init(name="n")
        os.makedirs("out/deep")
        for name in ("out/model.pt", "out/deep/log.txt", "now.txt"):
            open(name, "w").write("before")
        assert run.save("out/*") == ["out/model.pt"]
        run.save(os.path.abspath("out/deep/log.txt"))
        run.save("now.txt", policy="now")
        for name in ("out/model.pt", "now.txt"):
            open(name, "w").write("after all")
        try:
            run.save("now.txt", policy="later")
        except ValueError as error:
            assert "policies" in str(error)
        if os.environ.get("FINISH"):
            wandb.finish()
    """)
    past = taffrail.read(root).run("n")
    contents = {info.key: [entry.value["files"][0]["data"].load() for entry in past.entries(info.key)] for info in past.keys() if info.kind == "artifact"}
    assert contents == {"out/model.pt": [b"before", b"after all"], "deep/log.txt": [b"before"], "now.txt": [b"before"]}


def test_a_file_that_went_while_the_run_ended_leaves_it_whole(root, tmp_path, monkeypatch):
    import taffrail._wandb_run as words

    with wandb.init(name="n") as run:
        (tmp_path / "model.pt").write_text("weights")
        run.save(str(tmp_path / "model.pt"))
        wandb.log({"loss": 1.0})

        def gone(path):
            raise FileNotFoundError(path)

        monkeypatch.setattr(words, "_state_of_file", gone)
        with pytest.warns(UserWarning, match="not kept once more"):
            wandb.finish()
    past = taffrail.read(root).run("n")
    assert past.info.state == "finished" and past["loss"].value.tolist() == [1.0]


def test_a_fork_that_ends_leaves_the_files_of_its_parents_artifact(root, program):
    program("""
        import os
        import sys
        import taffrail.wandb as wandb

        made = wandb.Artifact("model", "model")
        with made.new_file("said.txt") as file:
            file.write("kept")
        child = os.fork()
        if child == 0:
            sys.exit(0)
        os.waitpid(child, 0)
        with wandb.init(name="n") as run:
            run.log_artifact(made)
    """)
    assert taffrail.read(root).run("n").entries("model")[0].value["files"][0]["data"].load() == b"kept"


def test_artifacts_and_code(root, tmp_path, monkeypatch):
    (tmp_path / "train.py").write_text("print()")
    (tmp_path / "notes.md").write_text("no code")
    (tmp_path / ".#train.py").symlink_to("somebody@host.123:456")  # an editor's lock leads to nothing
    (tmp_path / "wandb").mkdir()
    (tmp_path / "wandb/inside.py").write_text("no part of it")
    with wandb.init(project="p", name="n") as run:
        made = wandb.Artifact("model", "model")
        with made.new_file("deep/said.txt") as file:
            file.write("first")
        with made.new_file("deep/said.txt") as file:
            file.write("second")
        with made.new_file("bytes.bin", mode="wb") as file:
            file.write(b"\0")
        with pytest.warns(UserWarning, match="aliases"):
            assert run.log_artifact(made, aliases=["best"]).wait() is made
        code = wandb.log_code(".")
        assert code.type == "code" and code.name.startswith("source-p-")
        run.log_model(tmp_path / "notes.md", "weights")
        with pytest.raises(AttributeError, match="no 'add_files'; the nearest word is 'add_file'"):
            made.add_files("x")
        escape = wandb.Artifact("escape", "x")
        escape.add_file("notes.md", "../../outside.md")
        with pytest.raises(ValueError, match="leads out"):
            run.log_artifact(escape)
        table = wandb.Table(columns=["a", "b"], data=[[1, "x"], [2, "y"]])
        seen = wandb.Table(columns=["n"], data=[[1], [2]])
        seen.add_column("picture", [wandb.Image(np.full((4, 4, 3), n, "u1")) for n in range(2)])
        run.log({"seen": seen})
        assert list(table.iterrows()) == [(0, [1, "x"]), (1, [2, "y"])]
    past = taffrail.read(root).run("n")
    assert one(root, "seen")["rows"] == [[1, "Image"], [2, "Image"]] and len(one(root, "seen/picture")["images"]) == 2
    files = {file["path"]: file["data"].load() for file in past.entries("model")[0].value["files"]}
    assert files == {"deep/said.txt": b"second", "bytes.bin": b"\0"}
    assert [file["path"] for file in past.entries(code.name)[0].value["files"]] == ["train.py"]
    assert past.entries("weights")[0].value["type"] == "model"


def test_the_words_of_a_program_around_its_run(root, capsys, monkeypatch):
    assert wandb.run is None and wandb.__version__ == taffrail.__version__
    wandb.setup()
    wandb.termlog("said")
    assert "said" in capsys.readouterr().err
    monkeypatch.setenv("WANDB_MODE", "dryrun")  # as it was called before
    run = wandb.init(name="n", settings=wandb.Settings(run_job_type="sweep"))
    assert run.offline and run.job_type == run.settings.run_job_type == "sweep" and run.url is None and run.start_time > 1e9
    run.mark_preempting()
    wandb.teardown()
    with pytest.raises(wandb.UsageError, match="finished"):
        run.log({"a": 1.0})
    with pytest.raises(wandb.UsageError, match="init"):
        wandb.log({"a": 1.0})


def test_charts_of_tables(root):
    table = wandb.Table(columns=["name", "n", "of"], data=[["a", 1, "x"], ["b", 2, "x"], ["c", 3, "y"]])
    plot = wandb.plot
    with wandb.init(name="n") as run:
        wandb.log({"bar": plot.bar(table, "name", "n", title="how many"), "line": plot.line(table, "n", "n", stroke="of"), "points": plot.scatter(table, "n", "n"),
                   "spread": plot.histogram(table, "n"), "series": plot.line_series([0, 1], [[1, 2], [3, 4]], keys=["p", "q"], xname="t"),
                   "confusion": plot.confusion_matrix(y_true=[0, 1, 1, 2], preds=[0, 1, 0, 2], class_names=["cat", "dog", "cow"]),
                   "of probabilities": plot.confusion_matrix(probs=np.array([[0.9, 0.1], [0.2, 0.8]]), y_true=np.array([1, 1]))})
        with pytest.raises(ValueError, match="no column 'm'; it has name, n, of"):
            plot.bar(table, "name", "m")
        with pytest.raises(ValueError, match="must be equal"):
            plot.confusion_matrix(y_true=[1], preds=[1, 2])
        assert run.native.stats["errors"] == 0
    figures = {key: json.loads(one(root, key)["plotly_json"]) for key in ("bar", "line", "points", "spread", "series", "confusion", "of probabilities")}
    assert figures["bar"]["data"] == [{"type": "bar", "x": ["a", "b", "c"], "y": [1, 2, 3]}] and figures["bar"]["layout"]["title"]["text"] == "how many"
    assert [(trace["name"], trace["y"]) for trace in figures["line"]["data"]] == [("x", [1, 2]), ("y", [3])]
    assert [(trace["name"], trace["x"], trace["y"]) for trace in figures["series"]["data"]] == [("p", [0, 1], [1, 2]), ("q", [0, 1], [3, 4])]
    assert figures["confusion"]["data"][0]["z"] == [[1, 0, 0], [1, 1, 0], [0, 0, 1]] and figures["of probabilities"]["data"][0]["z"] == [[0, 0], [1, 1]]
    assert one(root, "bar_table")["rows"] == table.rows and one(root, "confusion_table")["rows"][3] == ["dog", "cat", 1]
