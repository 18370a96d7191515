"""The same calls of torch's SummaryWriter and of ours leave folders in which TensorBoard itself finds the same."""

import io
import wave

import numpy as np
import pytest
import torch
from PIL import Image
from taffrail.tensorboard import SummaryWriter
from tensorboard.backend.event_processing.plugin_event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util
from torch.utils.tensorboard import SummaryWriter as Theirs


def make_calls(writer):
    random = np.random.default_rng(3)
    for step in range(9):
        writer.add_scalar("loss/train", 1 / (step + 1), step)
        writer.add_scalar("tensor", torch.tensor(step * 0.5, requires_grad=True), step, walltime=1000.0 + step)
        writer.add_scalar("numpy", np.float32(step), np.int64(step))
        writer.add_scalar("odd", float("nan") if step % 3 else float("inf"), step)
    writer.add_scalar("stepless", 1.0)
    writer.add_scalar("new", 0.1, 3, new_style=True)
    writer.add_scalar("double", 0.1, 3, new_style=True, double_precision=True)
    writer.add_scalars("both", {"a": 1.0, "b": torch.tensor(2.0)}, 4)
    values = random.normal(size=500)
    writer.add_histogram("histogram/auto", values, 1, bins="auto")
    writer.add_histogram("histogram/edges", torch.tensor(values), 1, bins=[-4.0, -1.0, 0.0, 1.0, 4.0])
    writer.add_histogram_raw("histogram/raw", min=0.0, max=2.0, num=3, sum=3.0, sum_squares=5.0, bucket_limits=[1.0, 2.0], bucket_counts=[1, 2], global_step=1)
    writer.add_image("image/bytes", random.integers(0, 255, (3, 8, 9), dtype=np.uint8), 1)
    writer.add_image("image/hwc", torch.tensor(random.integers(0, 255, (8, 9, 3), dtype=np.uint8)), 1, dataformats="HWC")
    writer.add_image("image/floats", torch.rand((3, 8, 9), generator=torch.Generator().manual_seed(1)), 1)
    writer.add_image("image/doubles", random.random((8, 9)), 1, dataformats="HW")
    writer.add_image("image/beyond", random.random((8, 9)).astype("f4") * 3 - 1, 1, dataformats="HW")
    writer.add_image("image/truth", torch.tensor(random.random((8, 9)) > 0.5), 1, dataformats="HW")
    writer.add_image("image/mask", torch.tensor(random.integers(0, 2, (1, 8, 9))), 1)
    writer.add_image("image/small_mask", random.integers(0, 2, (8, 9), dtype=np.int8), 1, dataformats="HW")
    writer.add_audio("audio", torch.sin(torch.arange(800) / 10)[None], 1, sample_rate=8000)
    writer.add_text("text", "step **1** with `code`", 1)
    writer.add_pr_curve("curve", random.integers(0, 2, 100), random.random(100), 1)
    writer.add_mesh("mesh", torch.rand((1, 4, 3), generator=torch.Generator().manual_seed(2)), colors=torch.tensor(random.integers(0, 255, (1, 4, 3))),
                    faces=torch.tensor([[[0, 1, 2]]]), global_step=1)
    writer.add_tensor("values", torch.arange(6).reshape(2, 3), 1)
    writer.add_custom_scalars({"group": {"lines": ["Multiline", ["loss/.*", "odd"]], "margin": ["Margin", ["a", "b", "c"]]}})
    writer.add_embedding(torch.tensor(random.normal(size=(5, 3)), dtype=torch.float32), metadata=list("abcde"), label_img=torch.rand(5, 3, 4, 4), global_step=2)
    writer.add_hparams({"lr": 0.5, "flag": True, "name": "x", "layers": 3}, {"accuracy": 0.9}, run_name="hp")


class Found:
    """What TensorBoard reads from a folder: by run and tag the plugin, the steps and the values."""

    def __init__(self, folder):
        self.runs = {}
        for path in sorted({file.parent for file in folder.rglob("events.out.tfevents.*")}):
            self.runs[path.relative_to(folder).as_posix()] = EventAccumulator(str(path)).Reload()

    def tags(self):
        return {(run, tag): opened.SummaryMetadata(tag).plugin_data.plugin_name for run, opened in self.runs.items() for tag in opened.Tags()["tensors"]}

    def values(self, tag, run="."):
        return [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in self.runs[run].Tensors(tag)]

    def bytes_of(self, tag):
        (step, value), = self.values(tag)
        return step, value.reshape(-1).tolist()


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """(torch's, ours)"""
    folders = []
    for writer in (Theirs, SummaryWriter):
        folder = tmp_path_factory.mktemp(writer.__module__.split(".")[0])
        with writer(folder / "logs") as opened:
            make_calls(opened)
        folders.append(folder / "logs")
    return tuple(Found(folder) for folder in folders), folders


def test_runs_tags_and_plugins_are_the_same(both):
    (theirs, ours), _ = both
    expected = theirs.tags()
    assert expected.pop(("hp", "_hparams_/experiment")) == "hparams"  # TensorBoard makes it of the sessions where there is none
    assert ours.tags() == expected and len(expected) > 25


@pytest.mark.parametrize("tag, run", [("loss/train", "."), ("tensor", "."), ("numpy", "."), ("odd", "."), ("stepless", "."), ("new", "."), ("double", "."), ("both", "both_a"),
                                      ("both", "both_b"), ("accuracy", "hp"), ("curve", "."), ("mesh_VERTEX", "."), ("mesh_FACE", "."), ("mesh_COLOR", "."), ("values", ".")])
def test_numbers_are_the_same(both, tag, run):
    (theirs, ours), _ = both
    expected, found = theirs.values(tag, run), ours.values(tag, run)
    assert [step for step, _ in found] == [step for step, _ in expected]
    for (_, one), (_, other) in zip(expected, found, strict=True):
        assert other.shape == one.shape
        np.testing.assert_allclose(other.astype("f8"), one.astype("f8"), rtol=1e-6)
    if tag == "tensor":
        assert [event.wall_time for event in ours.runs[run].Tensors(tag)] == [1000.0 + step for step in range(9)]


@pytest.mark.parametrize("tag", ["auto", "edges", "raw"])
def test_histograms_are_the_same(both, tag):
    (theirs, ours), _ = both
    (step, expected), = theirs.values(f"histogram/{tag}")
    (own_step, found), = ours.values(f"histogram/{tag}")
    assert own_step == step == 1
    filled = [bins[bins[:, 2] > 0] for bins in (expected, found)]
    np.testing.assert_allclose(filled[1], filled[0], rtol=1e-6)


@pytest.mark.parametrize("tag", ["bytes", "hwc", "floats", "doubles", "beyond", "truth", "mask", "small_mask"])
def test_pictures_are_the_same(both, tag):
    (theirs, ours), _ = both
    shown = []
    for found in (theirs, ours):
        step, (width, height, data) = found.bytes_of(f"image/{tag}")
        picture = Image.open(io.BytesIO(data))
        assert step == 1 and (int(width), int(height)) == picture.size == (9, 8)
        shown.append(np.asarray(picture.convert("RGB")).astype(int))
    assert np.abs(shown[1] - shown[0]).max() <= 1  # of floats, the one cuts off and the other rounds
    assert shown[1].max() > 200


def test_sound_and_text_are_the_same(both):
    (theirs, ours), _ = both
    samples = []
    for found in (theirs, ours):
        step, (data, *_) = found.bytes_of("audio")
        with wave.open(io.BytesIO(data)) as sound:
            assert (step, sound.getnchannels(), sound.getframerate(), sound.getsampwidth()) == (1, 1, 8000, 2)
            samples.append(np.frombuffer(sound.readframes(1000), "<i2").astype(int))
    assert len(samples[1]) == len(samples[0]) == 800 and np.abs(samples[1] - samples[0]).max() <= 1
    assert ours.bytes_of("text/text_summary") == theirs.bytes_of("text/text_summary") == (1, [b"step **1** with `code`"])


def test_charts_and_hyperparameters_are_the_same(both):
    (theirs, ours), _ = both
    layouts = [layout_pb2.Layout.FromString(found.bytes_of("custom_scalars__config__")[1][0]) for found in (theirs, ours)]
    assert layouts[1].category == layouts[0].category and len(layouts[1].category[0].chart) == 2
    started = []
    for found in (theirs, ours):
        content = found.runs["hp"].SummaryMetadata("_hparams_/session_start_info").plugin_data.content
        started.append(plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info.hparams)
    flag = started[0]["flag"].number_value, started[1]["flag"].bool_value  # torch takes a truth value for the number 1
    assert flag == (1, True) and {**started[1], "flag": None} == {**started[0], "flag": None} and started[1]["layers"].number_value == 3


def test_files_of_embeddings_are_the_same(both):
    _, (theirs, ours) = both
    read = []
    for folder, name in ((theirs, "tensors.tsv"), (ours, "tensors.bytes")):
        place, = folder.rglob(name)
        vectors = np.loadtxt(place) if name.endswith("tsv") else np.fromfile(place, "f4").reshape(5, 3)
        read.append((place.parent.relative_to(folder).as_posix(), (place.parent / "metadata.tsv").read_text().split(), Image.open(place.parent / "sprite.png").size))
        read.append(vectors)
        assert f'tensor_path: "{place.relative_to(folder).as_posix()}"' in (folder / "projector_config.pbtxt").read_text()
    np.testing.assert_allclose(read[3], read[1], rtol=1e-5)
    assert read[2] == read[0]


def test_what_is_shown_otherwise(tmp_path):
    """Batches are pictures of their own, where torch makes a grid of them; whole numbers up to 255 are shown as they are, where torch shows all but 0 white."""
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("batch", np.zeros((5, 3, 4, 6), "u1"), 1)
        writer.add_image("whole", np.arange(12).reshape(3, 4) * 20, 1, dataformats="HW")
        writer.add_image("far", np.array([[-5, 300], [7, 255]]), 1, dataformats="HW")
        writer.add_video("film", torch.zeros(1, 3, 3, 4, 6), 1, fps=5)
        writer.add_graph(torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()), torch.zeros(1, 4))
    found = Found(tmp_path)
    assert len(found.bytes_of("batch")[1]) == 2 + 5
    assert np.asarray(Image.open(io.BytesIO(found.bytes_of("whole")[1][2]))).tolist() == (np.arange(12).reshape(3, 4) * 20).tolist()
    assert np.asarray(Image.open(io.BytesIO(found.bytes_of("far")[1][2]))).tolist() == [[0, 255], [7, 255]]
    assert Image.open(io.BytesIO(found.bytes_of("film")[1][2])).n_frames >= 1
    assert {"Linear", "ReLU"} <= {node.op for node in found.runs["."].Graph().node}
