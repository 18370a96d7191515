"""Pictures, films, sound and text our writer writes, seen through both of TensorBoard's loaders."""

import io
import os
import subprocess

import numpy
import pytest
from conftest import build_folder
from PIL import Image


def pixels(board, tag: str, sample: int = 0):
    entry = board.get("plugin/images/images", run="media", tag=tag, sample=sample)[0]
    data, headers = board.fetch("plugin/images/individualImage?" + entry["query"])
    return Image.open(io.BytesIO(data)), headers["Content-Type"]


def ramp(count: int):
    return (numpy.arange(count) * 7 % 256).astype(numpy.uint8)


def test_05_images_keep_their_pixels(board):
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


def test_05_boxes_are_drawn_with_their_labels(board):
    picture, _ = pixels(board, "boxes")
    assert tuple(numpy.asarray(picture)[1, 3]) == (230, 25, 75)
    labelled = numpy.asarray(pixels(board, "labels")[0])
    assert labelled.shape == (120, 160, 3)
    red, green = numpy.array([230, 25, 75]), numpy.array([60, 180, 75])
    # Above the first box a field of its colour with white letters; the second has no room above and holds it inside.
    field = labelled[21:30, 20:20 + 8 * 6 + 1]
    ink = (field == 255).all(axis=2)
    assert ((field == red).all(axis=2) | ink).all() and 60 < ink.sum() < 200
    assert (labelled[3, 100] == green).all() and (labelled[0, 120] == 90).all()


def test_05_video_is_an_animated_gif(board):
    picture, kind = pixels(board, "video")
    assert kind == "image/gif" and picture.n_frames == 4 and picture.info["duration"] == 250
    assert (numpy.asarray(picture.convert("RGB")).reshape(-1) == ramp(144)).all()


def test_05_batch_of_videos_stands_side_by_side(board):
    film, kind = pixels(board, "videos")
    assert kind == "image/gif" and film.n_frames == 2 and film.size == (8, 8)
    videos = ramp(3 * 2 * 48).reshape(3, 2, 4, 4, 3)
    for frame in range(2):
        film.seek(frame)
        shown = numpy.asarray(film.convert("RGB"))
        assert (shown[:4, :4] == videos[0, frame]).all() and (shown[:4, 4:] == videos[1, frame]).all()
        assert (shown[4:, :4] == videos[2, frame]).all() and not shown[4:, 4:].any()


@pytest.mark.parametrize("tag, channels", [("mono", 1), ("stereo", 2)])
def test_06_audio_is_served_as_written(board, tag, channels):
    import wave

    entry = board.get("plugin/audio/audio", run="media", tag=tag, sample=0)[0]
    data, headers = board.fetch("plugin/audio/individualAudio?" + entry["query"])
    assert headers["Content-Type"] == "audio/wav"
    with wave.open(io.BytesIO(data)) as sound:
        assert (sound.getnchannels(), sound.getframerate()) == (channels, 8000)
        assert (numpy.frombuffer(sound.readframes(800), numpy.int16) == (numpy.arange(800) * 40).astype(numpy.int16)).all()


def text(board, tag: str) -> str:
    return board.get("plugin/text/text", run="media", tag=f"{tag}/text_summary")[0]["text"]


def test_06_text_shows_and_stays_harmless(board):
    assert "<h1>Title</h1>" in text(board, "markdown") and "<table>" in text(board, "markdown")
    assert "\U0001F680" in text(board, "emoji")
    assert "<script>" not in text(board, "script")
    assert "bad \ufffd\ufffd bytes" in text(board, "broken")
    assert len(text(board, "large")) >= 5 << 20


def test_06_lists_and_tables_are_text_of_rank_one_and_two(board):
    cells = lambda shown: [cell.split("</td>")[0].replace("<p>", "").replace("</p>", "").strip() for cell in shown.split("<td>")[1:]]
    listed = text(board, "list")
    assert listed.count("<tr>") == 3 and cells(listed) == ["one", "two", "three"]
    table = text(board, "table")
    assert table.count("<tr>") == 3
    assert cells(table) == ["<strong>name</strong>", "<strong>score</strong>", "a", "1", "b", "2.5"]


def test_05_film_that_the_store_keeps_as_mp4_is_shown_as_gif(tmp_path, start_tensorboard):
    """A run of the example through the sink: its film is encoded for the store first."""
    program = build_folder() / "examples/vae_digits/vae_digits"
    subprocess.run([program, "trainer.fast_dev_run=2", "trainer.enable_progress_bar=false", f"output_dir={tmp_path}", "logger=tensorboard",
                    f"+logger.tensorboard.config.log_dir={tmp_path}/logs/run"], check=True, timeout=120, capture_output=True,
                   env={**os.environ, "TAFFRAIL_DIR": str(tmp_path / "native")})
    board = start_tensorboard(tmp_path / "logs", "rust")
    board.wait_for_runs({"run"})
    entry = board.get("plugin/images/images", run="run", tag="generated/walk", sample=0)[0]
    data, headers = board.fetch("plugin/images/individualImage?" + entry["query"])
    film = Image.open(io.BytesIO(data))
    assert headers["Content-Type"] == "image/gif" and film.n_frames == 80
    assert len(film.convert("L").getcolors()) > 5, "a picture, not one colour"
    experiment = board.post_json("plugin/hparams/experiment", {"includeMetrics": True})
    assert "trainer/learning_rate" in {info["name"] for info in experiment["hparamInfos"]}
