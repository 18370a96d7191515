"""Pictures, sound, tables and other values, from arrays of any library and from objects people have."""

import hashlib
import struct

import pytest
import taffrail

np = pytest.importorskip("numpy")


def one(root, key):
    entries = taffrail.read(root).run("n").entries(key)
    assert len(entries) == 1
    return entries[0].value


def test_every_kind_comes_back(root, tmp_path):
    rng = np.random.default_rng(1)
    pixels = rng.integers(0, 255, (6, 5, 3), dtype=np.uint8)
    (tmp_path / "notes.txt").write_text("content")
    with taffrail.init(name="n") as run:
        run.log({"image": taffrail.Image(pixels, caption="six by five"), "chw": taffrail.Image(pixels.transpose(2, 0, 1)),
                 "float": taffrail.Image(pixels.astype("f4") / 255), "grey": taffrail.Image(pixels[..., 0]),
                 "histogram": taffrail.Histogram(np.arange(100.0), bins=10), "bins": taffrail.Histogram(np_histogram=np.histogram([1.0, 2.0, 3.0], 2)),
                 "audio": taffrail.Audio(np.zeros(800, "f4"), 8000), "video": taffrail.Video(rng.integers(0, 255, (4, 8, 8, 3), dtype=np.uint8), fps=4),
                 "mesh": taffrail.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], colors=np.eye(3)), "cloud": taffrail.PointCloud(rng.random((9, 3))),
                 "text": "**said**", "plain": taffrail.Text("<b>", plain=True), "table": taffrail.Table([[1, "a"], [2.5, None]], columns=["x", "y"]),
                 "figure": taffrail.Figure({"data": [], "layout": {}}), "graph": taffrail.Graph([{"name": "in"}, {"name": "out", "inputs": ["in"], "parameters": 3}]),
                 "file": taffrail.Artifact(tmp_path / "notes.txt", type="notes", metadata={"a": 1})}, step=7)
        run.log_pr_curve("pr", [0, 1, 1, 0], [0.1, 0.9, 0.6, 0.4], 7)
        run.log_embedding("embedding", rng.random((5, 4)), 7, metadata=list("abcde"))
        run.log_tensor("tensor", rng.random((2, 3)).astype("f2"), 7)
        assert run.stats["errors"] == 0
    image = one(root, "image")
    assert (image["width"], image["height"], image["channels"], image["format"], image["captions"]) == (5, 6, 3, "png", ["six by five"])
    blob = image["images"][0]
    assert hashlib.sha256(blob.load()).hexdigest() == blob.sha256 and len(blob.load()) == blob.size
    assert one(root, "chw")["images"][0].sha256 == blob.sha256
    assert np.frombuffer(one(root, "float")["images"][0].load(), "f4").reshape(6, 5, 3).tolist() == (pixels.astype("f4") / 255).tolist()
    assert one(root, "histogram")["counts"] == [10] * 10 and one(root, "bins")["counts"] == [1, 2]
    assert one(root, "audio")["sample_rate"] == 8000 and one(root, "audio")["frames"] == 800
    assert one(root, "video")["frames"] == 4 and one(root, "video")["frames_per_second"] == 4
    mesh = one(root, "mesh")
    assert (mesh["vertices"], mesh["faces"], mesh["has_colors"]) == (3, 1, True) and one(root, "cloud")["vertices"] == 9
    assert struct.unpack("<3f", mesh["data"].load()[12:24]) == (1.0, 0.0, 0.0)
    assert one(root, "text") == "**said**" and one(root, "table") == {"columns": ["x", "y"], "rows": [[1, "a"], [2.5, None]]}
    assert one(root, "graph")["nodes"][1]["inputs"] == ["in"] and one(root, "file")["files"][0]["data"].load() == b"content"
    assert len(one(root, "pr")["precision"]) == 127 and one(root, "embedding")["dimensions"] == 4 and one(root, "tensor")["dtype"] == "f16"


def test_lists_of_pictures_are_one_batch(root):
    with taffrail.init(name="n") as run:
        run.log({"many": [taffrail.Image(np.full((4, 4, 3), i, "u1"), caption=str(i)) for i in range(3)]})
    assert len(one(root, "many")["images"]) == 3 and one(root, "many")["captions"] == ["0", "1", "2"]


def test_pil_and_files(root, tmp_path):
    picture = pytest.importorskip("PIL.Image")
    image = picture.new("RGB", (5, 6), (1, 2, 3))
    image.save(tmp_path / "a.png")
    with taffrail.init(name="n") as run:
        run.log({"pil": image, "palette": taffrail.Image(image.convert("P")), "file": taffrail.Image(tmp_path / "a.png")})
        run.log_image("path", str(tmp_path / "a.png"))
    assert (one(root, "pil")["width"], one(root, "pil")["height"], one(root, "palette")["channels"]) == (5, 6, 3)
    assert one(root, "file")["images"][0].load() == (tmp_path / "a.png").read_bytes() == one(root, "path")["images"][0].load()


def test_drawn_and_plotly_figures(root):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(2, 1), dpi=50)
    axes.plot([1, 2, 3])

    class Plotly:
        def to_json(self):
            return '{"data": [{"y": [1, 2]}]}'

    with taffrail.init(name="n") as run:
        run.log({"drawn": figure, "axes": taffrail.Image(axes), "plotly": taffrail.Figure(Plotly()), "pyplot": pyplot, "picture": taffrail.Image(pyplot)})
        assert run.stats["errors"] == 0
    pyplot.close(figure)
    assert one(root, "pyplot")["picture"].load() == one(root, "drawn")["picture"].load() and one(root, "picture")["width"] == 100
    assert one(root, "drawn")["picture"].size > 100 and (one(root, "axes")["width"], one(root, "axes")["height"]) == (100, 50)
    assert '"y": [1, 2]' in one(root, "plotly")["plotly_json"]


def test_objects_of_trimesh(root):
    trimesh = pytest.importorskip("trimesh")
    with taffrail.init(name="n") as run:
        run.log_mesh("box", trimesh.creation.box())
    assert (one(root, "box")["vertices"], one(root, "box")["faces"]) == (8, 12)


def test_strided_arrays_and_wrong_ones(root):
    with taffrail.init(name="n") as run:
        run.log_tensor("flipped", np.arange(12.0).reshape(3, 4)[::-1, ::2])
        with pytest.raises(TypeError, match="complex|type"):
            run.log_tensor("complex", np.zeros(3, "c8"))
        with pytest.raises(ValueError, match="rectangular"):
            run.log_histogram("ragged", [[1, 2], [3]])
        with pytest.raises(TypeError, match="array"):
            run.log_tensor("nothing", object())
    stored = one(root, "flipped")
    assert np.frombuffer(stored["data"].load()).reshape(stored["shape"]).tolist() == np.arange(12.0).reshape(3, 4)[::-1, ::2].tolist()


@pytest.mark.parametrize("call, error, message", [
    (lambda run: run.log_text("text", 5), TypeError, "'text' takes a text, not a int"),
    (lambda run: run.log_figure("figure", 5), TypeError, "Plotly or matplotlib"),
    (lambda run: run.log_table("table", {"a": [1, 2], "b": [3]}), ValueError, "a has 2, b has 1"),
    (lambda run: run.log_mesh("mesh", np.zeros((3, 2))), TypeError, "vertices are three numbers each, not an array of 3×2"),
    (lambda run: run.log_mesh("mesh", [[0, 0, 0]], [[0, 1, 2, 3]]), TypeError, "faces are three"),
])
def test_values_that_are_none_are_told(root, call, error, message):
    with taffrail.init(name="n") as run, pytest.raises(error, match=message):
        call(run)


def test_whole_numbers_and_truth_values_are_pictures(root):
    with taffrail.init(name="n") as run:
        for kind in ("i1", "i2", "i4", "i8", "u4", "?"):
            run.log({kind: taffrail.Image(np.array([[0, 1], [7, 100]], kind)), f"film {kind}": taffrail.Video(np.zeros((2, 8, 8, 3), kind))})
        assert run.stats["errors"] == 0
    assert {one(root, kind)["images"][0].sha256 for kind in ("i1", "i2", "i4", "i8", "u4")} == {one(root, "i1")["images"][0].sha256}
    assert one(root, "?")["format"] == "png" and one(root, "film ?")["frames"] == 2


def test_frames_are_tables(root):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    with taffrail.init(name="n") as run:
        run.log({"frame": taffrail.Table(frame), "bare": frame, "one": frame[["a"]][:1], "polars": polars.DataFrame({"a": [1, 2], "b": ["x", None]})})
        assert run.stats["errors"] == 0
    assert one(root, "frame")["rows"][0] == [1, "x"]
    assert one(root, "bare") == one(root, "frame") and one(root, "one") == {"columns": ["a"], "rows": [[1]]}
    assert one(root, "polars") == {"columns": ["a", "b"], "rows": [[1, "x"], [2, None]]}


def test_pictures_in_cells_stand_beside_their_table(root):
    rng = np.random.default_rng(1)
    pixels = [rng.integers(0, 255, (4, 5, 3), dtype="u1") for _ in range(3)]
    with taffrail.init(name="n") as run:
        table = taffrail.Table([["a", taffrail.Image(pixels[0]), 1], ["b", taffrail.Image(pixels[1], "said"), 2], ["c", None, 3]], columns=["name", "picture", "n"])
        run.log({"predictions": table, "alone": taffrail.Image(pixels[0]), "sounds": taffrail.Table([[taffrail.Audio(np.zeros(80, "f4"), 8000)]], columns=["sound"])}, step=4)
        assert run.stats["errors"] == 0
    assert one(root, "predictions")["rows"] == [["a", "Image", 1], ["b", "Image", 2], ["c", None, 3]]
    beside = one(root, "predictions/picture")
    assert beside["captions"] == ["row 0", "said"] and beside["images"][0].sha256 == one(root, "alone")["images"][0].sha256
    assert one(root, "sounds/sound")["frames"] == 80


def test_the_words_of_wandb_take_frames_and_pyplot(root):
    pandas, matplotlib = pytest.importorskip("pandas"), pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import taffrail.wandb as wandb
    from matplotlib import pyplot

    pyplot.figure(figsize=(2, 1), dpi=50)
    with wandb.init(name="n") as run:
        run.log({"frame": pandas.DataFrame({"a": [1, 2]}), "chart": pyplot, "picture": wandb.Image(pyplot, caption="said")})
        assert run.native.stats["errors"] == 0
    pyplot.close()
    assert one(root, "frame") == {"columns": ["a"], "rows": [[1], [2]]} and one(root, "chart")["picture"].size > 100
    assert (one(root, "picture")["width"], one(root, "picture")["captions"]) == (100, ["said"])


@pytest.mark.parametrize("call, error, message", [
    (lambda run: run.log_image("a", None), TypeError, "not None"),
    (lambda run: run.log_image(5, np.zeros((4, 4), "u1")), TypeError, "texts, not 5"),
    (lambda run: run.log_image("a", np.zeros((4, 4), "u1"), step=1.5), TypeError, "whole number or None, not 1.5"),
    (lambda run: run.log({"a": 1.0}, step=2**70), TypeError, "64 bits, not 1180591620717411303424"),
    (lambda run: run.log({"\ud800": 1.0}), TypeError, "no Unicode"),
    (lambda run: run.log({"a": np.complex64(1j)}), TypeError, "'a' is no number that can be logged, but a complex: 1j"),
    (lambda run: run.log({"a": int}), TypeError, "'a' is no number that can be logged, but a type"),
    (lambda run: run.log_audio("a", np.zeros(8, "f4"), 16000.5), ValueError, "sample_rate is a whole number"),
    (lambda run: run.log_histogram("a", [1.0], bins=-1), ValueError, "from 1 to 1,000,000, not -1"),
    (lambda run: run.log_table("a", 5), TypeError, "not of a int"),
    (lambda run: run.scalar(5), TypeError, "texts, not 5"),
    (lambda run: run.row(), TypeError, "takes the keys"),
    (lambda run: run.row("a", 5), TypeError, "texts, not 5"),
])
def test_mistakes_name_what_is_wrong(root, call, error, message):
    with taffrail.init(name="n") as run, pytest.raises(error, match=message):
        call(run)


def test_arguments_are_taken_as_people_write_them(root):
    with taffrail.init(name="n") as run:
        for step in (np.int64(3), np.array(4), 5):
            run.log({"in a dict": taffrail.Image(np.zeros((4, 4, 3), "u1"))}, step=step)
            run.log_image("by name", np.zeros((3, 4, 5), "u1"), step, layout="CHW")
        run.log_audio("sound", np.zeros(8, "f4"), 16000.0)
        run.log_histogram("spread", [1.0, 2.0], bins=np.int64(2))
        assert run.stats["errors"] == 0
    past = taffrail.read(root).run("n")
    assert [entry.step for entry in past.entries("in a dict")] == [entry.step for entry in past.entries("by name")] == [3, 4, 5]
    assert past.entries("by name")[0].value["width"] == 5 and one(root, "sound")["sample_rate"] == 16000


def test_what_was_probably_meant_is_named(root):
    with taffrail.init(name="digits-1") as run:
        run.log({"train/loss": 1.0, "train/acc": 0.5, "picture": taffrail.Image(np.zeros((4, 4, 3), "u1"))}, step=0)
    past = taffrail.read(root)
    with pytest.raises(taffrail.NotFoundError, match="did you mean 'digits-1'"):
        past.run("digit-1")
    with pytest.raises(taffrail.NotFoundError, match="did you mean 'train/loss'"):
        past.run("digits-1")["train/los"]
    with pytest.raises(taffrail.NotFoundError, match="did you mean 'picture'"):
        past.run("digits-1").entries("pictures")
    assert past.run("digits-1").read("train/loss", "value").columns == ["value"]
    with pytest.raises(taffrail.AlreadyExistsError, match="resume='allow'"):
        taffrail.init(id=past.run("digits-1").info.id)
    with pytest.raises(AttributeError, match="the nearest word is 'Image'"):
        taffrail.Imag
    with pytest.raises(AttributeError, match="import taffrail.keras"):
        taffrail.keras
