"""The stages of ./scripts/test run what they name, and say so when it is gone."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "testing"))

import stages  # noqa: E402


def test_every_threaded_program_is_a_test_program():
    declared = {name for path in (ROOT / "tests").rglob("CMakeLists.txt") for name in re.findall(r"taffrail_test\(\s*NAME (\w+)", path.read_text())}
    assert set(stages.THREADED) <= declared


def test_threads_fail_when_a_program_is_gone(monkeypatch, tmp_path):
    class Bare:
        root = tmp_path

        def configure(self, preset, *under):
            return True

        def build(self, preset, *targets):
            raise AssertionError("nothing is built when a program is unknown")

    known = "".join(f"{name}: phony\n" for name in stages.THREADED[1:])
    monkeypatch.setattr(subprocess, "run", lambda *command, **options: subprocess.CompletedProcess(command, 0, known, ""))
    counts = stages.build_threads(Bare())
    assert counts.failed == 1 and stages.THREADED[0] in " ".join(counts.failures), counts


def test_interop_names_only_programs_that_are_built():
    """Paths under the build folder that a stage hands to tests: each is a target of the build."""
    text = (ROOT / "scripts/testing/stage_interop.py").read_text()
    assert "built /" in text
    for path in re.findall(r'built / "([\w/]+)"', text):
        folder, name = path.rsplit("/", 1)
        cmake = ROOT / folder / "CMakeLists.txt"
        assert cmake.exists() and re.search(rf"\b{name}\b", cmake.read_text()), f"{path} is not built"


def test_whole_folders_are_targets_with_kept_seeds():
    """The quick run tries nothing else of them."""
    cmake = (ROOT / "fuzz/folder/CMakeLists.txt").read_text()
    named = {f"{name}_fuzz" for name in re.search(r"foreach\(name IN ITEMS ([\w ]+)\)", cmake)[1].split()}
    assert set(stages.WHOLE_FOLDERS) == named
    for name in named:
        seeds = [path.stat().st_size for path in (ROOT / "fuzz/corpus" / name).iterdir()]
        assert seeds and max(seeds) <= 200_000, f"{name} takes inputs up to 200,000 bytes"
