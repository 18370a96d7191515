"""Scalars, names and sessions our writer writes, seen through both of TensorBoard's loaders.

Tests of this folder carry the number of the behaviour they check; docs/formats/tensorboard.md lists them.
"""

import math
import struct
import subprocess
import sys

from conftest import dump
from wire import record, records

GOLDEN_VERSION = bytes.fromhex("1800000000000000a37f4b220900000040fc54d9411a0d627261696e2e4576656e743a32eced8f9d")
GOLDEN_SCALAR = bytes.fromhex("1a00000000000000129bd82d0900002040fc54d94110012a0d0a0b0a046c6f7373150000003f34c2793e")


def float32(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def test_01_every_file_is_framed_strictly(logdir):
    done = subprocess.run([sys.executable, "-m", "tensorboard.main", "--inspect", "--logdir", str(logdir)],
                          capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    folders = {path.parent for path in logdir.rglob("*tfevents*")}
    assert len(folders) > 15 and done.stdout.count("Event statistics for") == len(folders)
    assert done.stdout.count("group/tag_49\n") == 3
    assert not any(run["damage"] for run in dump(logdir).values())


def test_01_golden_records_byte_for_byte(logdir):
    data = next((logdir / "golden").glob("*tfevents*")).read_bytes()
    assert data.endswith(GOLDEN_SCALAR)
    first = records(data)[0]
    # The file was made now; with the golden time in place of its own it is the golden record.
    assert record(first[:1] + struct.pack("<d", 1700000000.0) + first[9:]) == GOLDEN_VERSION


def test_02_hundred_thousand_scalars(board):
    tags = board.get("plugin/scalars/tags")
    seen = 0
    for run in range(3):
        assert len(tags[f"scalars/{run}"]) == 50
        for tag in range(50):
            points = board.get("plugin/scalars/scalars", run=f"scalars/{run}", tag=f"group/tag_{tag}")
            assert points == [[1.7e9 + run * 1000 + step + tag * 0.001953125, step, float32(run * 1e6 + step * 50 + tag + 0.1)]
                              for step in range(667)]
            seen += len(points)
    assert seen > 100_000


def test_03_special_values_and_steps(board):
    points = board.get("plugin/scalars/scalars", run="special", tag="values")
    values = [point[2] for point in points]
    assert values[:3] == ["NaN", "Infinity", "-Infinity"]
    assert values[3] == float32(1e-45) and values[5] == float32(3.4028235e38) and values[6] == "Infinity"
    assert values[4] == 0 and math.copysign(1, values[4]) == -1
    assert all(point[0] == 1700000000.123456 for point in points)
    assert [point[1] for point in board.get("plugin/scalars/scalars", run="special", tag="steps")] == [-5, 0, 2**53 + 1]


def test_04_names_and_descriptions_survive(board):
    tags = board.get("plugin/scalars/tags")["special"]
    assert tags["described"]["displayName"] == "Described"
    assert "how <em>good</em>" in tags["described"]["description"]


def test_14_run_names(board):
    assert {".", "names/nested/deeper", "names/with space", "names/ünïcode ✓", "names/#&?%"} <= set(board.get("runs"))
    assert len(board.get("plugin/scalars/scalars", run="names/#&?%", tag="named")) == 1


def test_16_resumed_run_shows_rising_steps(board):
    points = board.get("plugin/scalars/scalars", run="resume", tag="loss")
    assert [point[1] for point in points] == list(range(151))
    assert [point[2] for point in points] == [1] * 50 + [2] * 101


def test_17_tag_reused_for_another_kind_is_renamed(board):
    assert [point[2] for point in board.get("plugin/scalars/scalars", run="special", tag="reused")] == [1, 2]
    bins = board.time_series("histograms", "reused_histogram", run="special")["special"][0]["bins"]
    assert sum(one["count"] for one in bins) == 3
    text = board.get("plugin/text/text", run="special", tag="reused_too/text_summary")
    assert "words" in text[0]["text"]
    assert [point[2] for point in board.get("plugin/scalars/scalars", run="special", tag="reused_too/text_summary_scalar")] == [3]


def test_21_our_reader_sees_the_same_scalars(board, logdir):
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
