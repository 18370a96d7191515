"""A script of W&B's words, run with the real client and with ours, leaves the same history, summary, configuration and media."""

import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest
import taffrail

pytest.importorskip("wandb")

SCRIPT = """
    import datetime, pathlib, sys
    import numpy as np
    import {module} as wandb

    rng = np.random.default_rng(1)
    run = wandb.init(project="digits", name="one", id="abc123", config={{"lr": 0.1, "depth": 4}}, mode="offline", dir=sys.argv[1], tags=["a", "b"], notes="said")
    wandb.define_metric("val/*", step_metric="epoch")
    for step in range(20):
        wandb.log({{"loss": 1 / (step + 1), "acc": step / 20}}, commit=False)
        wandb.log({{"epoch": step // 5}})
    wandb.log({{"val/loss": 0.25, "epoch": 4}}, step=30)
    wandb.log({{"picture": wandb.Image(rng.integers(0, 255, (6, 5, 3), dtype=np.uint8), caption="six")}}, step=31)
    wandb.log({{"pictures": [wandb.Image(rng.integers(0, 255, (6, 5, 3), dtype=np.uint8)) for _ in range(2)]}}, step=32)
    wandb.log({{"histogram": wandb.Histogram(np_histogram=np.histogram(np.arange(100.0), 10))}}, step=33)
    wandb.log({{"table": wandb.Table(columns=["x", "y"], data=[[1, "a"], [2, "b"]])}}, step=34)
    wandb.log({{"outer": {{"a": 1.0, "deep": {{"b": 2}}}}, "list": [1.5, 2.5], "short": np.arange(3), "long": np.arange(100.0), "one": np.array([4.5])}}, step=35)
    wandb.log({{"mixed": wandb.Table(columns=["picture", "n"], data=[[wandb.Image(np.zeros((4, 4, 3), "u1")), 1]])}}, step=36)
    wandb.log({{"val/late": 0.5}}, step=37)
    wandb.log({{"time": datetime.datetime(2020, 1, 1), "path": pathlib.Path("/x"), "function": len, "set": {{1}}, "none": None}}, step=38)
    wandb.log({{"floats": wandb.Image(np.linspace(0, 255, 60).reshape(4, 5, 3)), "batch of one": wandb.Image(np.arange(20).reshape(1, 4, 5, 1) * 10)}}, step=39)
    wandb.config.update({{"late": True}})
    wandb.config.update({{"lr": 0.1}}, allow_val_change=True)
    wandb.config.setdefaults({{"depth": 9, "later": 5}})
    wandb.summary.update({{"nested": {{"q": 0.5}}}})
    run.tags = run.tags + ("c",)
    wandb.summary["best"] = 0.9
    wandb.alert("careful", "something", wandb.AlertLevel.WARN)
    assert wandb.run.id == "abc123" and wandb.config["depth"] == 4
    wandb.finish()
"""


# Nobody calls finish(), and every step is given: the last one waits for more of itself when the program ends.
UNFINISHED = """
    import sys
    import {module} as wandb

    run = wandb.init(project="digits", name="one", mode="offline", dir=sys.argv[1])
    for step in range(3):
        run.log({{"loss": step / 2}}, step=step)
"""


# Files of sound, film and a mesh, points with colours, and an artifact.
FILES = """
    import struct, sys, wave
    import numpy as np
    from PIL import Image
    import {module} as wandb

    with wave.open("sound.wav", "wb") as sound:
        sound.setnchannels(1), sound.setsampwidth(2), sound.setframerate(8000)
        sound.writeframes(b"".join(struct.pack("<h", i * 100) for i in range(80)))
    pictures = [Image.new("P", (8, 6), color) for color in range(3)]
    pictures[0].save("film.gif", save_all=True, append_images=pictures[1:], duration=100)
    with open("mesh.obj", "w") as mesh:
        mesh.write("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n")
    with open("weights.bin", "wb") as weights:
        weights.write(b"weights")
    rng = np.random.default_rng(1)
    with wandb.init(project="digits", name="files", mode="offline", dir=sys.argv[1]) as run:
        run.log({{"sound": wandb.Audio("sound.wav", caption="said")}}, step=1)
        run.log({{"film": wandb.Video("film.gif", caption="moves", format="gif")}}, step=2)
        run.log({{"mesh": wandb.Object3D("mesh.obj")}}, step=3)
        run.log({{"points": wandb.Object3D(np.round(rng.random((7, 3)), 3)), "colored": wandb.Object3D(rng.integers(0, 200, (5, 6)).astype(float))}}, step=4)
        with open("report.html", "w") as report:
            report.write("<html><body><p>of a file</p></body></html>")
        run.log({{"page": wandb.Html("<h1>said</h1>"), "report": wandb.Html("report.html"), "plain": wandb.Html("<b>plain</b>", inject=False)}}, step=5)
        with open("report.html") as report:
            run.log({{"head": wandb.Html("<html><head><title>t</title></head></html>"), "read": wandb.Html(report)}}, step=6)
        artifact = wandb.Artifact("model", "model", metadata={{"depth": 4}})
        artifact.add_file("weights.bin", "inside/weights.bin")
        run.log_artifact(artifact)
"""


def both(folder, text):
    """The run of the real client and of ours, both read from the folder they wrote."""
    runs = {}
    for module in ("wandb", "taffrail.wandb"):
        place = folder / module
        place.mkdir()
        script = folder / f"script_{module}.py"
        script.write_text(textwrap.dedent(text.format(module=module)))
        done = subprocess.run([sys.executable, script, str(place)], capture_output=True, text=True, timeout=300, cwd=place,
                              env={**os.environ, "TAFFRAIL_DIR": str(place / "native"), "WANDB_SILENT": "true", "TAFFRAIL_MACHINE_LOAD": "off"})
        assert done.returncode == 0, done.stderr
        written = glob.glob(f"{place}/wandb/offline-run-*")
        assert len(written) == 1, written
        runs[module] = next(iter(taffrail.read(written[0])))
    runs["native"] = next(iter(taffrail.read(folder / "taffrail.wandb" / "native")))
    return runs


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    return both(tmp_path_factory.mktemp("wandb"), SCRIPT)


def test_the_last_step_of_a_program_that_just_ends_is_there(tmp_path):
    for run in both(tmp_path, UNFINISHED).values():
        assert run["loss"].step.tolist() == [0, 1, 2] and run["loss"].value.tolist() == [0.0, 0.5, 1.0] and run.info.state == "finished"


def test_a_forked_child_logs_its_own_steps_and_none_of_its_parent(program, root):
    program("""
        import os, sys
        import taffrail.wandb as wandb
        run = wandb.init(name="n")
        run.log({"a": 1.0}, step=0)
        child = os.fork()
        if child == 0:
            run.log({"child": 5.0}, step=1)
            sys.exit()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        run.log({"a": 2.0}, step=1)
    """)
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1.0, 2.0] and past["child"].value.tolist() == [5.0]


def test_history_is_the_same(pair):
    theirs, ours = pair["wandb"], pair["taffrail.wandb"]
    names = [info.key for info in theirs.keys() if info.kind == "scalar" and not info.key.startswith(("_", "system"))]
    assert {"loss", "acc", "epoch", "val/loss", "val/late"} <= set(names) and theirs["epoch"].step[-1] == 37, "the axis of a metric is in its row"
    for name in names:
        for run in (ours, pair["native"]):
            assert run[name].step.tolist() == theirs[name].step.tolist() and run[name].value.tolist() == theirs[name].value.tolist(), name


def test_configuration_and_summary_are_the_same(pair):
    theirs, ours = pair["wandb"].info, pair["taffrail.wandb"].info
    wanted = {"lr": 0.1, "depth": 4, "late": True, "later": 5}
    for info in (theirs, ours, pair["native"].info):
        assert info.config == wanted and info.summary["nested.q"] == 0.5
    assert theirs.name == ours.name == "one" and theirs.project == ours.project == "digits" and sorted(theirs.tags) == sorted(ours.tags) == ["a", "b", "c"]
    assert theirs.summary["best"] == ours.summary["best"] == 0.9 and theirs.state == ours.state == "finished"


def test_values_that_are_no_number_are_taken_as_the_client_takes_them(pair):
    theirs, ours = pair["wandb"], pair["taffrail.wandb"]
    assert {"outer.a", "outer.deep.b", "one"} <= {info.key for info in theirs.keys() if info.kind == "scalar"}, "and so the history above holds them"
    for name in ("time", "path", "function"):
        assert ours.entries(name)[0].value == theirs.entries(name)[0].value, name
    for name in ("list", "short", "set"):
        assert json.loads(ours.entries(name)[0].value) == json.loads(theirs.entries(name)[0].value), name
    assert ours.entries("long")[0].value == theirs.entries("long")[0].value and len(ours.entries("long")[0].value["counts"]) == 32
    assert ours.entries("mixed")[0].value == theirs.entries("mixed")[0].value == {"columns": ["picture", "n"], "rows": [["Image", 1]]}


def test_media_are_the_same(pair):
    for name in ("picture", "pictures", "histogram", "table"):
        theirs, ours = pair["wandb"].entries(name), pair["taffrail.wandb"].entries(name)
        assert len(theirs) == len(ours) == 1 and theirs[0].kind == ours[0].kind and theirs[0].step == ours[0].step, name
    theirs, ours = (pair[name].entries("picture")[0].value for name in ("wandb", "taffrail.wandb"))
    assert (theirs["width"], theirs["height"], theirs["captions"]) == (ours["width"], ours["height"], ours["captions"]) == (5, 6, ["six"])
    assert pair["taffrail.wandb"].entries("histogram")[0].value["counts"] == pair["wandb"].entries("histogram")[0].value["counts"] == [10] * 10
    assert pair["taffrail.wandb"].entries("table")[0].value == pair["wandb"].entries("table")[0].value


def test_pixels_are_the_same(pair):
    import io

    from PIL import Image

    for name in ("picture", "floats", "batch of one"):
        theirs, ours = (Image.open(io.BytesIO(pair[which].entries(name)[0].value["images"][0].load())) for which in ("wandb", "taffrail.wandb"))
        assert (ours.mode, ours.size, ours.tobytes()) == (theirs.mode, theirs.size, theirs.tobytes()), name


def rows_of(folder):
    """The keys of each row as the file has them, without what no program logs; with the row's step."""
    from wandb.proto import wandb_internal_pb2

    data, at, record, rows = pathlib.Path(glob.glob(f"{folder}/wandb/offline-run-*/*.wandb")[0]).read_bytes(), 7, b"", {}
    while at < len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        size, kind = int.from_bytes(data[at + 4:at + 6], "little"), data[at + 6]
        record += data[at + 7:at + 7 + size]
        at += 7 + size
        if kind in (1, 4):
            message = wandb_internal_pb2.Record.FromString(record)
            items = {".".join(item.nested_key) or item.key: item.value_json for item in message.history.item}
            if items:
                rows[int(items["_step"])] = {name.split(".")[0] for name in items if not name.startswith("_")}
            record = b""
    return rows


def test_pictures_are_in_the_row_of_their_step(tmp_path):
    """Also in a loop that does not wait for them."""
    both(tmp_path, """
        import sys
        import numpy as np
        import {module} as wandb

        rng = np.random.default_rng(1)
        with wandb.init(project="digits", name="one", mode="offline", dir=sys.argv[1]) as run:
            for step in range(30):
                row = {{"loss": 1.0, "picture": wandb.Image(rng.integers(0, 255, (128, 128, 3), dtype="u1"))}} if step % 5 == 0 else {{"loss": 1.0}}
                run.log(row, step=step)
    """)
    ours = rows_of(tmp_path / "taffrail.wandb")
    assert ours == rows_of(tmp_path / "wandb") and ours[25] == {"loss", "picture"} and ours[26] == {"loss"}


def blobs(value):
    """What a value holds, with its bytes in place of where they lie."""
    if isinstance(value, taffrail.Blob):
        return value.load()
    if isinstance(value, dict):
        # The client numbers files by the step that was before.
        return {name: re.sub(r"_\d+_", "_N_", part) if name == "path" else blobs(part) for name, part in value.items()}
    return [blobs(part) for part in value] if isinstance(value, list) else value


def test_files_points_and_artifacts_are_the_same(tmp_path):
    runs = both(tmp_path, FILES)
    theirs, ours = runs["wandb"], runs["taffrail.wandb"]
    for name in ("sound", "film", "mesh", "points", "colored", "page", "report", "plain", "head", "read"):
        expected, got = theirs.entries(name), ours.entries(name)
        assert [(entry.kind, entry.step, blobs(entry.value)) for entry in got] == [(entry.kind, entry.step, blobs(entry.value)) for entry in expected] != [], name
    for name, folder in (("theirs", tmp_path / "wandb"), ("ours", tmp_path / "taffrail.wandb")):
        pages = {path.name.split("_")[0]: path.read_text() for path in folder.glob("wandb/offline-run-*/files/media/html/*.html")}
        assert set(pages) == {"page", "report", "plain", "head", "read"} and pages["plain"] == "<b>plain</b>" and pages["page"].endswith("<h1>said</h1>"), name
    # The real client keeps the files of an artifact outside the folder of the run.
    expected, got = ({**run.entries("model")[0].value, "files": None} for run in (theirs, ours))
    assert got == expected and got["metadata"] == {"depth": 4}


def test_steps_only_rise_and_missing_words_are_named(root):
    import taffrail.wandb as wandb

    run = wandb.init(name="n")
    assert wandb.init() is run
    wandb.log({"a": 1.0}, step=5)
    with pytest.warns(UserWarning, match="below"):
        wandb.log({"a": 2.0}, step=3)
    with pytest.raises(AttributeError, match="'log'"):
        wandb.logg
    with pytest.raises(AttributeError, match="no 'log_artefact'; the nearest word is 'log_artifact'"):
        run.log_artefact
    assert not hasattr(run, "use_artifact") and not hasattr(run, "_private")
    with pytest.raises(AttributeError, match="init"):
        run.name = "other"
    with pytest.raises(TypeError, match="dict"):
        wandb.log(1.0)
    with pytest.warns(UserWarning, match="categories"):
        wandb.Object3D([[0.0, 1.0, 2.0, 3.0]])
    with pytest.raises(NotImplementedError, match="boxes"):
        wandb.Object3D({"type": "lidar/beta", "points": [[0.0, 1.0, 2.0]], "boxes": [{}]})
    assert {"init", "config", "run"} <= set(dir(wandb))
    wandb.finish()
    with pytest.raises(wandb.Error, match="init"):
        wandb.log({"a": 1.0})
    with pytest.raises(wandb.Error, match="finished"):
        run.log({"a": 1.0})
    assert taffrail.read(root).run("n")["a"].step.tolist() == [5]
    off = wandb.init(mode="disabled")
    off.log({"a": 1.0})
    assert off.disabled
    off.finish()


def test_media_classes_and_files(root, tmp_path):
    np = pytest.importorskip("numpy")
    import taffrail.wandb as wandb

    (tmp_path / "model.bin").write_bytes(b"weights")
    with wandb.init(name="n") as run:
        run.log({"audio": wandb.Audio(np.zeros(100, "f4"), sample_rate=8000), "video": wandb.Video(np.zeros((2, 3, 4, 4), "u1"), fps=2),
                 "points": wandb.Object3D(np.zeros((5, 6))), "html": wandb.Html("<p>said</p>"), "plotly": wandb.Plotly({"data": []})})
        artifact = wandb.Artifact("model", "model", metadata={"a": 1})
        artifact.add_file(str(tmp_path / "model.bin"), "inside/model.bin")
        run.log_artifact(artifact)
        assert run.save(str(tmp_path / "*.bin")) == [str(tmp_path / "model.bin")]
        assert run.native.stats["errors"] == 0
    past = taffrail.read(root).run("n")
    assert past.entries("audio")[0].value["sample_rate"] == 8000 and past.entries("video")[0].value["frames"] == 2 and past.entries("points")[0].value["has_colors"]
    page = past.entries("html")[0].value
    assert page["type"] == "html-file" and page["version"] == f"step-{past.entries('html')[0].step}" and page["files"][0]["path"] == "page.html" and page["files"][0]["data"].load().endswith(b"<p>said</p>")
    with pytest.raises(ValueError, match="not a int"):
        wandb.Html(5)
    assert past.entries("model")[0].value["files"][0]["path"] == "inside/model.bin" and past.entries(f"{tmp_path.name}/model.bin")[0].value["files"][0]["data"].load() == b"weights"
