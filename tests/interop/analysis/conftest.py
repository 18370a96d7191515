"""What the retired plugin of TensorBoard says of a trace, and what the command says of it.

TAFFRAIL_BUILD names the build folder (default: build/ci).
"""

import copy
import gzip
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "tests" / "data" / "profile"
PARTS = ["kernel", "memcpy", "memset", "communication", "runtime", "data_loader", "cpu", "other"]


def analyze(*paths) -> list:
    """The command's analysis of each file, all rows."""
    built = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))
    done = subprocess.run([built / "bin" / "taffrail", "profile", "analyze", *map(str, paths), "--json", "-n", "0"], capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)["traces"]


def load(name: str) -> dict:
    return json.loads(gzip.decompress((DATA / name).read_bytes()))


def repaired(trace: dict) -> dict:
    """A trace of today as the plugin understands it: its categories of 2021, and every step once."""
    trace = copy.deepcopy(trace)
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "gpu_user_annotation"]
    for event in trace["traceEvents"]:
        if event.get("cat") in ("cuda_runtime", "cuda_driver"):
            event["cat"] = "Runtime"
    return trace


def plugin(trace: dict):
    """RunProfileData of torch-tb-profiler."""
    from torch_tb_profiler.profiler.data import RunProfileData

    return RunProfileData.from_json("worker", None, copy.deepcopy(trace))
