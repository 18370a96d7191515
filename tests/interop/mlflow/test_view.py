"""MLflow's own page in a browser, on the run that test_send.py sent; its name puts it behind that."""

import json
import subprocess
from pathlib import Path

import pytest
from conftest import environment, only_run, write

pytestmark = pytest.mark.filterwarnings("ignore")


def test_image_grid_loads_our_pictures_as_its_own(server, client, tmp_path):
    import numpy

    if not [run for run in client.search_runs([e.experiment_id for e in client.search_experiments()], "tags.`taffrail.run_id` = 'all1'")]:
        write("all", tmp_path / "root", server.url)
    run = only_run(client, "all1")
    client.log_image(run.info.run_id, numpy.full((40, 60, 3), 99, dtype=numpy.uint8), key="samples/official", step=0)
    address = f"{server.url}/#/experiments/{run.info.experiment_id}/runs/{run.info.run_id}/model-metrics"
    program = [Path(__file__).with_name("grid.mjs"), address, "samples", "4", tmp_path / "grid.png"]
    done = subprocess.run(["node", *program], timeout=600, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    drawn = {picture["path"].split("+step+")[0]: (picture["width"], picture["height"]) for picture in said["pictures"]}
    # The small ones, as large as that page's own client makes them; `~` is its slash.
    assert drawn["images/samples~digit"] == (256, 170) and drawn["images/samples~official"][0] == 256, said
    assert {picture["path"] for picture in said["pictures"]} <= set(said["seen"]), said
    assert "samples/digit" in said["text"] and "samples/official" in said["text"]
