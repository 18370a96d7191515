"""The example program with MLflow named in its configuration files, as people write them."""

import os
import subprocess

import pytest
from conftest import ROOT, build_folder, taffrail

pytestmark = pytest.mark.filterwarnings("ignore")

QUICK = ["trainer.max_epochs=1", "data.train_digits=640", "data.held_out_digits=100", "model.hidden=64"]
DATA = ROOT / "tests/data/config"


def metrics_of(client, folder, server, text: str, project: str, *words) -> set[str]:
    """What the one run has that the program makes there."""
    (folder / "configs/experiment").mkdir(parents=True)
    (folder / "configs/experiment/page.yaml").write_text(text)
    variables = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    done = subprocess.run([build_folder() / "examples/vae_digits/vae_digits", "experiment=page", *QUICK, *words], cwd=folder, timeout=300, capture_output=True, text=True,
                          env={**variables, "TAFFRAIL_DIR": str(folder / "taffrail"), "MLFLOW_TRACKING_URI": server.url, "MLFLOW_EXPERIMENT_NAME": project})
    assert done.returncode == 0 or "they are kept" in done.stderr, done.stdout + done.stderr
    (kept,) = (folder / "taffrail/runs").iterdir()
    taffrail("sync", kept, "--yes")  # what a busy server did not take within the bound of finish()
    (run,) = client.search_runs([client.get_experiment_by_name(project).experiment_id])
    assert run.info.status == "FINISHED"
    return set(run.data.metrics)


def test_experiment_with_mlflow_drives_a_run(server, client, tmp_path):
    text = (DATA / "experiment/experiment_block.yaml").read_text().replace("override /logger: aim", "override /logger: mlflow").replace("  aim:", "  mlflow:")
    found = metrics_of(client, tmp_path, server, text, "experiment block")
    assert {f"Metric-BatchWise/{name}/{phase}" for name in ("reconstruction_loss", "regularization_loss") for phase in ("train", "val")} <= found

