"""Several ranks in one run of Weights & Biases, uploaded by the unmodified client."""

import sys
from pathlib import Path

from conftest import Server, build_folder, sync, taffrail

sys.path.insert(0, str(Path(__file__).parents[1]))
import three_ranks  # noqa: E402


def check(folder: Path) -> None:
    server = Server()
    try:
        said = sync(folder, server)
        assert len(server.runs) == 1, said
        (run,) = server.runs.values()
    finally:
        server.close()
    rows = run.rows
    places = [row["_step"] for row in rows]
    assert places == sorted(set(places))
    for rank in range(3):
        for name, sign in (("loss", 1), ("acc", -1)):
            key = name if rank == 0 else f"{name}/rank_{rank}"
            assert sorted((row["step"], sign * row[key]) for row in rows if key in row) == three_ranks.losses(rank), key
    assert [row["loss/rank__1"] for row in rows if "loss/rank__1" in row] == [7]
    # Every metric is drawn over its true step, and what is defined for a key counts for that of each rank.
    metrics = run.config["_wandb"]["m"]
    names = [metric.get("1") for metric in metrics]
    told = {metric["1"]: metric for metric in metrics if "1" in metric}
    assert "step" in names
    for key in ("loss", "loss/rank_1", "loss/rank_2", "acc", "acc/rank_2"):
        assert told[key]["5"] == 1 + names.index("step"), (key, metrics)
    assert told["acc/rank_1"]["7"] == [2]  # the largest
    assert run.summary["acc"] == {"max": 0} and run.summary["acc/rank_2"] == {"max": -2000}
    assert (run.summary["best"], run.summary["rank_1/best"], run.summary["rank_2/best"]) == (0, 1, 2)
    config = {name: value for name, value in run.config.items() if name != "_wandb"}
    assert three_ranks.own_settings(config) == three_ranks.SETTINGS
    said = "\n".join(run.lines)
    assert "said by rank 0" in said and "[rank 1] said by rank 1" in said and "[rank 2] said by rank 2" in said and "[rank 0]" not in said
    assert {row["text/rank_2"] for row in rows if "text/rank_2" in row} == {"said by rank 2"}


def test_ranks_have_names_of_their_own_in_one_run(tmp_path):
    three_ranks.finish(three_ranks.start(build_folder(), "wandb", tmp_path / "root", tmp_path))
    (run,) = (tmp_path / "root/runs").iterdir()
    taffrail("sync", run, "--yes")  # what a rank logged after rank 0 had ended
    check(tmp_path)


def test_killed_ranks_come_by_sync_and_once(tmp_path):
    processes = three_ranks.start(build_folder(), "wandb", tmp_path / "root", tmp_path, "rank_killed")
    try:
        run = three_ranks.await_rows(build_folder(), tmp_path / "root")
    finally:
        three_ranks.kill(processes)
    for _ in range(2):
        taffrail("sync", run, "--yes")
    check(tmp_path)
