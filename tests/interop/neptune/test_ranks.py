"""Several ranks in one log of Neptune's, read by its own repository class."""

import sys
from pathlib import Path

import pytest
from conftest import build_folder, taffrail
from neptune_scale.sync.operations_repository import OperationType
from test_neptune import assigned, operations, series

sys.path.insert(0, str(Path(__file__).parents[1]))
import three_ranks  # noqa: E402


@pytest.mark.parametrize("scenario", ["rank", "rank_killed"])
def test_ranks_have_series_of_their_own_in_one_run(tmp_path, scenario):
    processes = three_ranks.start(build_folder(), "neptune", tmp_path / "root", tmp_path / "log", scenario)
    try:
        run = three_ranks.await_rows(build_folder(), tmp_path / "root")
    finally:
        (three_ranks.finish if scenario == "rank" else three_ranks.kill)(processes)
    for _ in range(2):
        taffrail("sync", run, "--yes")
    logs = sorted((tmp_path / "log").glob("*/run_operations.sqlite3"), key=lambda log: log.parent.name)
    updates = [one.operation for log in logs for one in operations(log) if one.operation_type == OperationType.UPDATE_SNAPSHOT]
    points, said = series(updates), assigned(updates)
    for rank in range(3):
        suffix = "" if rank == 0 else f"/rank_{rank}"
        assert points["loss" + suffix] == three_ranks.losses(rank)  # at their true steps: each series rises by itself
        assert points["text" + suffix] == [(3, "string")]
        assert said["summary" + ("" if rank == 0 else f"/rank_{rank}") + "/best"] == rank
    assert points["loss/rank__1"] == [(0, 7.0)] and not any(name.startswith("taffrail/step/loss") for name in points)
    assert said["config/lr"] == 0.1 and said["config/device"] == "cuda:0" and said["config/rank_2/device"] == "cuda:2" and said.get("config/rank_1/lr", 0.1) == 0.1
    lines = [value.string for update in updates for name, value in update.append.items() if name == "runtime/stdout"]
    assert sorted(lines) == ["[rank 1] said by rank 1", "[rank 2] said by rank 2", "said by rank 0"]
