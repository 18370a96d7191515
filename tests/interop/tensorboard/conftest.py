"""Real TensorBoard on loopback, started with either of its loaders and read back over its HTTP API.

TAFFRAIL_BUILD names the build folder (default: build/ci, else build/quick). The tests run in an environment that
has tensorboard, tensorboardX, numpy, pillow and pytest.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LOADERS = {
    "rust": ["--load_fast=true"],
    "python": ["--load_fast=false", "--reload_task=blocking"],
}
LIMITS = "scalars=1000000,images=1000000,audio=1000000,histograms=1000000,text=1000000,mesh=1000000,pr_curves=1000000"


def build_folder() -> Path:
    if "TAFFRAIL_BUILD" in os.environ:
        return Path(os.environ["TAFFRAIL_BUILD"])
    tested = ROOT / "build" / "ci"
    return tested if (tested / "tests/interop/tensorboard/tensorboard_write").exists() else ROOT / "build" / "quick"


def program(name: str) -> str:
    path = build_folder() / "tests/interop/tensorboard" / name
    if not path.exists():
        pytest.fail(f"{path} is not built")
    return str(path)


def write(scenario: str, folder, *arguments) -> None:
    subprocess.run([program("tensorboard_write"), scenario, str(folder), *map(str, arguments)], check=True, timeout=120)


def dump(folder) -> dict:
    done = subprocess.run([program("tensorboard_dump"), str(folder)], check=True, timeout=120, capture_output=True)
    return json.loads(done.stdout)


class TensorBoard:
    """One TensorBoard process; ends with the test."""

    def __init__(self, logdir, loader: str = "rust", *flags: str, environment: dict | None = None, spec: bool = False):
        command = [sys.executable, "-m", "tensorboard.main", "--logdir_spec" if spec else "--logdir", str(logdir),
                   "--host", "127.0.0.1", "--port", "0", "--samples_per_plugin", LIMITS, *LOADERS.get(loader, [])]
        if not any(flag.startswith("--reload_interval") for flag in flags):
            command += ["--reload_interval", "0"]
        self.process = subprocess.Popen([*command, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        self.log = []
        self.address = None
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r"at (http://[^ ]+)/ ", line)
            if found:
                self.address = found.group(1)
                break
        if self.address is None:
            raise RuntimeError("TensorBoard did not start:\n" + "".join(self.log))
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        for line in self.process.stderr:
            self.log.append(line)

    def fetch(self, path: str, data: bytes | None = None, headers: dict | None = None, **query):
        url = f"{self.address}/data/{path}"
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True)
        request = urllib.request.Request(url, data=data, headers=headers or {})
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.read(), reply.headers

    def get(self, path: str, **query):
        return json.loads(self.fetch(path, **query)[0])

    def post_json(self, path: str, body: dict):
        return json.loads(self.fetch(path, json.dumps(body).encode(), {"Content-Type": "application/json"})[0])

    def time_series(self, plugin: str, tag: str, **more):
        body = urllib.parse.urlencode({"requests": json.dumps([{"plugin": plugin, "tag": tag, **more}])}).encode()
        return json.loads(self.fetch("plugin/timeseries/timeSeries", body)[0])[0]["runToSeries"]

    def wait_for_runs(self, wanted: set, seconds: float = 30) -> set:
        end = time.monotonic() + seconds
        runs = set()
        while time.monotonic() < end:
            runs = set(self.get("runs"))
            if wanted <= runs:
                return runs
            time.sleep(0.2)
        raise AssertionError(f"runs {wanted - runs} did not appear; there are {runs}\n{''.join(self.log[-20:])}")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def start_tensorboard():
    started = []

    def start(*arguments, **options) -> TensorBoard:
        started.append(TensorBoard(*arguments, **options))
        return started[-1]

    yield start
    for tensorboard in started:
        tensorboard.close()


@pytest.fixture(scope="session")
def logdir(tmp_path_factory):
    """Everything our writer can write, once."""
    folder = tmp_path_factory.mktemp("logdir")
    write("all", folder)
    return folder


@pytest.fixture(scope="session")
def boards(logdir):
    """One TensorBoard a loader on the same folder."""
    started = {}
    for loader in LOADERS:
        started[loader] = TensorBoard(logdir, loader)
        started[loader].loader = loader
    for tensorboard in started.values():
        tensorboard.wait_for_runs({"media", "scalars/2", "hparams/a", "hparams/seed_1", "resume", "golden"})
    yield started
    for tensorboard in started.values():
        tensorboard.close()


@pytest.fixture(scope="session", params=list(LOADERS))
def board(request, boards):
    return boards[request.param]
