"""Makes the sample files of this folder: python make.py VERSION TARGET with that version of wandb installed (offline, nothing is sent).

The same program for every era: nested names, text, pictures, a histogram, NaN, console, config, summary, a failed run. Run it in a copy of
this folder whose path may stand in the samples: newer versions write it down. What matters of the run folder goes to TARGET/VERSION.
"""

import os
import shutil
import sys
from pathlib import Path

version, targets = sys.argv[1], Path(sys.argv[2])
sys.argv, sys.executable = ["make.py"], "python"  # they are written down
place = Path.cwd() / "made"
os.environ.update({"WANDB_MODE": "offline", "WANDB_DIR": str(place), "WANDB_SILENT": "true", "WANDB_DISABLE_GIT": "true", "WANDB_DISABLE_CODE": "true",
                   "WANDB_HOST": "host", "WANDB_USERNAME": "me", "WANDB_RUN_ID": "era" + version.replace(".", "")})
shutil.rmtree(place, ignore_errors=True)
place.mkdir()
import numpy
import wandb

if not hasattr(numpy, "float_"):  # removed since, and old versions ask for it
    numpy.float_ = numpy.float64

assert wandb.__version__ == version, wandb.__version__
run = wandb.init(project="eras", name="sample", group="g", tags=["a", "b"], notes="note", job_type="train", config={"lr": 0.5, "opt": {"name": "adam", "depth": 2}})
for step in range(40):
    wandb.log({"loss": 1 / (step + 1), "nested": {"deep": step}, "slash/name": float("nan") if step == 7 else step * 2.0})
wandb.log({"picture": wandb.Image(numpy.full((3, 4, 3), 9, dtype=numpy.uint8), caption="c"), "text": "hello"})
wandb.log({"pictures": [wandb.Image(numpy.full((3, 4, 3), shade, dtype=numpy.uint8)) for shade in (1, 2)], "hist": wandb.Histogram(np_histogram=([1, 2, 3], [0, 1, 2, 4]))})
print("a line of output")
run.summary["best"] = 42
wandb.finish(exit_code=3)
if hasattr(wandb, "teardown"):
    wandb.teardown(exit_code=3)  # its helper writes the last records when it ends

(folder,) = (one for one in (place / "wandb").glob("offline-run-*"))
target = targets / version
shutil.rmtree(target, ignore_errors=True)
target.mkdir()
(log,) = folder.glob("*.wandb")
shutil.copy(log, target / log.name)
if (folder / "files/media").exists():
    shutil.copytree(folder / "files/media", target / "files/media")
shutil.rmtree(place)
