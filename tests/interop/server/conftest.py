"""A real `taffrail ui` on generated runs, on loopback, ended with the tests."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TAFFRAIL = Path(os.environ.get("TAFFRAIL_BUILD", ROOT / "build" / "ci")) / "bin" / "taffrail"


class Ui:
    def __init__(self, folder, state, *options):
        self.process = subprocess.Popen([TAFFRAIL, "ui", folder, "--port", "0", "--no-open", "--json", "--state-dir", state, *options],
                                        stdout=subprocess.PIPE, text=True)
        self.base = json.loads(self.process.stdout.readline())["address"]
        self.api = self.base + "api/v1/"

    def close(self):
        self.process.terminate()
        assert self.process.wait(timeout=60) == 0, "taffrail ui must end cleanly on SIGTERM"


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    subprocess.run([TAFFRAIL, "demo", "generate", "--runs", "6", "--points", "3000", "--seed", "3", "--root", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def ui(runs, tmp_path_factory):
    server = Ui(runs, tmp_path_factory.mktemp("state"))
    yield server
    server.close()


@pytest.fixture(scope="session")
def read_only_ui(runs, tmp_path_factory):
    server = Ui(runs, tmp_path_factory.mktemp("state"), "--read-only")
    yield server
    server.close()
