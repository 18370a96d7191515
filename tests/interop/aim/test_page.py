"""Aim's own page in a browser, on a repository of ours."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from conftest import write


def test_page_draws_our_curves(tmp_path):
    repository = write("all", tmp_path)
    (run,) = (path.name for path in (repository / ".aim/meta/chunks").iterdir())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    programs = Path(sys.executable).parent  # it starts others of its own
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path), "AIM_UI_TELEMETRY_ENABLED": "0", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    with (tmp_path / "up.log").open("w") as log:
        server = subprocess.Popen([programs / "aim", "up", "--repo", str(repository), "--host", "127.0.0.1", "--port", address.rpartition(":")[2]], env=environment, stdout=log, stderr=log,
                                  stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        until = time.monotonic() + 300
        while True:
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address + "/api/projects", timeout=5):
                    break
            except OSError:
                assert server.poll() is None and time.monotonic() < until, (tmp_path / "up.log").read_text()
                time.sleep(0.2)
        page = [Path(__file__).with_name("page.mjs"), f"{address}/runs/{run}/metrics", tmp_path / "page.png"]
        done = subprocess.run(["node", *page], timeout=600, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["curves"] >= 2, said
        assert "nice" in said["text"] and "Finished" in said["text"] and "acc" in said["text"]
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
