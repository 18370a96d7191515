"""What our writer writes, seen through both of TensorBoard's loaders."""

import io
import json
import math
import struct
import subprocess
import sys

import numpy
import pytest
from conftest import dump
from PIL import Image


def float32(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def test_inspect_accepts_every_file(logdir):
    done = subprocess.run([sys.executable, "-m", "tensorboard.main", "--inspect", "--logdir", str(logdir / "scalars/0")],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "group/tag_49" in done.stdout
    assert not any(run["damage"] for run in dump(logdir).values())


def test_hundred_thousand_scalars(board):
    tags = board.get("plugin/scalars/tags")
    for run in range(3):
        assert len(tags[f"scalars/{run}"]) == 50
        for tag in (0, 17, 49):
            points = board.get("plugin/scalars/scalars", run=f"scalars/{run}", tag=f"group/tag_{tag}")
            assert len(points) == 667
            for step, (wall, got_step, value) in enumerate(points):
                assert got_step == step
                assert value == float32(run * 1e6 + step * 50 + tag + 0.1)
                assert wall == 1.7e9 + run * 1000 + step + tag * 0.001953125


def test_special_values_and_steps(board):
    points = board.get("plugin/scalars/scalars", run="special", tag="values")
    values = [point[2] for point in points]
    assert values[:3] == ["NaN", "Infinity", "-Infinity"]
    assert values[3] == float32(1e-45) and values[5] == float32(3.4028235e38) and values[6] == "Infinity"
    assert values[4] == 0 and math.copysign(1, values[4]) == -1
    assert all(point[0] == 1700000000.123456 for point in points)
    assert [point[1] for point in board.get("plugin/scalars/scalars", run="special", tag="steps")] == [-5, 0, 2**53 + 1]


def test_names_and_descriptions_survive(board):
    tags = board.get("plugin/scalars/tags")["special"]
    assert tags["described"]["displayName"] == "Described"
    assert "how <em>good</em>" in tags["described"]["description"]


def test_tag_reused_for_another_kind_is_renamed(board):
    assert len(board.get("plugin/scalars/scalars", run="special", tag="reused")) == 2
    assert "reused_histogram" in board.get("plugin/histograms/tags")["special"]


def pixels(board, tag: str, sample: int = 0):
    entry = board.get("plugin/images/images", run="media", tag=tag, sample=sample)[0]
    data, headers = board.fetch("plugin/images/individualImage?" + entry["query"])
    return Image.open(io.BytesIO(data)), headers["Content-Type"]


def ramp(count: int):
    return (numpy.arange(count) * 7 % 256).astype(numpy.uint8)


def test_images_keep_their_pixels(board):
    for channels in (1, 3, 4):
        picture, kind = pixels(board, f"u8/{channels}")
        assert kind == "image/png" and picture.size == (8, 6)
        assert (numpy.asarray(picture).reshape(-1) == ramp(6 * 8 * channels)).all()
    picture, _ = pixels(board, "float")
    expected = (numpy.arange(3 * 6 * 8) % 256).reshape(3, 6, 8).transpose(1, 2, 0)
    assert (numpy.asarray(picture) == expected).all()
    assert board.get("plugin/images/tags")["media"]["batch"]["samples"] == 5
    for sample in range(5):
        picture, _ = pixels(board, "batch", sample)
        assert (numpy.asarray(picture).reshape(-1) == ramp(5 * 6 * 8 * 3)[sample * 144:(sample + 1) * 144]).all()
    picture, _ = pixels(board, "boxes")
    assert tuple(numpy.asarray(picture)[1, 3]) == (230, 25, 75)


def test_video_is_an_animated_gif(board):
    picture, kind = pixels(board, "video")
    assert kind == "image/gif" and picture.n_frames == 4 and picture.info["duration"] == 250
    assert (numpy.asarray(picture.convert("RGB")).reshape(-1) == ramp(144)).all()


@pytest.mark.parametrize("tag, channels", [("mono", 1), ("stereo", 2)])
def test_audio_is_served_as_written(board, tag, channels):
    import wave

    entry = board.get("plugin/audio/audio", run="media", tag=tag, sample=0)[0]
    data, headers = board.fetch("plugin/audio/individualAudio?" + entry["query"])
    assert headers["Content-Type"] == "audio/wav"
    with wave.open(io.BytesIO(data)) as sound:
        assert (sound.getnchannels(), sound.getframerate()) == (channels, 8000)
        assert (numpy.frombuffer(sound.readframes(800), numpy.int16) == (numpy.arange(800) * 40).astype(numpy.int16)).all()


def text(board, tag: str) -> str:
    return board.get("plugin/text/text", run="media", tag=f"{tag}/text_summary")[0]["text"]


def test_text_shows_and_stays_harmless(board):
    assert "<h1>Title</h1>" in text(board, "markdown") and "<table>" in text(board, "markdown")
    assert "\U0001F680" in text(board, "emoji")
    assert "<script>" not in text(board, "script")
    assert "bad \ufffd\ufffd bytes" in text(board, "broken")
    assert len(text(board, "large")) >= 5 << 20


def buckets(board, tag: str):
    return board.time_series("histograms", tag, run="media")["media"][0]["bins"]


def test_histograms_agree_in_both_loaders(board):
    for tag in ("rising", "falling", "odd"):
        bins = buckets(board, tag)
        assert sum(one["count"] for one in bins) == 1000
        assert bins[0]["min"] == -500 and bins[-1]["max"] == 499
        assert len(bins) == 30
    assert sum(one["count"] for one in buckets(board, "constant")) == 10
    assert sum(one["count"] for one in buckets(board, "single")) == 1
    assert buckets(board, "single")[0]["min"] == 7.5
    assert sum(one["count"] for one in buckets(board, "empty")) == 0
    assert sum(one["count"] for one in buckets(board, "many")) == 1_000_000
    assert [(one["min"], one["max"], one["count"]) for one in buckets(board, "raw")] == [(-1, 0, 2), (0, 1, 3), (1, 4, 5)]
    distribution = board.get("plugin/distributions/distributions", run="media", tag="rising")[0][2]
    median = next(value for basis_points, value in distribution if basis_points == 5000)
    assert abs(median) < 40


def test_graph_has_every_node_and_edge(board):
    info = board.get("plugin/graphs/info")
    assert info["media"]["run_graph"]
    graph, _ = board.fetch("plugin/graphs/graph", run="media")
    words = graph.decode()
    assert words.count("node {") == 10_000
    assert 'name: "scope_99/inner/node_9999"' in words and 'input: "scope_98/inner/node_9998"' in words
    assert "_output_shapes" in words


def test_hparams_are_the_union_with_types_and_status(board):
    experiment = board.post_json("plugin/hparams/experiment", {"includeMetrics": True})
    infos = {info["name"]: info for info in experiment["hparamInfos"]}
    assert set(infos) == {"lr", "layers", "bias", "optimizer", "dropout", "extra"}
    assert infos["lr"]["type"] == "DATA_TYPE_FLOAT64" and infos["bias"]["type"] == "DATA_TYPE_BOOL"
    assert infos["lr"]["differs"]
    groups = board.post_json("plugin/hparams/session_groups", {
        "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"], "startIndex": 0,
        "sliceSize": 100, "colParams": [{"metric": {"tag": "accuracy", "group": ""}},
                                        {"metric": {"tag": "accuracy", "group": "eval"}}]})
    sessions = {session["name"]: (group["hparams"], session) for group in groups["sessionGroups"]
                for session in group["sessions"]}
    assert sessions["hparams/a"][0]["bias"] is True and sessions["hparams/a"][0]["layers"] == 3
    assert sessions["hparams/a"][1]["status"] == "STATUS_SUCCESS"
    assert sessions["hparams/killed"][1].get("status", "STATUS_UNKNOWN") == "STATUS_UNKNOWN"
    metrics = {(value["name"]["group"], value["name"]["tag"]): value["value"]
               for value in sessions["hparams/a"][1]["metricValues"]}
    assert metrics[("", "accuracy")] == 0.5 and metrics[("eval", "accuracy")] == 0.25


def test_meshes_keep_their_arrays(board):
    tags = board.get("plugin/mesh/tags")["media"]
    assert set(tags) == {"v", "vc", "vfc"}
    for tag, contents in (("v", 1), ("vc", 2), ("vfc", 3)):
        listed = board.get("plugin/mesh/meshes", run="media", tag=tag, sample=0)
        assert len(listed) == contents
    data = lambda tag, kind: board.fetch("plugin/mesh/data", run="media", tag=tag, sample=0, step=1, content_type=kind)[0]
    vertices = numpy.frombuffer(data("vfc", "VERTEX"), numpy.float32)
    assert vertices.tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert numpy.frombuffer(data("vfc", "FACE"), numpy.int32).tolist() == [0, 1, 2, 0, 1, 3]
    assert numpy.frombuffer(data("vc", "COLOR"), numpy.uint8).tolist() == [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7]
    config = board.get("plugin/mesh/meshes", run="media", tag="vfc", sample=0)[0]["config"]
    assert (config if isinstance(config, dict) else json.loads(config))["camera"]["fov"] == 75


def test_pr_curve_counts(board):
    curve = board.get("plugin/pr_curves/pr_curves", run="media", tag="curve")["media"][0]
    labels = [i * 37 % 5 < 2 for i in range(200)]
    predictions = [(i * 53 % 101) / 101 for i in range(200)]
    thresholds = [i / 10 for i in range(11)]
    expected = [sum(1 for label, p in zip(labels, predictions) if label and math.floor(p * 10) >= t) for t in range(11)]
    got = curve["true_positives"]
    assert got == expected[:len(got)] and len(got) >= 10
    assert curve["thresholds"][: len(thresholds)] == pytest.approx(thresholds[: len(curve["thresholds"])], abs=1e-6)


def test_custom_layout_matches_exact_tags_only(board):
    layout = board.get("plugin/custom_scalars/layout")
    category = layout["category"][0]
    assert [chart["title"] for chart in category["chart"]] == ["lines", "band"]
    pattern = category["chart"][0]["multiline"]["tag"][0]
    matched = board.get("plugin/custom_scalars/scalars", run="media", tag=pattern)
    assert set(matched["tag_to_events"]) == {"t_f32"}
    assert category["chart"][1]["margin"]["series"][0]["upper"] == "upper"


def test_projector_shows_vectors_labels_and_sprite(board):
    assert "media" in board.get("plugin/projector/runs")
    info = board.get("plugin/projector/info", run="media")
    names = {embedding["tensorName"]: embedding for embedding in info["embeddings"]}
    assert set(names) == {"points:00007", "zeros:00000"}
    tensor, _ = board.fetch("plugin/projector/tensor", run="media", name="points:00007")
    got = numpy.frombuffer(tensor, numpy.float32)
    assert got.tolist() == (numpy.arange(60, dtype=numpy.float32) * numpy.float32(0.37) - numpy.float32(3)).tolist()
    zeros, _ = board.fetch("plugin/projector/tensor", run="media", name="zeros:00000")
    assert not numpy.frombuffer(zeros, numpy.float32).any()
    metadata, _ = board.fetch("plugin/projector/metadata", run="media", name="points:00007")
    assert metadata.decode().splitlines()[:2] == ["name\tnumber", "item 0\t0"]
    sprite, _ = board.fetch("plugin/projector/sprite_image", run="media", name="points:00007")
    assert Image.open(io.BytesIO(sprite)).size[0] >= 4 * 4


def test_run_names(board):
    assert {".", "names/nested/deeper", "names/with space", "names/ünïcode ✓", "names/#&?%"} <= set(board.get("runs"))
    assert len(board.get("plugin/scalars/scalars", run="names/#&?%", tag="named")) == 1


def test_resumed_run_shows_rising_steps(board):
    points = board.get("plugin/scalars/scalars", run="resume", tag="loss")
    assert [point[1] for point in points] == list(range(151))
    assert [point[2] for point in points] == [1] * 50 + [2] * 101


def test_our_reader_sees_the_same_scalars(board, logdir):
    ours = dump(logdir)
    for run, tags in board.get("plugin/scalars/tags").items():
        for tag in list(tags)[:5]:
            theirs = board.get("plugin/scalars/scalars", run=run, tag=tag)
            points = ours[run]["keys"][f"{tag} scalar"]
            if run == "resume":
                assert len(points) == 202
                continue
            assert [point[2] for point in theirs] == [point[1] for point in points]
            assert [point[1] for point in theirs] == [point[0] for point in points]
