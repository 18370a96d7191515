"""Media files against programs nobody here wrote: Pillow, soundfile, trimesh, imageio, PyAV, NumPy, ml_dtypes.

TAFFRAIL_MEDIA_TOOL names the program with our encoders and decoders (default: that of build/ci).
"""

import os
import subprocess
from pathlib import Path

import av
import imageio.v3 as imageio
import ml_dtypes
import numpy as np
import pytest
import soundfile
import trimesh
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
TOOL = os.environ.get("TAFFRAIL_MEDIA_TOOL", str(ROOT / "build/ci/tests/interop/media/media_tool"))


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    subprocess.run([TOOL, "write", folder], check=True, timeout=120)
    return folder


def read(path):
    return subprocess.run([TOOL, "read", path], check=True, timeout=60, stdout=subprocess.PIPE).stdout


@pytest.mark.parametrize("level", ["fast", "small"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_pillow_reads_our_8_bit_png(written, channels, level):
    picture = Image.open(written / f"png-8-{channels}-{level}.png")
    picture.verify()
    picture = Image.open(written / f"png-8-{channels}-{level}.png")
    assert picture.size == (37, 23)
    assert picture.tobytes() == (written / f"png-8-{channels}-{level}.raw").read_bytes()


@pytest.mark.parametrize("level", ["fast", "small"])
def test_pillow_reads_our_16_bit_grey_png(written, level):
    picture = np.asarray(Image.open(written / f"png-16-1-{level}.png")).astype("<u2")
    assert picture.tobytes() == (written / f"png-16-1-{level}.raw").read_bytes()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_we_read_pillows_png(tmp_path, mode):
    generator = np.random.default_rng(1)
    if mode == "I;16":
        pixels = generator.integers(0, 65536, (9, 7), dtype=np.uint16)
        picture, expected = Image.fromarray(pixels), pixels.astype("<u2").tobytes()
    else:
        rgba = Image.fromarray(generator.integers(0, 256, (9, 7, 4), dtype=np.uint8), "RGBA")
        picture = rgba.convert("RGB").convert(mode) if mode in ("1", "P") else rgba.convert(mode)
        expected = {"1": "L", "P": "RGB"}.get(mode, mode)
        expected = picture.convert(expected).tobytes()
    picture.save(tmp_path / "x.png")
    assert read(tmp_path / "x.png") == expected


@pytest.mark.parametrize("mode", ["L", "RGB"])
@pytest.mark.parametrize("progressive", [False, True])
def test_we_read_pillows_jpeg(tmp_path, mode, progressive):
    ramp = np.linspace(0, 255, 64 * 48 * 3).reshape(48, 64, 3).astype(np.uint8)
    picture = Image.fromarray(ramp).convert(mode)
    picture.save(tmp_path / "x.jpg", quality=92, progressive=progressive)
    ours = np.frombuffer(read(tmp_path / "x.jpg"), np.uint8).astype(int)
    theirs = np.asarray(Image.open(tmp_path / "x.jpg")).reshape(-1).astype(int)
    assert np.abs(ours - theirs).max() <= 2


def test_pillow_and_imageio_read_our_gif(written):
    expected = np.frombuffer((written / "gif.raw").read_bytes(), np.uint8).reshape(4, 20, 30, 3)
    picture = Image.open(written / "gif.gif")
    assert picture.n_frames == 4 and picture.info["loop"] == 0 and picture.info["duration"] == 50
    for i in range(4):
        picture.seek(i)
        assert np.array_equal(np.asarray(picture.convert("RGB")), expected[i])
    assert np.array_equal(imageio.imread(written / "gif.gif", plugin="pillow", mode="RGB"), expected)


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("dtype,subtype,numpy_type", [("i16", "PCM_16", "int16"), ("i32", "PCM_32", "int32"), ("f32", "FLOAT", "float32")])
def test_soundfile_reads_our_wav(written, dtype, subtype, numpy_type, channels):
    name = f"wav-{dtype}-{channels}"
    samples, rate = soundfile.read(written / f"{name}.wav", dtype=numpy_type, always_2d=True)
    assert rate == 16000 and samples.shape[1] == channels
    assert soundfile.info(str(written / f"{name}.wav")).subtype == subtype
    assert samples.tobytes() == (written / f"{name}.raw").read_bytes()


def test_soundfile_reads_our_8_bit_wav(written):
    samples, _ = soundfile.read(written / "wav-u8-1.wav", dtype="int16")
    expected = np.frombuffer((written / "wav-u8-1.raw").read_bytes(), np.uint8)
    assert np.array_equal((samples >> 8) + 128, expected)


@pytest.mark.parametrize("subtype,numpy_type", [("PCM_16", "int16"), ("PCM_24", "int32"), ("PCM_32", "int32"), ("FLOAT", "float32")])
def test_we_read_soundfiles_wav(tmp_path, subtype, numpy_type):
    samples = (np.random.default_rng(2).uniform(-0.9, 0.9, (50, 2))).astype(np.float32)
    soundfile.write(tmp_path / "x.wav", samples, 22050, subtype=subtype)
    expected, _ = soundfile.read(tmp_path / "x.wav", dtype=numpy_type)
    assert read(tmp_path / "x.wav") == expected.tobytes()


@pytest.mark.parametrize("kind", ["obj", "ply", "glb"])
def test_trimesh_reads_our_meshes(written, kind):
    mesh = trimesh.load(written / f"mesh.{kind}", force="mesh", process=False)
    assert np.allclose(mesh.vertices, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.5]])
    assert mesh.faces.tolist() == [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    assert mesh.visual.vertex_colors[:, :3].tolist() == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 8, 7]]


@pytest.mark.parametrize("kind", ["ply", "glb"])
def test_trimesh_reads_our_point_clouds(written, kind):
    loaded = trimesh.load(written / f"cloud.{kind}")
    cloud = loaded if hasattr(loaded, "vertices") else next(iter(loaded.geometry.values()))
    assert np.allclose(cloud.vertices, [[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("kind", ["obj", "ply", "stl", "glb"])
def test_we_read_trimeshs_meshes(tmp_path, kind):
    box = trimesh.creation.box(extents=(1, 2, 3))
    box.apply_translation((5, 0, 0))
    box.export(tmp_path / f"x.{kind}")
    data = read(tmp_path / f"x.{kind}")
    vertex_numbers, face_numbers = np.frombuffer(data[:8], "<u4")
    vertices = np.frombuffer(data[8 : 8 + vertex_numbers * 4], "<f4").reshape(-1, 3)
    faces = np.frombuffer(data[8 + vertex_numbers * 4 :], "<u4").reshape(-1, 3)
    assert faces.size == face_numbers
    ours = trimesh.Trimesh(vertices, faces)
    assert np.isclose(ours.volume, 6) and np.allclose(ours.bounds, box.bounds)


def test_we_read_trimeshs_text_ply(tmp_path):
    box = trimesh.creation.box()
    (tmp_path / "x.ply").write_bytes(trimesh.exchange.ply.export_ply(box, encoding="ascii"))
    assert np.frombuffer(read(tmp_path / "x.ply")[:8], "<u4").tolist() == [24, 36]


def test_we_apply_the_transforms_of_a_scene(tmp_path):
    scene = trimesh.Scene()
    transform = trimesh.transformations.rotation_matrix(0.5, (0, 0, 1)) @ trimesh.transformations.translation_matrix((3, 0, 0))
    scene.add_geometry(trimesh.creation.box(), transform=transform)
    scene.export(tmp_path / "x.glb")
    data = read(tmp_path / "x.glb")
    count = np.frombuffer(data[:4], "<u4")[0]
    vertices = np.frombuffer(data[8 : 8 + count * 4], "<f4").reshape(-1, 3)
    assert np.allclose([vertices.min(0), vertices.max(0)], scene.bounds, atol=1e-5)


def test_our_videos_have_the_size_and_rate_asked_for(written):
    assert read(written / "video.mp4").decode().split() == ["mp4", "32", "16", "10", "12.5"]
    assert read(written / "video.webm").decode().split()[0] == "webm"


@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_another_program_decodes_every_frame_of_our_videos(written, kind):
    """PyAV brings decoders of its own: size, rate, and each picture as it was handed in, within what the encoder loses."""
    wanted = np.frombuffer((written / "video.raw").read_bytes(), np.uint8).reshape(10, 16, 32, 3).astype(float)
    with av.open(str(written / f"video.{kind}")) as file:
        rate = float(file.streams.video[0].average_rate)
        frames = np.stack([frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]).astype(float)
    assert frames.shape == wanted.shape and abs(rate - 12.5) < 0.1
    assert np.abs(frames - wanted).mean() < 12
    # The bright square is where it was in each frame, and not where it was in another.
    for number, frame in enumerate(frames):
        distances = [np.abs(frame - other).mean() for other in wanted]
        assert int(np.argmin(distances)) == number, distances


NUMPY_NAMES = dict(zip("bool u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64".split(), "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64".split()))


@pytest.mark.parametrize("dtype", NUMPY_NAMES)
def test_numpy_reads_our_arrays(written, dtype):
    array = np.load(written / f"npy-{dtype}.npy")
    assert array.shape == (2, 3, 4) and array.dtype.name == NUMPY_NAMES[dtype]
    assert array.tobytes() == (written / f"npy-{dtype}.raw").read_bytes()


@pytest.mark.parametrize("name,dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f8e4m3", ml_dtypes.float8_e4m3fn), ("f8e5m2", ml_dtypes.float8_e5m2)])
def test_small_floats_equal_ml_dtypes(name, dtype):
    ours = np.frombuffer(subprocess.run([TOOL, "floats", name], check=True, stdout=subprocess.PIPE, timeout=60).stdout, "<f4")
    patterns = np.arange(len(ours), dtype=np.uint8 if len(ours) == 256 else np.uint16)
    theirs = patterns.view(dtype).astype(np.float32)
    same = (ours == theirs) & (np.signbit(ours) == np.signbit(theirs))
    assert np.all(same | (np.isnan(ours) & np.isnan(theirs)))
