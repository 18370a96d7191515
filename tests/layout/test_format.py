"""Every C++ file stands as clang-format leaves it."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_clang_format_changes_nothing():
    files = subprocess.run(["git", "ls-files", "*.h", "*.cpp"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert len(files) > 500
    checked = subprocess.run(["clang-format-19", "--dry-run", *files], cwd=ROOT, capture_output=True, text=True, check=True)
    wrong = sorted({line.split(":")[0] for line in checked.stderr.splitlines() if "[-Wclang-format-violations]" in line})
    assert not wrong, "run clang-format-19 -i on: " + " ".join(wrong)
