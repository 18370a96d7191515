"""The types that the package brings along: a strict checker finds nothing in a program that is right, and every mistake in one that is not."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
import taffrail

PROGRAMS = Path(__file__).parent / "types"


def test_the_stubs_are_python():
    for stub in Path(taffrail.__file__).parent.glob("*.pyi"):
        ast.parse(stub.read_text(), str(stub))


def checked(program: str, folder: Path) -> list[str]:
    """What mypy says, one line for each mistake."""
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", "--cache-dir", str(folder), PROGRAMS / program], capture_output=True,
                          text=True, timeout=600, cwd=folder)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if ": error:" in line]


def test_a_right_program_has_nothing_to_complain_of(tmp_path):
    assert checked("right.py", tmp_path) == []


def test_every_mistake_is_found(tmp_path):
    lines = (PROGRAMS / "wrong.py").read_text().splitlines()
    found = {int(said.split("wrong.py:")[1].split(":")[0]) for said in checked("wrong.py", tmp_path)}
    assert found == set(range(1 + lines.index("run = taffrail.init()") + 1, len(lines) + 1))
