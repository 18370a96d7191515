"""Logdirs that others wrote, and damaged ones: what TensorBoard shows and more."""

import struct
import subprocess
import sys

import numpy
import pytest
from conftest import dump
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, types_pb2
from tensorboard.util import tensor_util


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload: bytes) -> bytes:
    header = struct.pack("<Q", len(payload))
    return header + masked(header) + payload + masked(payload)


def scalar(step: int, value: float = 1.0, tag: str = "loss") -> bytes:
    event = event_pb2.Event(wall_time=1000 + step, step=step)
    event.summary.value.add(tag=tag, simple_value=value)
    return record(event.SerializeToString())


def version() -> bytes:
    return record(event_pb2.Event(wall_time=1000, file_version="brain.Event:2").SerializeToString())


def save(folder, data: bytes, name: str = "events.out.tfevents.1.host"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def steps(logdir, run: str = "run", key: str = "loss scalar"):
    return [point[0] for point in dump(logdir)[run]["keys"][key]]


# ---- damage: section by section what both loaders lose, and where ours goes on ----

GOOD = scalar(1)
DAMAGE = {
    "bad payload checksum": GOOD[:20] + bytes([GOOD[20] ^ 1]) + GOOD[21:],
    "bad length checksum": GOOD[:8] + bytes([GOOD[8] ^ 1]) + GOOD[9:],
    "junk": b"junk between records",
    "missing byte": GOOD[:15] + GOOD[16:],
    "zero block": bytes(512),
    "not an event": record(b"\x0f\xff\xff\xff"),
    "length beyond the file": struct.pack("<Q", 2**40) + masked(struct.pack("<Q", 2**40)),
    "length near 2^64": struct.pack("<Q", 2**64 - 8) + masked(struct.pack("<Q", 2**64 - 8)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_hides_nothing_behind_it(tmp_path, name):
    before, after = version() + scalar(0), scalar(2) + scalar(3)
    save(tmp_path / "run", before + DAMAGE[name] + after)
    save(tmp_path / "other", version() + scalar(7))
    seen = dump(tmp_path)
    assert steps(tmp_path) == [0, 2, 3]
    assert [(gap["offset"], gap["length"]) for gap in seen["run"]["damage"]] == [(len(before), len(DAMAGE[name]))]
    assert seen["run"]["message"]
    assert steps(tmp_path, "other") == [7]


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_we_show_all_that_tensorboard_shows_of_damaged_files(tmp_path, start_tensorboard, loader):
    names = [name for name in DAMAGE if name not in ("not an event", "length near 2^64", "length beyond the file")]
    for name in names:
        save(tmp_path / name, version() + scalar(0) + DAMAGE[name] + scalar(2))
    board = start_tensorboard(tmp_path, loader)
    board.wait_for_runs(set(names))
    ours = dump(tmp_path)
    for name in names:
        theirs = [point[1] for point in board.get("plugin/scalars/scalars", run=name, tag="loss")]
        assert set(theirs) <= {0, 1, 2}
        assert [point[0] for point in ours[name]["keys"]["loss scalar"]] == [0, 2]


def test_cut_and_zero_tails_are_pending(tmp_path):
    save(tmp_path / "cut", version() + scalar(0) + scalar(1)[:-3])
    save(tmp_path / "zeros", version() + scalar(0) + bytes(4096))
    seen = dump(tmp_path)
    assert steps(tmp_path, "cut") == [0] and not seen["cut"]["damage"]
    assert steps(tmp_path, "zeros") == [0]


# ---- other writers ----

def test_every_number_type(tmp_path):
    data = version()
    types = {"float32": numpy.float32, "float64": numpy.float64, "float16": numpy.float16, "int8": numpy.int8, "int16": numpy.int16,
             "int32": numpy.int32, "int64": numpy.int64, "uint8": numpy.uint8, "bool": bool}
    for name, kind in types.items():
        for shape in ((), (1,)):
            event = event_pb2.Event(wall_time=1, step=3)
            value = event.summary.value.add(tag=f"{name}{len(shape)}", tensor=tensor_util.make_tensor_proto(numpy.full(shape, 1, kind)))
            value.metadata.plugin_data.plugin_name = "scalars"
            data += record(event.SerializeToString())
    for name, kind, field in (("bfloat16", types_pb2.DT_BFLOAT16, "half_val"), ("uint64", types_pb2.DT_UINT64, "uint64_val"),
                              ("uint32", types_pb2.DT_UINT32, "uint32_val")):
        event = event_pb2.Event(wall_time=1, step=3)
        tensor = tensor_pb2.TensorProto(dtype=kind)
        getattr(tensor, field).append(0x3F80 if name == "bfloat16" else 1)
        value = event.summary.value.add(tag=f"{name}0", tensor=tensor)
        value.metadata.plugin_data.plugin_name = "scalars"
        data += record(event.SerializeToString())
    save(tmp_path / "run", data)
    keys = dump(tmp_path)["run"]["keys"]
    assert len(keys) == len(types) * 2 + 3
    assert all(points == [[3, 1, 1, 0]] for points in keys.values()), keys


def test_doubles_keep_every_bit(tmp_path):
    event = event_pb2.Event(wall_time=1, step=0)
    value = event.summary.value.add(tag="d", tensor=tensor_util.make_tensor_proto(numpy.float64(0.1)))
    value.metadata.plugin_data.plugin_name = "scalars"
    save(tmp_path / "run", version() + record(event.SerializeToString()))
    assert dump(tmp_path)["run"]["keys"]["d scalar"][0][1] == 0.1


def test_fields_in_any_order_and_unknown_ones(tmp_path):
    event = event_pb2.Event(step=4)
    event.summary.value.add(tag="loss", simple_value=2.5)
    unknown = bytes([0xA3, 0x06, 0x08, 0x01, 0xA4, 0x06])  # group 100 { 1: 1 }
    payload = unknown + event.SerializeToString() + b"\x09" + struct.pack("<d", 77.0) + b"\xf8\x07\x05"
    save(tmp_path / "run", record(payload))
    assert dump(tmp_path)["run"]["keys"]["loss scalar"] == [[4, 2.5, 77.0, 0]]


def test_what_tensorboardx_writes(tmp_path, start_tensorboard):
    tensorboardX = pytest.importorskip("tensorboardX")
    folder = tmp_path / "run"
    rng = numpy.random.default_rng(0)
    with tensorboardX.SummaryWriter(str(folder)) as writer:
        for step in range(200):
            writer.add_scalar("loss", 1 / (step + 1), step)
        values = rng.normal(size=1000)
        writer.add_histogram("normal", values, 1)
        writer.add_image("picture", rng.integers(0, 255, (3, 8, 9), dtype=numpy.uint8), 1)
        writer.add_images("pictures", rng.integers(0, 255, (2, 3, 8, 9), dtype=numpy.uint8), 1)
        writer.add_text("words", "**bold**", 1)
        writer.add_pr_curve("curve", rng.integers(0, 2, 100), rng.random(100), 1)
        writer.add_embedding(rng.normal(size=(5, 3)), metadata=list("abcde"), global_step=2)
        writer.add_mesh("mesh", rng.random((1, 4, 3)).astype(numpy.float32), global_step=1)
        writer.add_hparams({"lr": 0.5, "flag": True}, {"accuracy": 0.9}, name="hp")
    board = start_tensorboard(tmp_path, "python")
    board.wait_for_runs({"run"})
    ours = dump(tmp_path)["run"]["keys"]
    theirs = board.get("plugin/scalars/scalars", run="run", tag="loss")
    assert [[step, value] for _, step, value in theirs] == [point[:2] for point in ours["loss scalar"]]
    bins = board.time_series("histograms", "normal", run="run")["run"][0]["bins"]
    got = ours["normal histogram"][0]
    assert got["edges"] == pytest.approx([bins[0]["min"]] + [one["max"] for one in bins], rel=1e-6)
    assert got["counts"] == [one["count"] for one in bins]
    assert ours["picture image"][0]["format"] == "png"
    assert ours["words/text_summary text"][0]["text"] == "**bold**"
    curve = board.get("plugin/pr_curves/pr_curves", run="run", tag="curve")["run"][0]
    assert ours["curve pr_curve"][0]["true_positives"][:len(curve["true_positives"])] == curve["true_positives"]
    assert ours["default embedding"][0] == {"step": 2, "count": 5, "dimensions": 3}
    assert ours["mesh mesh"][0]["vertices"] == 4
    configs = [run["config"] for run in dump(tmp_path).values() if run["config"]]
    assert configs and configs[0]["lr"] == 0.5 and configs[0]["flag"] in (True, 1)


def test_what_tensorflow_style_summaries_hold(tmp_path, start_tensorboard):
    """New-style tensors as TensorFlow 2 writes them: metadata on every event."""
    data = version()
    for step in range(50):
        event = event_pb2.Event(wall_time=100 + step, step=step)
        value = event.summary.value.add(tag="epoch_loss", tensor=tensor_util.make_tensor_proto(numpy.float32(step / 3)))
        value.metadata.plugin_data.plugin_name = "scalars"
        value.metadata.data_class = summary_pb2.DATA_CLASS_SCALAR
        rows = numpy.array([[0, 1, 5], [1, 2, step]], numpy.float64)
        value = event.summary.value.add(tag="weights", tensor=tensor_util.make_tensor_proto(rows))
        value.metadata.plugin_data.plugin_name = "histograms"
        value.metadata.data_class = summary_pb2.DATA_CLASS_TENSOR
        data += record(event.SerializeToString())
    save(tmp_path / "run", data)
    board = start_tensorboard(tmp_path, "rust")
    board.wait_for_runs({"run"})
    ours = dump(tmp_path)["run"]["keys"]
    theirs = board.get("plugin/scalars/scalars", run="run", tag="epoch_loss")
    assert [[step, value] for _, step, value in theirs] == [point[:2] for point in ours["epoch_loss scalar"]]
    assert ours["weights histogram"][49] == {"step": 49, "edges": [0, 1, 2], "counts": [5, 49]}


def test_export_reads_back_in_tensorboard(tmp_path, logdir, start_tensorboard):
    from conftest import program

    for run in ("media", "scalars/1"):
        subprocess.run([program("tensorboard_dump"), "--export", str(logdir), run, str(tmp_path / run)], check=True, timeout=60)
    before, after = dump(logdir), dump(tmp_path)
    del before["media"]["keys"]["custom_scalars__config__ text"]
    assert after["media"]["keys"] == before["media"]["keys"]
    assert after["scalars/1"]["keys"] == before["scalars/1"]["keys"]
    board = start_tensorboard(tmp_path, "rust")
    board.wait_for_runs({"media", "scalars/1"})
    assert len(board.get("plugin/scalars/scalars", run="scalars/1", tag="group/tag_3")) == 667


def test_what_torch_writes(tmp_path):
    pytest.importorskip("torch")
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path / "run")) as writer:
        for step in range(100):
            writer.add_scalar("old", step, step)
            writer.add_scalar("new", step, step, new_style=True)
            writer.add_scalar("double", step + 0.1, step, new_style=True, double_precision=True)
    keys = dump(tmp_path)["run"]["keys"]
    assert [point[1] for point in keys["double scalar"]] == [step + 0.1 for step in range(100)]
    assert len(keys["old scalar"]) == len(keys["new scalar"]) == 100


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
