"""Everything a run holds, once as TensorBoard answers and once as our reader does."""

import hashlib
import html
import re

import numpy
import pytest


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def compare_scalars(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/scalars/tags").get(run, {})
    for tag in tags:
        theirs = board.get("plugin/scalars/scalars", run=run, tag=tag)
        got = [[point[2], point[0], point[1]] for point in ours[f"{tag} scalar"]]
        assert len(got) == len(theirs), tag
        for mine, (wall, step, value) in zip(got, theirs):
            assert (mine[1], mine[2]) == (step, value), tag
            assert mine[0] == pytest.approx(wall, abs=1e-6), tag
    return len(tags)


def compare_histograms(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/histograms/tags").get(run, {})
    for tag in tags:
        theirs = board.time_series("histograms", tag, run=run)[run]
        mine = ours[f"{tag} histogram"]
        assert [one["step"] for one in theirs] == [one["step"] for one in mine], tag
        for one, other in zip(theirs, mine):
            bins = one["bins"]
            assert other["counts"] == [bucket["count"] for bucket in bins], tag
            if not bins:
                continue
            assert other["edges"] == pytest.approx([bins[0]["min"]] + [bucket["max"] for bucket in bins], rel=1e-6), tag
    return len(tags)


def compare_pictures(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/images/tags").get(run, {})
    for tag, info in tags.items():
        # An animated picture is a film to us.
        film = ours.get(f"{tag} video")
        for sample in range(info["samples"]):
            listed = board.get("plugin/images/images", run=run, tag=tag, sample=sample)
            for number, entry in enumerate(listed):
                data, _ = board.fetch("plugin/images/individualImage?" + entry["query"])
                mine = film[number] if film else ours[f"{tag} image"][number]
                assert mine["step"] == entry["step"], tag
                assert (mine["sha256"] if film else mine["sha256"][sample]) == digest(data), tag
    return len(tags)


def compare_sound(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/audio/tags").get(run, {})
    for tag in tags:
        for number, entry in enumerate(board.get("plugin/audio/audio", run=run, tag=tag, sample=0)):
            data, _ = board.fetch("plugin/audio/individualAudio?" + entry["query"])
            assert ours[f"{tag} audio"][number]["sha256"] == digest(data), tag
    return len(tags)


def compare_text(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/text/tags").get(run, [])
    for tag in tags:
        theirs = board.get("plugin/text/text", run=run, tag=tag, markdown="false")
        if f"{tag} text" in ours:
            mine = [one["text"] for one in ours[f"{tag} text"]]
            assert [html.unescape(re.sub("<[^>]*>", "", one["text"])).strip() for one in theirs] == [one.strip() for one in mine], tag
        else:
            for one, other in zip(theirs, ours[f"{tag} table"], strict=True):
                shown = [html.unescape(cell).strip() for cell in re.findall(r"<td>(.*?)</td>", one["text"], re.S)]
                named = other["columns"] != [str(i) for i in range(len(other["columns"]))]
                header = [f"**{column}**" for column in other["columns"]] if named else []
                assert [re.sub("</?strong>", "**", cell) for cell in shown] == header + [cell for row in other["rows"] for cell in row], tag
    return len(tags)


def compare_curves(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/pr_curves/tags").get(run, {})
    for tag in tags:
        for one, other in zip(board.get("plugin/pr_curves/pr_curves", run=run, tag=tag)[run], ours[f"{tag} pr_curve"], strict=True):
            for name in ("true_positives", "false_positives", "true_negatives", "false_negatives", "precision", "recall"):
                assert other[name][:len(one[name])] == pytest.approx(one[name]), (tag, name)
    return len(tags)


def compare_meshes(board, ours: dict, run: str) -> int:
    tags = board.get("plugin/mesh/tags").get(run, {})
    for tag in tags:
        mine = ours[f"{tag} mesh"]
        for number, entry in enumerate(one for one in board.get("plugin/mesh/meshes", run=run, tag=tag, sample=0)
                                       if one["content_type"] in (1, "VERTEX")):
            kinds = [kind for bit, kind in ((1, "VERTEX"), (2, "FACE"), (3, "COLOR")) if entry["components"] >> bit & 1]
            parts = [board.fetch("plugin/mesh/data", run=run, tag=tag, sample=0, step=entry["step"], content_type=kind)[0]
                     for kind in kinds]
            assert mine[number]["step"] == entry["step"]
            assert mine[number]["sha256"] == digest(b"".join(parts)), tag
    return len(tags)


def compare_graph(board, ours: dict, run: str) -> int:
    from google.protobuf import text_format
    from tensorboard.compat.proto import graph_pb2

    info = board.get("plugin/graphs/info").get(run, {})
    if not info.get("run_graph"):
        return 0
    graph = text_format.Parse(board.fetch("plugin/graphs/graph", run=run)[0].decode(), graph_pb2.GraphDef())
    assert ours["graph graph"][-1]["nodes"] == {node.name: list(node.input) for node in graph.node}
    return 1


def compare_embeddings(board, ours: dict, run: str) -> int:
    if run not in board.get("plugin/projector/runs"):
        return 0
    info = board.get("plugin/projector/info", run=run)
    for embedding in info["embeddings"]:
        tensor, _ = board.fetch("plugin/projector/tensor", run=run, name=embedding["tensorName"])
        name, _, step = embedding["tensorName"].partition(":")
        mine = next(one for one in ours[f"{name} embedding"] if not step or one["step"] == int(step))
        assert mine["sha256"] == digest(numpy.frombuffer(tensor, numpy.float32).tobytes()), name
    return len(info["embeddings"])


KINDS = {"scalars": compare_scalars, "histograms": compare_histograms, "images": compare_pictures, "audio": compare_sound,
         "text": compare_text, "pr_curves": compare_curves, "mesh": compare_meshes, "graph": compare_graph,
         "embeddings": compare_embeddings}


def compare_run(board, ours: dict, run: str, without=()) -> dict:
    """Asserts that our reader's answers equal TensorBoard's; returns how many tags of each plugin were compared."""
    return {name: compare(board, ours[run]["keys"], run) for name, compare in KINDS.items() if name not in without}
