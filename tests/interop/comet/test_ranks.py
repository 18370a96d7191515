"""Several ranks in one experiment of Comet, uploaded by the unmodified program."""

import sys
from pathlib import Path

import pytest
from conftest import Server, build_folder, comet, taffrail

sys.path.insert(0, str(Path(__file__).parents[1]))
import three_ranks  # noqa: E402


@pytest.mark.parametrize("scenario", ["rank", "rank_killed"])
def test_ranks_have_names_of_their_own_in_one_experiment(tmp_path, scenario):
    processes = three_ranks.start(build_folder(), "comet", tmp_path / "root", tmp_path / "log", scenario)
    try:
        run = three_ranks.await_rows(build_folder(), tmp_path / "root")
    finally:
        (three_ranks.finish if scenario == "rank" else three_ranks.kill)(processes)
    for _ in range(2):
        taffrail("sync", run, "--yes")
    server = Server()
    try:
        done = comet(tmp_path, "upload", *sorted((tmp_path / "log").glob("*.zip")), COMET_URL_OVERRIDE=server.url)
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.close()
    points = {}
    for one in server.metrics:
        points.setdefault(one["metricName"], []).append((one["step"], float(one["metricValue"])))
    for rank in range(3):
        assert sorted(points["loss" if rank == 0 else f"loss/rank_{rank}"]) == three_ranks.losses(rank)
    assert points["loss/rank__1"] == [(0, 7.0)]
    told = {one["parameterName"]: one["parameterValue"] for one in server.parameters}
    assert {name: value for name, value in told.items() if name not in ("rank_1|lr", "rank_2|lr")} == {"lr": 0.1, "device": "cuda:0", "rank_1|device": "cuda:1", "rank_2|device": "cuda:2"}
    assert (server.others["best"], server.others["rank_1/best"], server.others["rank_2/best"]) == (0, 1, 2)
    said = "".join(line["output"] for line in server.output)
    assert "[rank 1] said by rank 1\n" in said and "[rank 2] said by rank 2\n" in said and "said by rank 0\n" in said
    assert len({body["experimentKey"] for kind, body in server.runs if kind == "add"} | {body["previousExperiment"] for kind, body in server.runs if kind == "get"}) == 1
