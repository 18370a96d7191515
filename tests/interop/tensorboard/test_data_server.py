"""An unmodified TensorBoard on our data server: the same answers as with its own, and more where that one loses data."""

import json
import subprocess

import pytest
from conftest import build_folder
from wire import record, save, scalar, version

SERVER = build_folder() / "src/tb_data_server/taffrail-tb-data-server"
TAFFRAIL = build_folder() / "bin/taffrail"


@pytest.fixture
def ours(start_tensorboard):
    def start(logdir):
        return start_tensorboard(logdir, "rust", environment={"TENSORBOARD_DATA_SERVER_BINARY": str(SERVER)})

    return start


def test_24_same_answers_as_its_own_server(logdir, ours, start_tensorboard):
    wanted = {"media", "scalars/2", "hparams/a", "special"}
    board, theirs = ours(logdir), start_tensorboard(logdir, "rust")
    board.wait_for_runs(wanted)
    theirs.wait_for_runs(wanted)
    assert set(board.get("runs")) == set(theirs.get("runs"))
    listing = lambda one: {name: plugin["enabled"] for name, plugin in one.get("plugins_listing").items()}
    assert listing(board) == listing(theirs)
    # Text lists its tags in any order, the others map them.
    tags = lambda one, plugin: {run: sorted(found) if isinstance(found, list) else found
                                for run, found in one.get(f"plugin/{plugin}/tags").items()}
    for plugin in ("scalars", "images", "audio", "text", "histograms", "pr_curves", "mesh"):
        assert tags(board, plugin) == tags(theirs, plugin), plugin
    for run, tags in theirs.get("plugin/scalars/tags").items():
        for tag in list(tags)[:3]:
            assert board.get("plugin/scalars/scalars", run=run, tag=tag) == theirs.get("plugin/scalars/scalars", run=run, tag=tag)
    for tag in theirs.get("plugin/histograms/tags")["media"]:
        assert board.time_series("histograms", tag, run="media") == theirs.time_series("histograms", tag, run="media")
    for tag in ("u8/3", "batch", "video"):
        ask = lambda one: one.fetch("plugin/images/individualImage?" + one.get("plugin/images/images", run="media", tag=tag, sample=0)[0]["query"])
        assert ask(board)[0] == ask(theirs)[0]
        assert ask(board)[1]["Content-Type"] == ask(theirs)[1]["Content-Type"]
    ask = lambda one: one.fetch("plugin/audio/individualAudio?" + one.get("plugin/audio/audio", run="media", tag="mono", sample=0)[0]["query"])[0]
    assert ask(board) == ask(theirs)
    for tag in ("markdown", "emoji"):
        query = {"run": "media", "tag": f"{tag}/text_summary"}
        assert board.get("plugin/text/text", **query) == theirs.get("plugin/text/text", **query)
    assert board.fetch("plugin/graphs/graph", run="media")[0] == theirs.fetch("plugin/graphs/graph", run="media")[0]
    body = {"includeMetrics": True}
    columns = lambda one: sorted(info["name"] for info in one.post_json("plugin/hparams/experiment", body)["hparamInfos"])
    assert columns(board) == columns(theirs)
    mesh = {"run": "media", "tag": "vfc", "sample": 0, "step": 1, "content_type": "VERTEX"}
    assert board.fetch("plugin/mesh/data", **mesh)[0] == theirs.fetch("plugin/mesh/data", **mesh)[0]
    curve = {"run": "media", "tag": "curve"}
    assert board.get("plugin/pr_curves/pr_curves", **curve) == theirs.get("plugin/pr_curves/pr_curves", **curve)


def test_24_native_runs_show_as_the_event_files_they_came_from(logdir, tmp_path, ours, boards):
    subprocess.run([TAFFRAIL, "import", logdir, "--root", tmp_path / "native"], check=True, timeout=120, capture_output=True)
    assert not list((tmp_path / "native").rglob("*tfevents*"))
    board, theirs = ours(tmp_path / "native"), boards["rust"]
    runs = board.wait_for_runs({"media", "scalars/2", "hparams/a", "special"})
    assert runs >= {"media", "scalars/0", "scalars/1", "scalars/2", "special", "hparams/a", "hparams/failed", "names/with space"}
    for run in ("scalars/1", "special", "media"):
        tags = theirs.get("plugin/scalars/tags")[run]
        assert set(board.get("plugin/scalars/tags")[run]) == set(tags)
        for tag in list(tags)[:4]:
            assert board.get("plugin/scalars/scalars", run=run, tag=tag) == theirs.get("plugin/scalars/scalars", run=run, tag=tag)
    for tag in ("rising", "many", "raw"):
        assert board.time_series("histograms", tag, run="media") == theirs.time_series("histograms", tag, run="media")
    for tag in ("u8/3", "batch", "labels"):
        ask = lambda one: one.fetch("plugin/images/individualImage?" + one.get("plugin/images/images", run="media", tag=tag, sample=0)[0]["query"])[0]
        assert ask(board) == ask(theirs), tag
    ask = lambda one: one.fetch("plugin/audio/individualAudio?" + one.get("plugin/audio/audio", run="media", tag="mono", sample=0)[0]["query"])[0]
    assert ask(board) == ask(theirs)
    query = {"run": "media", "tag": "markdown/text_summary"}
    assert board.get("plugin/text/text", **query)[0]["text"] == theirs.get("plugin/text/text", **query)[0]["text"]
    curve = {"run": "media", "tag": "curve"}
    shown, wanted = (one.get("plugin/pr_curves/pr_curves", **curve)["media"][0] for one in (board, theirs))
    assert shown["true_positives"] == wanted["true_positives"] and shown["precision"] == pytest.approx(wanted["precision"])
    mesh = {"run": "media", "tag": "vfc", "sample": 0, "step": 1, "content_type": "VERTEX"}
    assert board.fetch("plugin/mesh/data", **mesh)[0] == theirs.fetch("plugin/mesh/data", **mesh)[0]
    assert board.get("plugin/graphs/info")["media"]["run_graph"]
    body = {"includeMetrics": True}
    columns = lambda one: sorted(info["name"] for info in one.post_json("plugin/hparams/experiment", body)["hparamInfos"])
    assert columns(board) == columns(theirs)


def test_24_shows_what_lies_behind_damage(tmp_path, ours):
    save(tmp_path / "run", version() + scalar(0) + bytes(600) + scalar(1) + record(b"\x0f\xff") + scalar(2))
    board = ours(tmp_path)
    board.wait_for_runs({"run"})
    assert [point[1] for point in board.get("plugin/scalars/scalars", run="run", tag="loss")] == [0, 1, 2]


def test_24_runs_may_come_later(tmp_path, start_tensorboard):
    board = start_tensorboard(tmp_path, "rust", "--reload_interval", "1",
                              environment={"TENSORBOARD_DATA_SERVER_BINARY": str(SERVER)})
    assert board.get("runs") == []
    save(tmp_path / "later", version() + scalar(5))
    board.wait_for_runs({"later"})
    assert json.loads(json.dumps(board.get("plugin/scalars/scalars", run="later", tag="loss")))[0][1] == 5
