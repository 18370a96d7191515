"""What a stage works with: builds, test runners, and the names of the tests that passed."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import at_once
import peers
from counting import Counts, from_junit


@dataclass
class Context:
    root: Path
    full: bool = False
    ran: list = field(default_factory=list)

    def run(self, *command, **options) -> int:
        """Runs a command with its output shown; returns its exit status, 124 past its time."""
        try:
            return subprocess.run([str(part) for part in command], cwd=options.pop("cwd", self.root), stdin=subprocess.DEVNULL, **options).returncode
        except subprocess.TimeoutExpired:
            print(f"{command[0]} took longer than {options.get('timeout')} s and was ended", flush=True)
            return 124

    def configure(self, preset: str) -> bool:
        made = self.root / "build" / preset / "build.ninja"
        if made.exists() and made.stat().st_mtime > (self.root / "CMakePresets.json").stat().st_mtime:
            return True
        done = subprocess.run(["cmake", "--preset", preset], cwd=self.root, capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stdout[-2000:] + done.stderr[-4000:], flush=True)
        return done.returncode == 0

    def build(self, preset: str, *targets) -> bool:
        return self.configure(preset) and self.run("ninja", "-C", self.root / "build" / preset, "--quiet", *targets) == 0

    def ctest(self, preset: str, label: str, *, exclude: str = "", exclude_names: str = "", under: tuple = (), jobs: int = 2,
              environment: dict | None = None) -> Counts:
        folder = self.root / "build" / preset
        result = folder / f"junit-{label}.xml"
        result.unlink(missing_ok=True)
        command = [*under, "ctest", "--test-dir", folder, "-j", jobs, "--output-on-failure", "--no-tests=ignore", "--output-junit", result, "-L", f"^{label}$"]
        if exclude:
            command += ["-LE", exclude]
        if exclude_names:
            command += ["-E", exclude_names]
        # Full counts are for the optimised build: the sanitizers would take hours for what is the same code over and over.
        full_counts = {"TAFFRAIL_FULL": "1"} if self.full and preset == "ci" else {}
        running = subprocess.Popen([str(part) for part in command], cwd=self.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, errors="replace", env={**os.environ, **full_counts, **(environment or {})})
        at_once.ctest_failures(running.stdout)
        status = running.wait()
        if not result.exists() and status == 0:
            return Counts()  # no test carries the label
        counts = from_junit(result, f"{preset}/{label}")
        self.ran += counts.names
        return counts

    def pytest(self, family: str, folder: str, *options: str, environment: dict | None = None) -> Counts:
        result = self.root / "build" / f"junit-{folder.replace('/', '-')}.xml"
        result.parent.mkdir(exist_ok=True)
        result.unlink(missing_ok=True)
        python = peers.python_of(family)
        self.run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "at_once", f"--junitxml={result}", folder, *options,
                 env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), **peers.environment_of(family), **(environment or {})})
        counts = from_junit(result, folder)
        self.ran += counts.names
        return counts

    def write_ran_tests(self) -> None:
        """Names of the tests that passed, for the capability table."""
        path = self.root / "build" / "tests-ran.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(sorted(set(self.ran)), indent=0))
