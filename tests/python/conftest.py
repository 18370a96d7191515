"""What the tests of the package share. They run against the installed wheel, never against the sources."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A root of runs that is the default one too; nothing of the machine is recorded."""
    monkeypatch.setenv("TAFFRAIL_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("TAFFRAIL_ENVIRONMENT", "0")
    monkeypatch.setenv("TAFFRAIL_MACHINE_LOAD", "off")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


@pytest.fixture
def program(root, tmp_path):
    """Runs a program text in a process of its own; gives what came of it."""
    def run(text: str, *options: str, check: bool = True, arguments: tuple = (), timeout: float = 300, **variables: str) -> subprocess.CompletedProcess:
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(text))
        done = subprocess.run([sys.executable, *options, str(path), *arguments], capture_output=True, text=True, timeout=timeout, cwd=tmp_path,
                              env={**os.environ, **variables})
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


def site() -> Path:
    import taffrail

    return Path(taffrail.__file__).parent
