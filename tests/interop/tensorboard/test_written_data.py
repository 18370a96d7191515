"""Histograms, graphs, hyperparameters, meshes, curves, layouts and embeddings, seen through both of TensorBoard's loaders."""

import io
import json
import math

import numpy
import pytest
from google.protobuf import text_format
from PIL import Image
from tensorboard.compat.proto import graph_pb2


def buckets(board, tag: str):
    return board.time_series("histograms", tag, run="media")["media"][0]["bins"]


def test_07_histograms_count_everything_between_their_ends(board):
    for tag in ("rising", "falling", "odd"):
        bins = buckets(board, tag)
        assert sum(one["count"] for one in bins) == 1000
        assert bins[0]["min"] == -500 and bins[-1]["max"] == 499
        assert len(bins) == 30
    assert sum(one["count"] for one in buckets(board, "constant")) == 10
    assert all(one["min"] == one["max"] == 3 for one in buckets(board, "constant"))
    assert sum(one["count"] for one in buckets(board, "single")) == 1
    assert buckets(board, "single")[0]["min"] == 7.5 and buckets(board, "single")[-1]["max"] == 7.5
    assert sum(one["count"] for one in buckets(board, "empty")) == 0
    assert [(one["min"], one["max"], one["count"]) for one in buckets(board, "raw")] == [(-1, 0, 2), (0, 1, 3), (1, 4, 5)]


def test_07_ten_million_values(board):
    bins = buckets(board, "many")
    assert sum(one["count"] for one in bins) == 10_000_000
    assert bins[0]["min"] == -250 and bins[-1]["max"] == 749
    values = numpy.arange(1000) - 250
    edges = numpy.array([bins[0]["min"]] + [one["max"] for one in bins])
    expected, _ = numpy.histogram(values, edges)
    assert [one["count"] for one in bins] == (expected * 10_000).tolist()


def test_07_both_loaders_give_the_same_buckets(boards):
    for tag in boards["rust"].get("plugin/histograms/tags")["media"]:
        assert buckets(boards["rust"], tag) == buckets(boards["python"], tag), tag


@pytest.mark.parametrize("tag, median", [("rising", -0.5), ("falling", -0.5), ("many", 249.5), ("constant", 3)])
def test_07_distributions_have_the_right_median(board, tag, median):
    distribution = board.get("plugin/distributions/distributions", run="media", tag=tag)[0][2]
    shown = next(value for basis_points, value in distribution if basis_points == 5000)
    # A median read off 30 buckets is as good as a bucket is wide.
    assert abs(shown - median) <= (1000 / 30 if tag != "constant" else 0)


def test_08_graph_has_every_node_edge_and_shape(board):
    assert board.get("plugin/graphs/info")["media"]["run_graph"]
    words, _ = board.fetch("plugin/graphs/graph", run="media")
    graph = text_format.Parse(words.decode(), graph_pb2.GraphDef())
    name = lambda i: f"scope_{i % 100}/inner/node_{i}"
    nodes = {node.name: node for node in graph.node}
    assert len(graph.node) == 10_000 and set(nodes) == {name(i) for i in range(10_000)}
    for i in range(10_000):
        node = nodes[name(i)]
        assert node.op == ("Relu" if i % 2 else "MatMul")
        assert list(node.input) == ([name(i - 1)] if i else [])
        shape = node.attr["_output_shapes"].list.shape
        assert [[dim.size for dim in one.dim] for one in shape] == [[32, i % 7]]


STATUSES = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]


def session_groups(board) -> list:
    answer = board.post_json("plugin/hparams/session_groups", {
        "allowedStatuses": STATUSES, "startIndex": 0, "sliceSize": 100,
        "colParams": [{"metric": {"tag": "accuracy", "group": ""}}, {"metric": {"tag": "accuracy", "group": "eval"}}]})
    return answer["sessionGroups"]


def test_09_hparams_are_the_union_with_types(board):
    experiment = board.post_json("plugin/hparams/experiment", {"includeMetrics": True})
    infos = {info["name"]: info for info in experiment["hparamInfos"]}
    assert set(infos) == {"lr", "layers", "bias", "optimizer", "dropout", "extra"}
    assert {name: info["type"] for name, info in infos.items()} == {
        "lr": "DATA_TYPE_FLOAT64", "layers": "DATA_TYPE_FLOAT64", "bias": "DATA_TYPE_BOOL", "optimizer": "DATA_TYPE_STRING",
        "dropout": "DATA_TYPE_FLOAT64", "extra": "DATA_TYPE_STRING"}
    assert infos["lr"]["differs"] and infos["bias"]["differs"]
    assert not infos["layers"].get("differs")


def test_09_hparams_sessions_say_how_they_ended(board):
    sessions = {session["name"]: (group["hparams"], session) for group in session_groups(board) for session in group["sessions"]}
    assert sessions["hparams/a"][0]["bias"] is True and sessions["hparams/a"][0]["layers"] == 3
    status = {name: session.get("status", "STATUS_UNKNOWN") for name, (_, session) in sessions.items()}
    assert status["hparams/a"] == status["hparams/b"] == "STATUS_SUCCESS"
    assert status["hparams/failed"] == "STATUS_FAILURE"
    assert status["hparams/killed"] == "STATUS_UNKNOWN"
    metrics = {(value["name"]["group"], value["name"]["tag"]): value["value"]
               for value in sessions["hparams/a"][1]["metricValues"]}
    assert metrics[("", "accuracy")] == 0.5 and metrics[("eval", "accuracy")] == 0.25


def test_09_two_seeds_of_one_group_are_averaged(board):
    trial = next(group for group in session_groups(board) if group["name"] == "trial")
    assert {session["name"] for session in trial["sessions"]} == {"hparams/seed_0", "hparams/seed_1"}
    assert [value["value"] for value in trial["metricValues"] if value["name"]["group"] == ""] == [0.5]


def test_10_meshes_keep_their_arrays(board):
    assert set(board.get("plugin/mesh/tags")["media"]) == {"v", "vc", "vfc"}
    for tag, contents, components in (("v", 1, 2), ("vc", 2, 10), ("vfc", 3, 14)):
        listed = board.get("plugin/mesh/meshes", run="media", tag=tag, sample=0)
        assert len(listed) == contents
        assert all(one["components"] == components for one in listed)
    data = lambda tag, kind: board.fetch("plugin/mesh/data", run="media", tag=tag, sample=0, step=1, content_type=kind)[0]
    vertices = numpy.array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], numpy.float32).tobytes()
    colors = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7])
    for tag in ("v", "vc", "vfc"):
        assert data(tag, "VERTEX") == vertices
    assert data("vc", "COLOR") == data("vfc", "COLOR") == colors
    assert data("vfc", "FACE") == numpy.array([0, 1, 2, 0, 1, 3], numpy.int32).tobytes()
    config = board.get("plugin/mesh/meshes", run="media", tag="vfc", sample=0)[0]["config"]
    assert (config if isinstance(config, dict) else json.loads(config))["camera"]["fov"] == 75


def test_11_pr_curve_counts(board):
    curve = board.get("plugin/pr_curves/pr_curves", run="media", tag="curve")["media"][0]
    labels = numpy.array([i * 37 % 5 < 2 for i in range(200)])
    levels = numpy.array([math.floor((i * 53 % 101) / 101 * 10) for i in range(200)])
    above = [levels >= threshold for threshold in range(11)]
    expected = {"true_positives": [int((labels & hit).sum()) for hit in above],
                "false_positives": [int((~labels & hit).sum()) for hit in above],
                "true_negatives": [int((~labels & ~hit).sum()) for hit in above],
                "false_negatives": [int((labels & ~hit).sum()) for hit in above]}
    count = len(curve["thresholds"])
    assert count >= 10
    for name, values in expected.items():
        assert curve[name] == values[:count], name
    positives, wrong, missed = (numpy.array(expected[name][:count], float)
                                for name in ("true_positives", "false_positives", "false_negatives"))
    assert curve["precision"] == pytest.approx(positives / (positives + wrong))
    assert curve["recall"] == pytest.approx(positives / (positives + missed))
    assert curve["thresholds"] == pytest.approx([i / 10 for i in range(count)], abs=1e-6)


def test_12_custom_layout_matches_exact_tags_only(board):
    category = board.get("plugin/custom_scalars/layout")["category"][0]
    assert [chart["title"] for chart in category["chart"]] == ["lines", "band"]
    for pattern, tag in zip(category["chart"][0]["multiline"]["tag"], ("t_f32", "lower")):
        matched = board.get("plugin/custom_scalars/scalars", run="media", tag=pattern)
        assert set(matched["tag_to_events"]) == {tag}
    assert category["chart"][1]["margin"]["series"] == [{"value": "t_f32", "lower": "lower", "upper": "upper"}]


def test_13_projector_shows_vectors_labels_and_sprite(board, logdir):
    assert "media" in board.get("plugin/projector/runs")
    info = board.get("plugin/projector/info", run="media")
    names = {embedding["tensorName"]: embedding for embedding in info["embeddings"]}
    assert set(names) == {"points:00007", "zeros:00000"}
    tensor, _ = board.fetch("plugin/projector/tensor", run="media", name="points:00007")
    expected = numpy.arange(60, dtype=numpy.float32) * numpy.float32(0.37) - numpy.float32(3)
    assert numpy.frombuffer(tensor, numpy.float32).tolist() == expected.tolist()
    zeros, _ = board.fetch("plugin/projector/tensor", run="media", name="zeros:00000")
    assert numpy.frombuffer(zeros, numpy.float32).tolist() == [0] * 6
    metadata, _ = board.fetch("plugin/projector/metadata", run="media", name="points:00007")
    assert metadata.decode().splitlines() == ["name\tnumber"] + [f"item {i}\t{i}" for i in range(20)]
    sprite, _ = board.fetch("plugin/projector/sprite_image", run="media", name="points:00007")
    assert Image.open(io.BytesIO(sprite)).size == (20, 20)


def test_13_projector_files_stay_inside_the_run(logdir):
    folder = (logdir / "media").resolve()
    config = (folder / "projector_config.pbtxt").read_text()
    paths = [line.split('"')[1] for line in config.splitlines() if "_path:" in line]
    assert len(paths) == 4  # two tensors, one metadata, one sprite
    for path in paths:
        assert (folder / path).resolve().is_relative_to(folder) and (folder / path).is_file()
    # Vectors of zeros are valid UTF-8 and would be taken for text: those are written as text.
    tensors = {path.split("/")[1]: (folder / path).read_bytes() for path in paths if "tensor" in path.rsplit("/", 1)[1]}
    assert tensors["zeros"].decode().split() == ["0"] * 6
    assert len(tensors["points"]) == 20 * 3 * 4
