"""Speed as ratios in one run, small and with room for a busy machine; `./scripts/bench tensorboard` measures properly."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT, build_folder

BENCH = build_folder() / "bench/tensorboard"


def native(name: str, *arguments) -> dict:
    path = BENCH / name
    done = subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True, timeout=120)
    return json.loads(done.stdout.strip().splitlines()[-1])


def peer(script: str, *arguments) -> dict:
    done = subprocess.run([sys.executable, ROOT / "bench/tensorboard" / script, *map(str, arguments)], check=True, capture_output=True,
                          text=True, timeout=120, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_23_loading_beats_both_loaders(tmp_path):
    native("tensorboard_bench_generate", tmp_path / "logs", 100, 20, 200, "scalar")
    ours = native("tensorboard_bench_load", tmp_path / "logs")
    rust = peer("rustboard_load.py", tmp_path, tmp_path / "logs")
    python = peer("accumulator_load.py", tmp_path, tmp_path / "logs/run_00000")
    assert ours["points"] == 400_000
    assert rust["cpu_s"] / (ours["cpu_ms"] / 1e3) > 3
    assert rust["rss_mb"] / ours["rss_mb"] > 2
    assert python["cpu_us_per_event"] / (ours["cpu_ms"] * 1e3 / ours["points"]) > 80


def test_23_writing_beats_tensorboardx(tmp_path):
    ours = native("tensorboard_bench_write", tmp_path / "ours", 20_000)
    theirs = peer("python_write.py", tmp_path / "theirs", 200, "tensorboardX")
    assert theirs["cpu_us"] / ours["cpu_us"] > 100
