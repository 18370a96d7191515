"""The stages of ./scripts/test, in order. Each is a function of a Context that returns Counts."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from counting import Counts, from_junit, one

PEERS = {
    # name: (pip requirements, what it is for); one virtual environment each, so that peers cannot break each other.
    "tests": ["pytest", "numpy"],
}


@dataclass
class Context:
    root: Path
    full: bool = False
    ran: list = field(default_factory=list)

    @property
    def cache(self) -> Path:
        return Path(os.environ["TAFFRAIL_CACHE"])

    def run(self, *command, **options) -> int:
        """Runs a command with its output shown; returns its exit status."""
        return subprocess.run([str(part) for part in command], cwd=options.pop("cwd", self.root), **options).returncode

    def build(self, preset: str, *targets) -> bool:
        folder = self.root / "build" / preset
        if not (folder / "build.ninja").exists():
            if self.run("cmake", "--preset", preset, stdout=subprocess.DEVNULL) != 0:
                return False
        return self.run("ninja", "-C", folder, "--quiet", *targets) == 0

    def ctest(self, preset: str, label: str, *, exclude: str = "", jobs: int = 2, environment: dict | None = None) -> Counts:
        folder = self.root / "build" / preset
        result = folder / f"junit-{preset}-{label.replace('|', '-')}.xml"
        result.unlink(missing_ok=True)
        command = ["ctest", "--test-dir", folder, "-j", jobs, "--output-on-failure", "--quiet", "--output-junit", result, "-L", label]
        if exclude:
            command += ["-LE", exclude]
        self.run(*command, env={**os.environ, **(environment or {})})
        counts = from_junit(result, f"{preset}/{label}")
        self.ran += counts.names
        return counts

    def venv(self, name: str, *requirements: str) -> Path:
        """The python of a cached virtual environment holding these packages."""
        folder = self.cache / "venv" / name
        python = folder / "bin" / "python"
        stamp = folder / "requirements.txt"
        wanted = "\n".join(requirements)
        if not python.exists() or not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=True)
            stamp.write_text(wanted)
        return python

    def pytest(self, python: Path, folder: str, *options: str) -> Counts:
        result = self.root / "build" / f"junit-{folder.replace('/', '-')}.xml"
        result.parent.mkdir(exist_ok=True)
        result.unlink(missing_ok=True)
        self.run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={result}", folder, *options)
        counts = from_junit(result, folder)
        self.ran += counts.names
        return counts

    def write_ran_tests(self) -> None:
        """Names of the tests that passed, for the capability table."""
        path = self.root / "build" / "tests-ran.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(sorted(set(self.ran)), indent=0))


def build(context: Context) -> Counts:
    """release build of everything"""
    return one(context.build("release"), "build release")


def layout(context: Context) -> Counts:
    """layers, forbidden calls and formatting"""
    python = context.venv("tests", *PEERS["tests"])
    return context.pytest(python, "tests/layout")


def unit(context: Context) -> Counts:
    """unit tests in the release build"""
    return context.ctest("release", "unit")


def sanitize(context: Context) -> Counts:
    """unit tests under AddressSanitizer and UndefinedBehaviorSanitizer"""
    if not context.build("dev"):
        return one(False, "build dev")
    return context.ctest("dev", "unit", exclude="no_asan", environment={"ASAN_OPTIONS": "detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"})


STAGES = [build, layout, unit, sanitize]
