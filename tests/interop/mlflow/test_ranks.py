"""Several ranks in one run of a real tracking server."""

import sys
from pathlib import Path

import pytest
from conftest import build_folder, only_run, taffrail

pytestmark = pytest.mark.filterwarnings("ignore")

sys.path.insert(0, str(Path(__file__).parents[1]))
import three_ranks  # noqa: E402


@pytest.mark.parametrize("scenario", ["rank", "rank_killed"])
def test_ranks_have_names_of_their_own_in_one_run(server, client, tmp_path, scenario):
    for old in client.search_runs([one.experiment_id for one in client.search_experiments()], "tags.`taffrail.run_id` = 'ranks1'"):
        client.delete_run(old.info.run_id)
    processes = three_ranks.start(build_folder(), "mlflow", tmp_path / "root", server.url, scenario)
    try:
        folder = three_ranks.await_rows(build_folder(), tmp_path / "root")
    finally:
        (three_ranks.finish if scenario == "rank" else three_ranks.kill)(processes)
    for _ in range(2):
        taffrail("sync", folder, "--yes")
    run = only_run(client, "ranks1")
    history = lambda name: sorted((point.step, point.value) for point in client.get_metric_history(run.info.run_id, name))
    for rank in range(3):
        assert history("loss" if rank == 0 else f"loss/rank_{rank}") == three_ranks.losses(rank)
    assert history("loss/rank__1") == [(0, 7.0)]
    assert {name: value for name, value in run.data.params.items() if name not in ("rank_1/lr", "rank_2/lr")} == {"lr": "0.1", "device": "cuda:0", "rank_1/device": "cuda:1", "rank_2/device": "cuda:2"}
    assert [run.data.tags[f"taffrail.summary.{name}"] for name in ("best", "rank_1/best", "rank_2/best")] == ["0", "1", "2"]
    assert not any(name.startswith("taffrail.params.") for name in run.data.tags)
    said = "".join(Path(client.download_artifacts(run.info.run_id, part.path, str(tmp_path))).read_text() for part in client.list_artifacts(run.info.run_id, "console"))
    assert sorted(line for line in said.splitlines() if "said by" in line) == ["[rank 1] said by rank 1", "[rank 2] said by rank 2", "said by rank 0"]
    texts = {entry.path for rank in (1, 2) for entry in client.list_artifacts(run.info.run_id, f"text/text/rank_{rank}")}
    assert texts == {"text/text/rank_1/step_3.md", "text/text/rank_2/step_3.md"}
