"""A real tracking server on loopback, its own client, and what the tests start.

TAFFRAIL_BUILD names the build folder (default: build/ci).
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def build_folder() -> Path:
    return Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci"))


def environment() -> dict:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MLFLOW_") and "proxy" not in name.lower()}
    # The server would start seven programs beside it for evaluations that nobody asks for, each with all of MLflow loaded.
    return {**kept, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true", "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}


def write(scenario: str, root: Path, uri: str, **options) -> subprocess.CompletedProcess:
    root.mkdir(exist_ok=True)
    program = build_folder() / "tests/interop/mlflow/mlflow_write"
    return subprocess.run([program, scenario, root, uri], timeout=300, capture_output=True, text=True, env=environment(), **options)


def taffrail(*arguments, status: int = 0, **variables) -> str:
    program = build_folder() / "bin/taffrail"
    done = subprocess.run([program, *map(str, arguments)], timeout=300, capture_output=True, text=True, env={**environment(), **variables})
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


class Server:
    """`mlflow server` on an SQLite file; can die and come back at the same address."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    @property
    def database(self) -> Path:
        return self.folder / "mlflow.db"

    def start(self) -> None:
        command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{self.database}", "--artifacts-destination", str(self.folder / "artifacts"),
                   "--host", "127.0.0.1", "--port", str(self.port), "--workers", "1"]
        with (self.folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(), start_new_session=True, cwd=self.folder)
        until = time.monotonic() + 300
        while time.monotonic() < until:
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.url + "/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.2)
        raise TimeoutError((self.folder / "server.log").read_text())

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    made = Server(tmp_path_factory.mktemp("mlflow"))
    made.start()
    yield made
    made.kill()


@pytest.fixture
def client(server):
    from mlflow import MlflowClient

    return MlflowClient(server.url)


def only_run(client, own_id: str):
    """The one run there with this id of ours."""
    experiments = [one.experiment_id for one in client.search_experiments()]
    found = client.search_runs(experiments, f"tags.`taffrail.run_id` = '{own_id}'")
    assert len(found) == 1, found
    return found[0]
