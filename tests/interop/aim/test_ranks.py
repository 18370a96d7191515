"""Several ranks in one run of Aim's, and signs of life, as its own programs see them."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from conftest import build_folder, taffrail
from test_aim import aim_program, read

sys.path.insert(0, str(Path(__file__).parents[1]))
import three_ranks  # noqa: E402


def by_rank(run: dict, name: str) -> dict:
    return {one["context"].get("rank", 0): sorted(zip(one["steps"], map(float, one["values"]))) for one in run["metrics"][name]}


TEXTS = """
import json, sys
from aim import Repo
from aim.storage.context import Context
told = {}
for run in Repo(sys.argv[1]).iter_runs():
    for name in ("text", "stdout"):
        for rank in range(3):
            steps, columns = run.get_text_sequence(name, Context({"rank": rank} if rank > 0 else {})).data.items_list()
            told.setdefault(name, {})[rank] = [value.data for value in columns[0]]
    told["params"] = run[...]
print(json.dumps(told))
"""


def check(folder: Path, repository: Path) -> None:
    (run,) = read(folder, repository)
    assert run["active"] is False
    assert by_rank(run, "loss") == {rank: three_ranks.losses(rank) for rank in range(3)}
    assert by_rank(run, "loss/rank_1") == {0: [(0, 7.0)]}  # its own name stays: a context is no name
    told = json.loads(aim_program(folder, TEXTS, repository).splitlines()[-1])
    assert told["text"] == {str(rank): [f"said by rank {rank}"] for rank in range(3)}
    assert {rank: lines for rank, lines in told["stdout"].items()} == {str(rank): [f"said by rank {rank}"] for rank in range(3)}
    assert three_ranks.own_settings(told["params"]["hparams"]) == three_ranks.SETTINGS
    assert told["params"]["summary"] == {"best": 0, "rank_1": {"best": 1}, "rank_2": {"best": 2}}
    # And back: a context's rank is the rank of its points.
    shown = json.loads(taffrail("show", repository, "--json"))
    assert {key["key"]: key["count"] for key in shown["keys"]}["loss"] == 60 and shown["run"]["world_size"] == 3
    table = folder / "points.csv"
    taffrail("export", repository, "--format", "csv", "--keys", "loss", "-o", table)
    rows = list(csv.DictReader(table.open()))
    assert {rank: sorted((int(row["step"]), float(row["value"])) for row in rows if int(row["rank"]) == rank) for rank in range(3)} == {rank: three_ranks.losses(rank) for rank in range(3)}


def test_ranks_are_contexts_of_one_run(tmp_path):
    three_ranks.finish(three_ranks.start(build_folder(), "aim", tmp_path / "root", tmp_path / "log"))
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")  # what a rank logged after rank 0 had ended
    check(tmp_path, tmp_path / "log")


def test_killed_ranks_come_by_sync_and_once(tmp_path):
    processes = three_ranks.start(build_folder(), "aim", tmp_path / "root", tmp_path / "log", "rank_killed")
    try:
        run = three_ranks.await_rows(build_folder(), tmp_path / "root")
    finally:
        three_ranks.kill(processes)
    for _ in range(2):
        taffrail("sync", run, "--yes")
        check(tmp_path, tmp_path / "log")


def test_a_run_that_never_had_aim_comes_whole(tmp_path):
    three_ranks.finish(three_ranks.start(build_folder(), "csv", tmp_path / "root", tmp_path / "table", "rank"))
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--sink", "aim", "-o", f"log_dir={tmp_path / 'log'}", "-o", "ranks=all", "--yes")
    check(tmp_path, tmp_path / "log")


LIVING = """
import json, sys
from pathlib import Path
from aim import Repo
from aim.sdk.run_status_manager import RunStatusManager
from aim.sdk.run_status_watcher import Event
repo = Repo(sys.argv[1])
manager = RunStatusManager(repo)
signs = sorted(path.name for path in manager.heartbeat_dir.glob("*"))
stalled = [manager._is_run_stalled(run) for run in manager._runs_with_progress() for _ in range(2)]
print(json.dumps({"active": repo.list_active_runs(), "signs": [[event.obj_idx, event.idx, event.event_type, event.next_event_in] for event in map(Event, signs)], "stalled": stalled}))
"""

END_STALLED = """
import sys, time
from aim import Repo
from aim.sdk.run_status_manager import RunStatusManager
manager = RunStatusManager(Repo(sys.argv[1]))
manager.check_and_terminate_stalled_runs()
now = time.time()
time.time = lambda: now + 60  # no sign came for a minute
manager.check_and_terminate_stalled_runs()
"""


def test_a_living_run_gives_signs_of_life_and_a_killed_one_is_ended_by_aim(tmp_path):
    (tmp_path / "root").mkdir()
    program = build_folder() / "tests/interop/comet/tracker_write"
    process = subprocess.Popen([program, "aim", "many_killed", tmp_path / "root", tmp_path / "log"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        until, living = time.monotonic() + 300, None
        # Nothing is logged any more, and still the signs go on.
        while time.monotonic() < until and (living is None or living["signs"][0][1] < 2):
            living = json.loads(aim_program(tmp_path, LIVING, tmp_path / "log").splitlines()[-1]) if (tmp_path / "log/.aim/check_ins").exists() else None
        (run,) = read(tmp_path, tmp_path / "log")
        assert living["active"] == [run["hash"]] and run["active"] is True and living["stalled"] == [False, False]
        assert [(sign[0], *sign[2:]) for sign in living["signs"]] == [(run["hash"], "progress", 30)]
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    aim_program(tmp_path, END_STALLED, tmp_path / "log")
    (run,) = read(tmp_path, tmp_path / "log")
    assert run["active"] is False and not list((tmp_path / "log/.aim/meta/progress").iterdir())
    (native,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", native, "--yes")
    (run,) = read(tmp_path, tmp_path / "log")
    assert run["active"] is False and len(run["metrics"]["many/0"][0]["steps"]) == 4000
    for left in ("check_ins", "meta/progress", "seqs/progress"):
        assert not list((tmp_path / "log/.aim" / left).iterdir()), left
