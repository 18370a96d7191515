"""Projects written by the real package. TAFFRAIL_BUILD names the build folder (default: build/ci)."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def build_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))


def environment(folder: Path) -> dict:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TRACKIO_", "HF_"))}
    return {**kept, "TRACKIO_DIR": str(folder), "HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HOME": str(folder.parent), "DO_NOT_TRACK": "1"}


def theirs(program: str, folder: Path) -> str:
    """What a program with the real package prints."""
    done = subprocess.run([sys.executable, "-c", program, str(folder)], timeout=300, capture_output=True, text=True, env=environment(folder), cwd=folder.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def taffrail(*arguments, status: int = 0) -> str:
    done = subprocess.run([build_folder() / "bin/taffrail", *map(str, arguments)], timeout=300, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def said(*arguments) -> object:
    return json.loads(taffrail(*arguments, "--json"))


WRITE = """
import math, struct, sys
import numpy as np
import trackio
from pathlib import Path
from PIL import Image

run = trackio.init(project="digits", name="one", config={"lr": 0.5, "opt": {"name": "adam", "layers": [1, 2]}, "flag": True}, group="g", auto_log_gpu=False, auto_log_cpu=False)
for step in range(40):
    trackio.log({"train/loss": 1 / (step + 1), "acc": step / 40, "count": step, "flag": step % 2 == 0}, step=step)
for step, value in ((50, math.nan), (51, math.inf), (52, -math.inf), (-3, 0.25), (7, 1e-310), (7, 2**53 + 1)):
    trackio.log({"odd": value}, step=step)
trackio.log({"step": 4, "outer": {"a": 1.5, "deep": {"b": 2}}, "said": "words", "list": [1, 2]}, step=60)
rng = np.random.default_rng(1)
trackio.log({"picture": trackio.Image(rng.integers(0, 255, (6, 5, 3), dtype=np.uint8), caption="six")}, step=61)
trackio.log({"pil": trackio.Image(Image.new("L", (4, 3), 128))}, step=61)
trackio.log({"histogram": trackio.Histogram(np.arange(100.0), num_bins=10)}, step=62)
trackio.log({"table": trackio.Table(columns=["x", "y"], data=[[1, "a"], [2.5, None]])}, step=63)
trackio.log({"mixed": trackio.Table(columns=["n", "p"], data=[[1, trackio.Image(np.zeros((4, 4, 3), "u1"))]])}, step=63)
trackio.log({"report": trackio.Markdown("**bold**")}, step=64)
trackio.log({"page": trackio.Html("<h1>hello</h1>")}, step=65)
trackio.log({"sound": trackio.Audio(np.sin(np.arange(800) / 10).astype(np.float32), sample_rate=8000, format="wav", caption="tone")}, step=66)
Path("mesh.obj").write_text("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n")
trackio.log({"mesh": trackio.Object3D("mesh.obj")}, step=67)
trackio.log_system({"gpu/0/utilization": 50.0})
trackio.log_system({"gpu/0/utilization": 60.0})
trackio.alert("too hot", "very", trackio.AlertLevel.ERROR)
Path("weights.bin").write_bytes(b"weights")
made = trackio.Artifact("model", type="weights", metadata={"epochs": 2})
made.add_file("weights.bin", "inside/weights.bin")
trackio.log_artifact(made)
trackio.finish()
trackio.init(project="digits", name="two", config={"lr": 0.25}, auto_log_gpu=False, auto_log_cpu=False)
for step in range(20):
    trackio.log({"train/loss": 2 / (step + 1)})
trackio.finish()
trackio.init(project="my other project", name="one", auto_log_gpu=False, auto_log_cpu=False)
trackio.log({"train/loss": 7.0})
trackio.finish()
"""


@pytest.fixture(scope="session")
def projects(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trackio") / "projects"
    folder.mkdir()
    theirs(WRITE, folder)
    for path in folder.glob("*.db"):
        os.utime(path, (time.time() - 300,) * 2)  # nobody writes them any more
    return folder
