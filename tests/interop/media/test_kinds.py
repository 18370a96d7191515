"""Each kind and element type: logged, sealed, its logs dropped, exported by the command, decoded by somebody else's program, equal.

TAFFRAIL_BUILD names the build folder (default: the release build's).
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import imageio.v3 as imageio
import ml_dtypes
import numpy as np
import pytest
import soundfile
import trimesh
from PIL import Image

BUILD = Path(os.environ.get("TAFFRAIL_BUILD", Path(__file__).resolve().parents[3] / "build/ci"))
TYPES = {"bool": np.bool_, "u8": np.uint8, "i8": np.int8, "u16": np.uint16, "i16": np.int16, "u32": np.uint32, "i32": np.int32, "u64": np.uint64, "i64": np.int64,
         "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}


class Exported:
    def __init__(self, folder: Path):
        self.raw, self.media = folder / "raw", folder / "media"
        root = folder / "store"
        taffrail = BUILD / "bin/taffrail"
        subprocess.run([BUILD / "tests/interop/media/kinds_tool", root, self.raw], check=True, timeout=120)
        run = next((root / "runs").iterdir())
        assert any((run / "data").glob("*.parquet")), "sealed when it finished"
        # What strangers read must not come from the log: without it only the sealed files are left.
        for log in (run / "live").iterdir():
            log.unlink()
        text = subprocess.run([taffrail, "export", run, "--format", "jsonl", "--media", self.media], check=True, timeout=120, stdout=subprocess.PIPE).stdout.decode()
        self.records = {}
        for line in text.splitlines():
            record = json.loads(line)
            self.records[record["key"]] = record

    def value(self, key):
        return self.records[key]["value"]

    def file(self, key):
        return self.media / self.value(key)["file"]

    def logged(self, key, dtype, shape):
        return np.frombuffer((self.raw / f"{key}.raw").read_bytes(), TYPES[dtype]).reshape(shape)


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    return Exported(tmp_path_factory.mktemp("kinds"))


@pytest.mark.parametrize("layout", ["", "-chw"])
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["u8", "u16", "f16", "bf16", "f32"])
def test_images_of_every_type_come_back(exported, dtype, channels, layout):
    key = f"image-{dtype}-{channels}{layout}"
    expected = exported.logged(key, dtype, (channels, 11, 13) if layout else (11, 13, channels))
    expected = np.moveaxis(expected, 0, 2) if layout else expected
    assert exported.value(key)["shape"] == [11, 13, channels]
    path = exported.file(key)
    if dtype == "u8":
        picture = np.asarray(Image.open(path)).reshape(11, 13, channels)
    elif dtype == "u16":
        if channels > 1:
            picture = decode_png16(path)
        else:
            picture = np.asarray(Image.open(path)).astype(np.uint16).reshape(11, 13, 1)
    else:
        picture = np.load(path)
        expected = expected.astype(np.float32) if dtype == "bf16" else expected
        preview = np.asarray(Image.open(exported.media / exported.value(key)["preview"]))
        assert preview.shape[:2] == (11, 13)
    assert picture.dtype == expected.dtype and np.array_equal(picture.reshape(expected.shape), expected)


def decode_png16(path):
    """Colour with 16 bits: Pillow reduces it to 8, so the chunks are read by hand and inflated by zlib."""
    import struct
    import zlib
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if name == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        packed += body if name == b"IDAT" else b""
        at += 12 + length
    channels = {2: 3, 6: 4}[colour]
    assert depth == 16
    step, rows, before = 2 * channels, [], np.zeros(2 * channels * width, np.uint8)
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    for line in lines:
        kind, row = line[0], line[1:].astype(int)
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            up, corner = int(before[i]), int(before[i - step]) if i >= step else 0
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = (row[i] + [0, left, up, (left + up) // 2, nearest][kind]) & 255
        before = row.astype(np.uint8)
        rows.append(before)
    return np.stack(rows).reshape(height, width, channels, 2).view(">u2").reshape(height, width, channels).astype(np.uint16)


def test_batches_come_back_picture_by_picture(exported):
    expected = exported.logged("image-batch", "u8", (5, 8, 9, 3))
    files = exported.value("image-batch")["images"]
    assert len(files) == 5
    for item, pixels in zip(files, expected):
        assert np.array_equal(np.asarray(Image.open(exported.media / item["file"])), pixels)


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("dtype", ["u8", "i16", "i32", "f32"])
def test_sound_of_every_type_comes_back(exported, dtype, channels):
    key = f"audio-{dtype}-{channels}"
    expected = exported.logged(key, dtype, (400, channels))
    as_type = {"u8": "int16", "i16": "int16", "i32": "int32", "f32": "float32"}[dtype]
    samples, rate = soundfile.read(exported.file(key), dtype=as_type, always_2d=True)
    samples = ((samples >> 8) + 128).astype(np.uint8) if dtype == "u8" else samples
    assert rate == 16000 and np.array_equal(samples, expected)


@pytest.mark.parametrize("dtype", list(TYPES))
def test_tensors_of_every_type_come_back(exported, dtype):
    expected = exported.logged(f"tensor-{dtype}", dtype, (3, 4, 5))
    loaded = np.load(exported.file(f"tensor-{dtype}"))
    widened = dtype in ("bf16", "f8e4m3", "f8e5m2")
    assert exported.value(f"tensor-{dtype}")["dtype"] == dtype
    assert loaded.dtype == (np.float32 if widened else TYPES[dtype])
    assert np.array_equal(loaded, expected.astype(np.float32) if widened else expected)


@pytest.mark.parametrize("dtype", list(TYPES))
def test_histograms_of_every_type_count_as_numpy_does(exported, dtype):
    numbers = exported.logged(f"histogram-{dtype}", dtype, (200,)).astype(np.float64)
    value = exported.value(f"histogram-{dtype}")
    counts, _ = np.histogram(numbers, bins=np.asarray(value["edges"], dtype=np.float64))
    assert sum(value["counts"]) == 200
    assert np.array_equal(counts, value["counts"])
    assert value["min"] == numbers.min() and value["max"] == numbers.max()


def test_meshes_and_clouds_come_back(exported):
    vertices = exported.logged("mesh-vertices", "f32", (5, 3))
    colors = exported.logged("mesh-colors", "u8", (5, 3))
    mesh = trimesh.load(exported.file("mesh"), process=False)
    assert np.array_equal(mesh.vertices.astype(np.float32), vertices)
    assert mesh.faces.tolist() == [[0, 1, 2], [2, 3, 4], [0, 2, 4]]
    assert np.array_equal(mesh.visual.vertex_colors[:, :3], colors)
    cloud = trimesh.load(exported.file("cloud"), process=False)
    assert np.array_equal(np.asarray(cloud.vertices, np.float32), vertices)


def test_films_come_back(exported):
    expected = exported.logged("video", "u8", (4, 16, 16, 3))
    value = exported.value("video")
    assert value["shape"] == [4, 16, 16, 3] and value["frames_per_second"] == 5
    if value["format"] == "frames":
        assert np.array_equal(np.load(exported.file("video")), expected)
        assert imageio.imread(exported.media / value["preview"], plugin="pillow", index=None).shape[:3] == (4, 16, 16)
    else:  # noise does not survive a film codec; its container does
        data = exported.file("video").read_bytes()
        assert data[4:8] == b"ftyp" or data[:4] == b"\x1aE\xdf\xa3"


def test_tables_texts_and_files_come_back(exported):
    assert exported.value("table") == {"columns": ["a", "b", "c"], "rows": [[1, 0.5, 'x,"y"\n'], [None, True, "ü"]]}
    assert exported.value("text") == "# Überschrift\n"
    assert json.loads(exported.value("figure")["plotly"]) == {"data": [{"y": [1, 2]}]}
    entry = exported.value("files")["files"][0]
    data = (exported.media / entry["file"]).read_bytes()
    assert data == (exported.raw / "tensor-u8.raw").read_bytes()
    assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    embedding = np.load(exported.file("embedding"))
    assert np.array_equal(embedding, exported.logged("embedding", "f32", (6, 4)))
