"""What every suite needs: builds, native programs, peers in their own virtual environments, medians."""

import ctypes
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# One environment per peer family, so that their requirements cannot clash. Their folders lie beside those of the tests' peers
# (scripts/testing/peers.py), which install under names of their own: no name may stand in both lists.
ENVIRONMENTS = {
    "bench": ["wandb", "tensorboardX", "mlflow", "comet_ml", "neptune-scale", "tensorboard", "tensorboard-data-server", "numpy"],
    "bench_aim": ["aim", "numpy", "setuptools<80"],
    "bench_trackio": ["trackio==0.43.0", "numpy"],
    "tracker_wandb": ["wandb==0.31.0", "numpy==2.4.6"],
}


class Context:
    def __init__(self, quick: bool = False, full: bool = False):
        self.quick, self.full = quick, full
        self.root = Path(__file__).resolve().parents[2]
        self.built = self.root / "build" / "ci"  # compiled as a release is, with the benchmarks
        self.cache = Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail"))

    def machine(self) -> str:
        model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                      if line.startswith("model name")), "unknown processor")
        return f"{model}, {os.cpu_count()} cores"

    def build(self, *targets: str) -> None:
        made = self.built / "build.ninja"
        if not made.exists() or made.stat().st_mtime < (self.root / "CMakePresets.json").stat().st_mtime:
            subprocess.run(["cmake", "--preset", self.built.name], cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", self.built, "--quiet", *targets], check=True)

    def native(self, program: str, *arguments: str, timeout: int = 600) -> dict:
        """Runs a program of the build that prints one JSON object per line; returns them merged by id."""
        done = subprocess.run([self.built / program, *arguments], capture_output=True, text=True, timeout=timeout)
        if done.returncode != 0:
            raise RuntimeError(f"{program} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
        rows = {}
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                rows[row["id"]] = row
        return rows

    def venv(self, name: str) -> Path:
        folder = self.cache / "venv" / name
        python, stamp = folder / "bin" / "python", folder / "requirements.txt"
        wanted = "\n".join(ENVIRONMENTS[name])
        if not python.exists() or not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *ENVIRONMENTS[name]], check=True)
            stamp.write_text(wanted)
        return python

    def peer(self, environment: str, script: str, count: int, timeout: int = 900) -> dict:
        """Runs a peer script in a fresh folder: CPU seconds of all its processes, orphans included, and the bytes it left."""
        return self.peer_with(self.venv(environment), script, count, timeout)

    def peer_with(self, python: Path, script: str, count: int, timeout: int = 900) -> dict:
        """The same with an interpreter of the caller's."""
        with tempfile.TemporaryDirectory(prefix="taffrail-bench-") as folder:
            adopt_orphans()
            before = children_cpu()
            done = subprocess.run([python, self.root / "bench" / "peers" / script, folder, str(count)], cwd=folder,
                                  capture_output=True, text=True, timeout=timeout, env={**os.environ, **QUIET, "HOME": folder})
            wait_for_orphans()
            if done.returncode != 0:
                raise RuntimeError(f"{script} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
            said = json.loads(done.stdout.strip().splitlines()[-1])
            size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
            return {"points": said["points"], "cpu_s": children_cpu() - before - said["prepared_cpu_s"], "bytes": size}

    def peer_per_point(self, environment: str, script: str, small: int, large: int) -> dict:
        """Cost of one more point: the slope between a small and a large load, so imports and start-up count for nobody."""
        return self.per_point_with(self.venv(environment), script, small, large)

    def per_point_with(self, python: Path, script: str, small: int, large: int) -> dict:
        """The same with an interpreter of the caller's."""
        low, high = self.peer_with(python, script, small), self.peer_with(python, script, large)
        points = high["points"] - low["points"]
        size = (high["bytes"] - low["bytes"]) / points
        # A store that compacts itself may shrink while it fills; then what it holds in the end is what a point takes.
        in_the_end = high["bytes"] / high["points"]
        return {"cpu_us": (high["cpu_s"] - low["cpu_s"]) / points * 1e6, "bytes": size if size > 1 else in_the_end, "bytes_in_the_end": in_the_end}

    @staticmethod
    def median(values) -> float:
        return statistics.median(values)


def adopt_orphans() -> None:
    """Helper processes that outlive a peer's main program become ours, so that their CPU is counted."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def wait_for_orphans(seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.05)
        except ChildProcessError:
            return


def children_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# Peers must neither reach the network nor talk: both would be counted as their cost.
QUIET = {
    "WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_CONSOLE": "off", "WANDB_DISABLE_GIT": "true", "WANDB_DISABLE_CODE": "true",
    "COMET_DISABLE_AUTO_LOGGING": "1", "COMET_LOGGING_CONSOLE": "ERROR", "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "1",
    "NEPTUNE_DISABLE_TELEMETRY": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONWARNINGS": "ignore",
}
