"""The whole command beside the plugin that analysed traces for TensorBoard: same files, one process each, rounds in turn."""

import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "testing"))
import peers  # noqa: E402

TARGETS = {"analyze.vs_tb_plugin": {"at_least": 15, "of": "ratio"}}
PLUGIN = """
import sys
from torch_tb_profiler.profiler.data import RunProfileData
from torch_tb_profiler.profiler.run_generator import RunGenerator
for path in sys.argv[1:]:
    data = RunProfileData.parse("w", None, path, None)
    RunGenerator("w", None, data).generate_run_profile()
"""


def seconds(command) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def run(context) -> list:
    context.build("taffrail_command")
    command = context.built / "bin" / "taffrail"
    python = peers.python_of("torch_tb_profiler")
    files = sorted(map(str, (context.root / "tests" / "data" / "profile").glob("resnet50-*.gz")))
    ours, theirs = [], []
    for _ in range(3 if context.quick else 9):
        ours.append(seconds([str(command), "profile", "analyze", *files, "--json"]))
        theirs.append(seconds([str(python), "-c", PLUGIN, *files]))
    mine, other = context.median(ours), context.median(theirs)
    return [{"id": "analyze.vs_tb_plugin", "value": mine, "unit": "s", "peer": "torch-tb-profiler", "peer_value": other, "ratio": other / mine, "spread": [min(ours), max(ours)],
             "peer_spread": [min(theirs), max(theirs)]}]
