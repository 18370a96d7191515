"""What a job works with: builds, test runners, and the names of the tests that passed."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

import at_once
import peers
from counting import Counts, from_junit


@dataclass
class Used:
    """Processor time of a job's commands and of what they started."""

    seconds: float = 0.0


@dataclass
class Context:
    root: Path
    full: bool = False
    ran: list = field(default_factory=list)
    log: IO | None = None  # where commands write; None: where the runner does
    shown: int = field(default_factory=lambda: os.dup(1))  # where failed tests are named, past the log
    used: Used = field(default_factory=Used)
    processes: set = field(default_factory=set)  # of all jobs
    ending: threading.Event = field(default_factory=threading.Event)

    def of_job(self, log: IO) -> "Context":
        return replace(self, log=log, used=Used())

    def say(self, text: str) -> None:
        print(text, file=self.log, flush=True)

    def said(self) -> str:
        """What this job's commands have written."""
        return Path(self.log.name).read_text(errors="replace") if self.log else ""

    def start(self, *command, **options) -> subprocess.Popen:
        options = {"cwd": self.root, "stdin": subprocess.DEVNULL, "stdout": self.log, "stderr": subprocess.STDOUT if self.log else None, **options}
        process = subprocess.Popen([str(part) for part in command], **options)
        self.processes.add(process.pid)
        if self.ending.is_set():
            os.kill(process.pid, signal.SIGTERM)
        return process

    def wait(self, process: subprocess.Popen, timeout: float | None = None) -> int:
        """The exit status, 124 past its time."""
        late = threading.Event()

        def end() -> None:
            late.set()
            os.kill(process.pid, signal.SIGKILL)  # it is not reaped before the timer is cancelled, so the number is still its own

        timer = threading.Timer(timeout or 0, end)
        timer.daemon = True
        if timeout:
            timer.start()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        if timeout:
            timer.cancel()
            timer.join()
        self.processes.discard(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.used.seconds += usage.ru_utime + usage.ru_stime
        if late.is_set():
            self.say(f"{process.args[0]} took longer than {timeout} s and was ended")
            return 124
        return process.returncode

    def run(self, *command, timeout: float | None = None, **options) -> int:
        """Runs a command; returns its exit status, 124 past its time."""
        return self.wait(self.start(*command, **options), timeout)

    def end_all(self) -> None:
        """Ends what runs, of all jobs; nothing starts any more."""
        self.ending.set()
        for process in list(self.processes):
            try:
                os.kill(process, signal.SIGTERM)
            except ProcessLookupError:
                pass

    def configure(self, preset: str, *under: str) -> bool:
        made = self.root / "build" / preset / "build.ninja"
        if made.exists() and made.stat().st_mtime > (self.root / "CMakePresets.json").stat().st_mtime:
            return True
        said = self.root / "build" / f"configure-{preset}.log"
        said.parent.mkdir(exist_ok=True)
        with said.open("w") as log:
            done = self.run(*under, "cmake", "--preset", preset, stdout=log)
        if done != 0:
            self.say(said.read_text(errors="replace")[-6000:])
        return done == 0

    def build(self, preset: str, *targets, priority: int = 0) -> bool:
        under = ("nice", "-n", str(priority)) if priority else ()
        return self.configure(preset, *under) and self.run(*under, "ninja", "-C", self.root / "build" / preset, "-j", os.cpu_count(), "--quiet", *targets) == 0

    def ctest(self, preset: str, label: str, *, exclude: str = "", exclude_names: str = "", under: tuple = (), part: tuple[int, int] = (1, 1),
              environment: dict | None = None) -> Counts:
        """One test at a time. `part` (i, n): every n-th of them, beginning with the i-th."""
        folder = self.root / "build" / preset
        result = folder / f"junit-{label}-{part[0]}.xml"
        result.unlink(missing_ok=True)
        command = [*under, "ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=ignore", "--output-junit", result, "-L", f"^{label}$"]
        if part[1] > 1:
            command += ["-I", f"{part[0]},,{part[1]}"]
        if exclude:
            command += ["-LE", exclude]
        if exclude_names:
            command += ["-E", exclude_names]
        # Full counts are for the optimised build: the sanitizers would take hours for what is the same code over and over.
        full_counts = {"TAFFRAIL_FULL": "1"} if self.full and preset == "ci" else {}
        # The short run tries the same inputs each time, so that it turns red by a change and not by luck; the long one takes new ones.
        same_inputs = {} if self.full or "RC_PARAMS" in os.environ else {"RC_PARAMS": "seed=1"}
        running = self.start(*command, stdout=subprocess.PIPE, text=True, errors="replace", env={**os.environ, **full_counts, **same_inputs, **(environment or {})})
        at_once.ctest_failures(running.stdout)
        status = self.wait(running)
        if not result.exists() and status == 0:
            return Counts()  # no test carries the label
        counts = from_junit(result, f"{preset}/{label}")
        self.ran += counts.names
        return counts

    def pytest(self, family: str, folder: str, *options: str, name: str = "", environment: dict | None = None) -> Counts:
        """`name` tells apart what runs from one folder."""
        result = self.root / "build" / f"junit-{folder.replace('/', '-')}{name and '-' + name}.xml"
        result.parent.mkdir(exist_ok=True)
        result.unlink(missing_ok=True)
        if not self.install_peers(family):
            return Counts(failed=1, failures=[f"{folder}: the peers '{family}' could not be installed"])
        self.run(peers.interpreter(family), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "at_once", f"--junitxml={result}", folder, *options,
                 pass_fds=(self.shown,), env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), at_once.VARIABLE: str(self.shown),
                                              **peers.environment_of(family), **(environment or {})})
        counts = from_junit(result, folder)
        self.ran += counts.names
        return counts

    def install_peers(self, family: str) -> bool:
        return peers.installed(family) or self.run(sys.executable, Path(peers.__file__), family) == 0

    def write_ran_tests(self) -> None:
        """Names of the tests that passed, for the capability table."""
        path = self.root / "build" / "tests-ran.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(sorted(set(self.ran)), indent=0))
