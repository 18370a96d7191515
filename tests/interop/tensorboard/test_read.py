"""Logdirs that others wrote: our reader answers as TensorBoard does where it is right, and has every point."""

import io
import struct
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from compare import compare_run
from conftest import ROOT, dump, program
from PIL import Image
from tensorboard.compat.proto import event_pb2, graph_pb2, summary_pb2, tensor_pb2, types_pb2
from tensorboard.plugins.hparams import plugin_data_pb2
from tensorboard.util import tensor_util
from wire import record, save, scalar, version

sys.path.insert(0, str(ROOT / "scripts" / "testing"))

from peers import environment_of, python_of  # noqa: E402

HERE = Path(__file__).parent


def scalar_tensor(tag: str, array, step: int = 3) -> bytes:
    event = event_pb2.Event(wall_time=1, step=step)
    tensor = array if isinstance(array, tensor_pb2.TensorProto) else tensor_util.make_tensor_proto(array)
    event.summary.value.add(tag=tag, tensor=tensor).metadata.plugin_data.plugin_name = "scalars"
    return record(event.SerializeToString())


def test_21_every_number_type(tmp_path):
    data = version()
    types = {"float32": numpy.float32, "float64": numpy.float64, "float16": numpy.float16, "int8": numpy.int8, "int16": numpy.int16,
             "int32": numpy.int32, "int64": numpy.int64, "uint8": numpy.uint8, "bool": bool}
    for name, kind in types.items():
        for shape in ((), (1,)):
            data += scalar_tensor(f"{name}{len(shape)}", numpy.full(shape, 1, kind))
    for name, kind, field in (("bfloat16", types_pb2.DT_BFLOAT16, "half_val"), ("uint64", types_pb2.DT_UINT64, "uint64_val"),
                              ("uint32", types_pb2.DT_UINT32, "uint32_val")):
        tensor = tensor_pb2.TensorProto(dtype=kind)
        getattr(tensor, field).append(0x3F80 if name == "bfloat16" else 1)
        data += scalar_tensor(f"{name}0", tensor)
    save(tmp_path / "run", data)
    keys = dump(tmp_path)["run"]["keys"]
    assert len(keys) == len(types) * 2 + 3
    assert all(points == [[3, 1, 1, 0]] for points in keys.values()), keys


def test_21_doubles_keep_every_bit(tmp_path):
    save(tmp_path / "run", version() + scalar_tensor("d", numpy.float64(0.1)))
    assert dump(tmp_path)["run"]["keys"]["d scalar"][0][1] == 0.1


def test_21_fields_in_any_order_and_unknown_ones(tmp_path):
    event = event_pb2.Event(step=4)
    event.summary.value.add(tag="loss", simple_value=2.5)
    unknown = bytes([0xA3, 0x06, 0x08, 0x01, 0xA4, 0x06])  # group 100 { 1: 1 }
    payload = unknown + event.SerializeToString() + b"\x09" + struct.pack("<d", 77.0) + b"\xf8\x07\x05"
    save(tmp_path / "run", record(payload))
    assert dump(tmp_path)["run"]["keys"]["loss scalar"] == [[4, 2.5, 77.0, 0]]


def write_with(folder, family: str, module: str):
    subprocess.run([python_of(family), HERE / "write_with_torch.py", folder, module], check=True, timeout=300, capture_output=True,
                   env={"PATH": "/usr/bin:/bin", "HOME": str(folder.parent), **environment_of(family)})


def hparams_of(seen: dict) -> dict:
    return next(run["config"] for run in seen.values() if run["config"])


def test_21_what_tensorboardx_writes(tmp_path, start_tensorboard):
    write_with(tmp_path / "run", "tensorboard", "tensorboardX")
    board = start_tensorboard(tmp_path, "python")
    board.wait_for_runs({"run"})
    ours = dump(tmp_path)
    compared = compare_run(board, ours, "run")
    assert compared == {"scalars": 2, "histograms": 2, "images": 4, "audio": 0, "text": 1, "pr_curves": 1, "mesh": 1, "graph": 0,
                        "embeddings": 1}
    assert compare_run(board, ours, "run/both/a", without=("embeddings",))["scalars"] == 1
    assert hparams_of(ours) == {"lr": 0.5, "flag": True, "name": "x"}


def test_21_what_torch_writes(tmp_path, start_tensorboard):
    write_with(tmp_path / "run", "lightning", "torch.utils.tensorboard")
    board = start_tensorboard(tmp_path, "python")
    board.wait_for_runs({"run"})
    ours = dump(tmp_path)
    keys = ours["run"]["keys"]
    # TensorBoard's default loader shows nothing of these.
    assert [point[1] for point in keys["double scalar"]] == [step + 0.1 for step in range(100)]
    compared = compare_run(board, ours, "run")
    assert compared == {"scalars": 4, "histograms": 2, "images": 4, "audio": 1, "text": 1, "pr_curves": 1, "mesh": 1, "graph": 1,
                        "embeddings": 1}
    assert len(keys["loss/train scalar"]) == 2000
    assert compare_run(board, ours, "run/both_a", without=("embeddings",))["scalars"] == 1
    assert hparams_of(ours) == {"lr": 0.5, "flag": 1, "name": "x"}  # torch writes truth values as numbers


def new_style(plugin: str, data_class, tag: str, array, step: int, content: bytes = b"") -> bytes:
    event = event_pb2.Event(wall_time=100 + step, step=step)
    tensor = array if isinstance(array, tensor_pb2.TensorProto) else tensor_util.make_tensor_proto(array)
    value = event.summary.value.add(tag=tag, tensor=tensor)
    value.metadata.plugin_data.plugin_name = plugin
    value.metadata.plugin_data.content = content
    value.metadata.data_class = data_class
    return record(event.SerializeToString())


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_21_what_tensorflow_2_summaries_hold(tmp_path, start_tensorboard, loader):
    """New-style tensors as TensorFlow 2 writes them: metadata on every event."""
    picture = io.BytesIO()
    Image.new("RGB", (5, 4), (9, 8, 7)).save(picture, "PNG")
    sound = b"RIFF" + struct.pack("<I", 40) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) + b"data" + struct.pack("<I", 4) + bytes(4)
    data = version()
    for step in range(50):
        data += new_style("scalars", summary_pb2.DATA_CLASS_SCALAR, "epoch_loss", numpy.float32(step / 3), step)
        rows = numpy.array([[0, 1, 5], [1, 2, step]], numpy.float64)
        data += new_style("histograms", summary_pb2.DATA_CLASS_TENSOR, "weights", rows, step)
        data += new_style("text", summary_pb2.DATA_CLASS_TENSOR, "words", numpy.array(f"step {step}".encode(), object), step)
        data += new_style("text", summary_pb2.DATA_CLASS_TENSOR, "grid", numpy.array([[b"a", b"b"], [b"c", b"d"]], object), step)
        data += new_style("images", summary_pb2.DATA_CLASS_BLOB_SEQUENCE, "picture",
                          numpy.array([b"5", b"4", picture.getvalue(), picture.getvalue()], object), step)
        data += new_style("audio", summary_pb2.DATA_CLASS_BLOB_SEQUENCE, "sound", numpy.array([sound], object), step)
    save(tmp_path / "run", data)
    board = start_tensorboard(tmp_path, loader)
    board.wait_for_runs({"run"})
    compared = compare_run(board, dump(tmp_path), "run", without=("embeddings",))
    assert compared == {"scalars": 1, "histograms": 1, "images": 1, "audio": 1, "text": 2, "pr_curves": 0, "mesh": 0, "graph": 0}


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_21_what_tensorflow_1_summaries_hold(tmp_path, start_tensorboard, loader):
    """Legacy values: several in one event, metadata only on the first, graph and run metadata."""
    data = version()
    graph = event_pb2.Event(wall_time=99)
    graph.graph_def = graph_pb2.GraphDef(node=[{"name": "a", "op": "Const"}, {"name": "s/b", "op": "Relu", "input": ["a"]}]).SerializeToString()
    data += record(graph.SerializeToString())
    for step in range(300):
        event = event_pb2.Event(wall_time=100 + step, step=step)
        event.summary.value.add(tag="accuracy_1", simple_value=step / 7)
        event.summary.value.add(tag="cross_entropy", simple_value=-step)
        histogram = event.summary.value.add(tag="layer/weights").histo
        histogram.min, histogram.max, histogram.num, histogram.sum, histogram.sum_squares = -1.5, 2.5, 6, 3, 9
        histogram.bucket_limit.extend([-1.0, 0.0, 1.0, 1.7976931348623157e308])
        histogram.bucket.extend([1, 2, 0, 3])
        data += record(event.SerializeToString())
    save(tmp_path / "run", data)
    board = start_tensorboard(tmp_path, loader)
    board.wait_for_runs({"run"})
    compared = compare_run(board, dump(tmp_path), "run", without=("embeddings",))
    assert (compared["scalars"], compared["histograms"], compared["graph"]) == (2, 1, 1)


def test_21_what_small_cpp_writers_write(tmp_path, start_tensorboard):
    """No version event, whole seconds, hparams at time 0, pictures without a shape, falling minimum: all readable."""
    data = b""
    for step in range(10):
        data += scalar(step, step / 2, "loss", wall_time=1000 + step // 5)
    event = event_pb2.Event(wall_time=0, step=0)
    value = event.summary.value.add(tag="_hparams_/session_start_info")
    value.metadata.plugin_data.plugin_name = "hparams"
    content = plugin_data_pb2.HParamsPluginData()
    content.session_start_info.hparams["lr"].number_value = 0.25
    value.metadata.plugin_data.content = content.SerializeToString()
    data += record(event.SerializeToString())
    event = event_pb2.Event(wall_time=1010, step=1)
    picture = tensor_pb2.TensorProto(dtype=types_pb2.DT_STRING, string_val=[b"2", b"1", b"\x89PNG\r\n\x1a\n not whole"])
    value = event.summary.value.add(tag="pictures", tensor=picture)
    value.metadata.plugin_data.plugin_name = "images"
    data += record(event.SerializeToString())
    save(tmp_path / "run", data)
    board = start_tensorboard(tmp_path, "python")
    board.wait_for_runs({"run"})
    ours = dump(tmp_path)
    theirs = board.get("plugin/scalars/scalars", run="run", tag="loss")
    assert [[step, value] for _, step, value in theirs] == [point[:2] for point in ours["run"]["keys"]["loss scalar"]]
    assert ours["run"]["config"] == {"lr": 0.25}
    # TensorBoard lists this tag with -1 samples and shows nothing.
    assert len(ours["run"]["keys"]["pictures image"][0]["sha256"]) == 1


def test_21_export_reads_back_in_tensorboard(tmp_path, logdir, start_tensorboard):
    for run in ("media", "scalars/1"):
        subprocess.run([program("tensorboard_dump"), "--export", str(logdir), run, str(tmp_path / run)], check=True, timeout=60)
    before, after = dump(logdir), dump(tmp_path)
    del before["media"]["keys"]["custom_scalars__config__ text"]
    assert after["media"]["keys"] == before["media"]["keys"]
    assert after["scalars/1"]["keys"] == before["scalars/1"]["keys"]
    board = start_tensorboard(tmp_path, "rust")
    board.wait_for_runs({"media", "scalars/1"})
    compared = compare_run(board, after, "media")
    assert all(count > 0 for count in compared.values()), compared
    assert len(board.get("plugin/scalars/scalars", run="scalars/1", tag="group/tag_3")) == 667


@pytest.mark.parametrize("run", ["media", "special", "hparams/a", "names/with space", "golden"])
def test_21_our_reader_answers_as_tensorboard_does(boards, logdir, run):
    compared = compare_run(boards["rust"], dump(logdir), run, without=("scalars",) if run == "special" else ())
    assert sum(compared.values()) > 0
