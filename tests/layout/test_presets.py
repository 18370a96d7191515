"""What the presets need beside a compiler is said where it is not there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def checked(folder: Path, tools: list[str]) -> subprocess.CompletedProcess:
    """What CMake says to the settings of the presets where only `tools` are installed."""
    for tool in tools:
        (folder / tool).symlink_to(shutil.which("true"))
    presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    base = next(one for one in presets if one["name"] == "base")["cacheVariables"]
    settings = [f"-D{name}={value}" for name, value in base.items()]
    return subprocess.run([shutil.which("cmake"), *settings, "-P", ROOT / "cmake" / "preset_tools.cmake"],
                          env={**os.environ, "PATH": str(folder)}, capture_output=True, text=True)


@pytest.mark.parametrize("missing", ["ccache", "mold"])
def test_a_tool_of_the_presets_that_is_missing_is_named(tmp_path, missing):
    said = checked(tmp_path, [tool for tool in ("ccache", "mold") if tool != missing])
    assert said.returncode != 0
    words = " ".join(said.stderr.split())
    assert f"use {missing}, which is not installed" in words and "scripts/dependencies.sh" in words


def test_nothing_is_said_where_all_are_there(tmp_path):
    said = checked(tmp_path, ["ccache", "mold"])
    assert said.returncode == 0, said.stderr
