"""`taffrail verify --repair`: a copy that TensorBoard itself opens, with everything behind the damage."""

import json
import subprocess

import pytest
from conftest import build_folder, dump
from test_damage import DAMAGE, PROVEN
from wire import save, scalar, version

TAFFRAIL = build_folder() / "bin" / "taffrail"


def taffrail(*arguments):
    return subprocess.run([TAFFRAIL, *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.fixture
def damaged(tmp_path):
    folder = tmp_path / "logs"
    for name, damage in DAMAGE.items():
        save(folder / name, version() + scalar(0) + damage + scalar(2) + scalar(3)[:-2])
    save(folder / "times", version() + scalar(0) + scalar(1, wall_time=float("nan")) + scalar(2, wall_time=float("inf")) + scalar(3))
    (folder / "times" / "projector_config.pbtxt").write_text("embeddings { tensor_name: 'x' }\n")
    return folder


@pytest.mark.parametrize("loader", ["rust", "python"])
def test_repaired_copy_opens_in_tensorboard_with_all_that_lies_behind_the_damage(damaged, tmp_path, start_tensorboard, loader):
    before = {path: path.read_bytes() for path in damaged.rglob("*") if path.is_file()}
    done = taffrail("verify", damaged, "--repair", tmp_path / "repaired")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("damaged") == len(DAMAGE) and "bytes left out" in done.stderr
    assert {path: path.read_bytes() for path in damaged.rglob("*") if path.is_file()} == before, "the original is only read"
    board = start_tensorboard(tmp_path / "repaired", loader)
    board.wait_for_runs({*DAMAGE, "times"})
    for name in DAMAGE:
        assert [point[1] for point in board.get("plugin/scalars/scalars", run=name, tag="loss")] == [0, *PROVEN.get(name, []), 2], name
    times = board.get("plugin/scalars/scalars", run="times", tag="loss")
    assert [point[1] for point in times] == [0, 1, 2, 3] and [point[0] for point in times] == [1000, 1000, 1000, 1003]
    assert (tmp_path / "repaired/times/projector_config.pbtxt").exists()
    assert not any(run["damage"] for run in dump(tmp_path / "repaired").values())


def test_copy_of_a_sound_logdir_is_the_same_bytes(logdir, tmp_path):
    done = taffrail("verify", logdir, "--json", "--repair", tmp_path / "copy")
    assert done.returncode == 0, done.stderr
    assert all(not run["damage"] for run in json.loads(done.stdout))
    names = lambda root: {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert names(tmp_path / "copy") == names(logdir)


def test_finding_s11_repair_takes_linked_runs_along_and_no_other_folder_that_a_link_leads_to(tmp_path):
    save(tmp_path / "elsewhere" / "run", version() + scalar(0) + b"junk" + scalar(1))
    save(tmp_path / "logs" / "own", version() + scalar(0))
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.txt").write_text("precious")
    (tmp_path / "logs" / "linked").symlink_to(tmp_path / "elsewhere" / "run")
    (tmp_path / "logs" / "plugins").mkdir()
    (tmp_path / "logs" / "plugins" / "profile").symlink_to(tmp_path / "private")
    assert taffrail("verify", tmp_path / "logs", "--repair", tmp_path / "copy").returncode == 0
    assert set(dump(tmp_path / "copy")) == {"own", "linked"}
    assert not list((tmp_path / "copy").rglob("key.txt"))


def test_repair_never_writes_into_the_logdir_nor_over_anything(damaged, tmp_path):
    inside = taffrail("verify", damaged, "--repair", damaged / "copy")
    assert inside.returncode == 1 and "inside" in inside.stderr
    full = tmp_path / "full"
    full.mkdir()
    (full / "precious").write_text("kept")
    taken = taffrail("verify", damaged, "--repair", full)
    assert taken.returncode == 1 and "not empty" in taken.stderr and (full / "precious").read_text() == "kept"


def test_named_logdirs_are_read_and_repaired_under_their_names(tmp_path):
    for name in ("one", "two"):
        save(tmp_path / name / "run", version() + scalar(0) + b"junk" + scalar(1))
    spec = f"a:{tmp_path}/one,b:{tmp_path}/two"
    listed = taffrail("ls", spec, "--json")
    assert {run["name"] for run in json.loads(listed.stdout)} == {"a/run", "b/run"}
    assert taffrail("verify", spec, "--repair", tmp_path / "repaired").returncode == 0
    assert {run.name for run in (tmp_path / "repaired").iterdir()} == {"a", "b"}
    assert len(dump(tmp_path / "repaired")) == 2
