"""Profiles out of chance and out of the real world, converted by the command and read by those the formats come from.

TAFFRAIL_BUILD names the build folder (default: build/ci).
"""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TORCH = ROOT / "tests" / "data" / "profile" / "torch-2.11.pt.trace.json.gz"
BUILD = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))
STACKS = {
    ("main", "train", "forward", "aten::mm"): 4000,
    ("main", "train", "forward"): 500,
    ("main", "train", "backward", "aten::mm"): 9000,
    ("main", "train", "backward", "größe \"quoted\""): 70,
    ("main", "load data", "read <file>"): 1234,
    ("main",): 3,
}


def taffrail(*arguments, **more):
    done = subprocess.run([BUILD / "bin" / "taffrail", *map(str, arguments)], capture_output=True, timeout=120, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture
def convert(tmp_path):
    def converted(source, name, *options):
        target = tmp_path / name
        taffrail("profile", "convert", source, "-o", target, *options)
        return target
    return converted


@pytest.fixture
def folded(tmp_path):
    path = tmp_path / "stacks.folded"
    path.write_text("".join(f"{';'.join(stack)} {weight}\n" for stack, weight in STACKS.items()))
    return path


@pytest.fixture(scope="session")
def speedscope():
    """The folder of speedscope's page, from the package registry, installed once."""
    cache = Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail")) / "npm" / "speedscope-1.25.0"
    cache.mkdir(parents=True, exist_ok=True)
    page = cache / "node_modules" / "speedscope" / "dist" / "release"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (page / "index.html").exists():
            subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", cache, "speedscope@1.25.0"], check=True)
    return page
