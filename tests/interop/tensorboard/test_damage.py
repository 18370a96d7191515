"""Damaged and odd event files: all that TensorBoard shows, what lies behind the damage, and the gap stated."""

import os
import struct
import subprocess

import numpy
import pytest
from conftest import dump, program
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.util import tensor_util
from wire import masked, record, save, scalar, start, version


def points_of(logdir, run: str = "run", key: str = "loss scalar"):
    return dump(logdir)[run]["keys"][key]


def steps(logdir, run: str = "run", key: str = "loss scalar"):
    return [point[0] for point in points_of(logdir, run, key)]


def header(length: int) -> bytes:
    return struct.pack("<Q", length) + masked(struct.pack("<Q", length))


GOOD = scalar(1)
DAMAGE = {
    "bad payload checksum": GOOD[:20] + bytes([GOOD[20] ^ 1]) + GOOD[21:],
    "bad length checksum": GOOD[:8] + bytes([GOOD[8] ^ 1]) + GOOD[9:],
    "junk": b"junk between records",
    "missing byte": GOOD[:15] + GOOD[16:],
    "zero block": bytes(512),
    "not an event": record(b"\x0f\xff\xff\xff"),
    "length a little beyond the file": header(5000),
    "length 2^40": header(2**40),
    "length 2^62": header(2**62),
    "length 2^63 - 1": header(2**63 - 1),
    "length 2^64 - 8": header(2**64 - 8),
    "length 2^64 - 1": header(2**64 - 1),
}
# The payload has a checksum of its own: a record whose length alone fails is kept, and named.
PROVEN = {"bad length checksum": [1]}
# What ends TensorBoard itself, by loader: there is nothing to compare with.
FATAL = {"rust": ("length 2^40", "length 2^62", "length 2^63 - 1", "length 2^64 - 8", "length 2^64 - 1"),
         "python": ("not an event", "length 2^40", "length 2^62", "length 2^63 - 1", "length 2^64 - 8", "length 2^64 - 1")}


@pytest.mark.parametrize("name", DAMAGE)
def test_22_damage_hides_nothing_behind_it(tmp_path, name):
    before, after = version() + scalar(0), scalar(2) + scalar(3)
    save(tmp_path / "run", before + DAMAGE[name] + after)
    save(tmp_path / "run", version() + scalar(9, tag="later"), "events.out.tfevents.2.host")
    save(tmp_path / "other", version() + scalar(7))
    seen = dump(tmp_path)
    assert steps(tmp_path) == [0, *PROVEN.get(name, []), 2, 3]
    assert steps(tmp_path, key="later scalar") == [9], "a later file of the run is read too"
    assert [(gap["offset"], gap["length"]) for gap in seen["run"]["damage"]] == [(len(before), len(DAMAGE[name]))]
    assert all(gap["reason"] for gap in seen["run"]["damage"]) and seen["run"]["message"]
    assert steps(tmp_path, "other") == [7], "one bad file never hides another run"


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_22_all_that_tensorboard_shows_of_damaged_files_and_more(tmp_path, start_tensorboard, loader):
    names = [name for name in DAMAGE if name not in FATAL[loader]]
    for name in names:
        save(tmp_path / name, version() + scalar(0) + DAMAGE[name] + scalar(2))
    board = start_tensorboard(tmp_path, loader)
    board.wait_for_runs(set(names))
    ours = dump(tmp_path)
    lost = 0
    for name in names:
        theirs = {(step, value) for _, step, value in board.get("plugin/scalars/scalars", run=name, tag="loss")}
        mine = {(point[0], point[1]) for point in ours[name]["keys"]["loss scalar"]}
        # The value of a record whose checksum is wrong is no value; the gap says so.
        theirs -= {(1, 1.0)} if name == "bad payload checksum" else set()
        assert theirs <= mine == {(step, 1.0) for step in [0, *PROVEN.get(name, []), 2]}, name
        lost += len(mine - theirs)
    assert lost >= 5, "TensorBoard lost what lies behind most of them"


def test_22_a_record_cut_anywhere_is_pending(tmp_path):
    for cut in range(1, len(GOOD)):
        save(tmp_path / f"cut{cut}", version() + scalar(0) + GOOD[:cut])
    for cut, run in dump(tmp_path).items():
        assert [point[0] for point in run["keys"]["loss scalar"]] == [0] and not run["damage"], cut
    for cut in range(1, len(GOOD)):
        save(tmp_path / f"cut{cut}", version() + scalar(0) + GOOD + scalar(2))
    assert all(len(run["keys"]["loss scalar"]) == 3 for run in dump(tmp_path).values())


def test_22_zero_tails_are_pending(tmp_path):
    for size in (1, 11, 12, 13, 4096, 1 << 20):
        save(tmp_path / f"zeros{size}", version() + scalar(0) + bytes(size))
    for name, run in dump(tmp_path).items():
        assert [point[0] for point in run["keys"]["loss scalar"]] == [0] and not run["damage"], name


def test_22_empty_records_are_skipped(tmp_path, start_tensorboard):
    save(tmp_path / "run", version() + record(b"") + scalar(0) + record(b"") + scalar(1))
    assert steps(tmp_path) == [0, 1] and not dump(tmp_path)["run"]["damage"]
    board = start_tensorboard(tmp_path, "rust")
    board.wait_for_runs({"run"})
    assert [point[1] for point in board.get("plugin/scalars/scalars", run="run", tag="loss")] == [0, 1]


def test_22_repeated_and_falling_steps_are_all_kept(tmp_path):
    for number in (1, 2):
        save(tmp_path / f"v{number}", version(number) + b"".join(scalar(step) for step in (5, 5, 4, 3, 6)))
    save(tmp_path / "v0", b"".join(scalar(step) for step in (5, 5, 4, 3, 6)))
    for run in ("v0", "v1", "v2"):
        assert sorted(steps(tmp_path, run)) == [3, 4, 5, 5, 6], run


@pytest.mark.parametrize("first_mark", [True, False], ids=["marked", "as torch marks it"])
def test_22_a_session_start_begins_an_attempt_and_drops_nothing(tmp_path, first_mark):
    old = version() + (start(0) if first_mark else b"") + b"".join(scalar(step, 1, tag) for step in range(10) for tag in ("loss", "left"))
    save(tmp_path / "run", old)
    save(tmp_path / "run", version() + start(5) + b"".join(scalar(step, 2) for step in range(5, 12)), "events.out.tfevents.2.host")
    points = points_of(tmp_path)
    assert [point[0] for point in points if point[3] == 0] == list(range(10))
    assert [point[0] for point in points if point[3] == 1] == list(range(5, 12))
    assert len(points_of(tmp_path, key="left scalar")) == 10


def test_22_wall_times_that_are_no_times_keep_their_points(tmp_path):
    save(tmp_path / "run", version() + scalar(0, wall_time=float("nan")) + scalar(1, wall_time=float("inf")) + scalar(2, wall_time=-1e300)
         + scalar(3))
    assert steps(tmp_path) == [0, 1, 2, 3]


def test_22_text_with_broken_letters_is_repaired(tmp_path):
    event = event_pb2.Event(wall_time=1, step=1)
    value = event.summary.value.add(tag="words", tensor=tensor_util.make_tensor_proto(numpy.array([b"bad \xff end"], object)))
    value.metadata.plugin_data.plugin_name = "text"
    save(tmp_path / "run", version() + record(event.SerializeToString()))
    assert dump(tmp_path)["run"]["keys"]["words text"][0]["text"] == "bad \ufffd end"


def test_22_audio_with_labels_is_one_clip_and_its_label(tmp_path):
    sound = b"RIFF" + struct.pack("<I", 40) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) + b"data" + struct.pack("<I", 4) + bytes(4)
    event = event_pb2.Event(wall_time=1, step=1)
    value = event.summary.value.add(tag="sound", tensor=tensor_util.make_tensor_proto(numpy.array([[sound, b"label"]], object)))
    value.metadata.plugin_data.plugin_name = "audio"
    value.metadata.data_class = summary_pb2.DATA_CLASS_BLOB_SEQUENCE
    save(tmp_path / "run", version() + record(event.SerializeToString()))
    entry = dump(tmp_path)["run"]["keys"]["sound audio"]
    assert len(entry) == 1 and entry[0]["rate"] == 8000 and entry[0]["frames"] == 2


def test_22_files_without_a_readable_event_do_not_disturb(tmp_path):
    save(tmp_path / "empty", b"")
    save(tmp_path / "zeros", bytes(4096))
    save(tmp_path / "gzip", b"\x1f\x8b\x08\x00" + os.urandom(3000))
    save(tmp_path / "good", version() + scalar(1))
    seen = dump(tmp_path)
    assert [point[0] for point in seen["good"]["keys"]["loss scalar"]] == [1]
    assert all(not seen[name]["keys"] for name in ("empty", "zeros", "gzip") if name in seen)


def test_22_extreme_steps_and_a_tag_of_64_kib(tmp_path):
    tag = "t" * (64 << 10)
    save(tmp_path / "run", version() + scalar(-2**63, tag=tag) + scalar(2**63 - 1, tag=tag))
    assert steps(tmp_path, key=f"{tag} scalar") == [-2**63, 2**63 - 1]


def test_22_two_thousand_files_need_few_descriptors(tmp_path):
    for run in range(2000):
        save(tmp_path / f"run{run}", version() + scalar(run))
    done = subprocess.run(["bash", "-c", f"ulimit -n 40; exec {program('tensorboard_dump')} {tmp_path}"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b'"loss scalar"') == 2000


@pytest.mark.parametrize("length", [2**40, 2**62, 2**63 - 1, 2**64 - 1])
def test_22_an_absurd_length_allocates_nothing(tmp_path, length):
    save(tmp_path / "run", version() + scalar(0) + header(length) + scalar(1))
    # 200 MB of address space: far too little for a buffer of the length that the record claims.
    done = subprocess.run(["bash", "-c", f"ulimit -v 200000; exec {program('tensorboard_dump')} {tmp_path}"], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert steps(tmp_path) == [0, 1]
