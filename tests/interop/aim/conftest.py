"""What the tests against Aim start. TAFFRAIL_BUILD names the build folder (default: build/ci)."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def build_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))


def write(scenario: str, folder: Path) -> Path:
    """Records a run with our sink and returns the folder of the repository."""
    (folder / "root").mkdir(exist_ok=True)
    program = build_folder() / "tests/interop/comet/tracker_write"
    subprocess.run([program, "aim", scenario, folder / "root", folder / "log"], check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / "log"


def taffrail(*arguments) -> str:
    done = subprocess.run([build_folder() / "bin/taffrail", *map(str, arguments)], timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
