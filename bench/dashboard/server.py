"""Servers of the measurements: our own and TensorBoard's, on loopback ports the system chooses."""

import json
import re
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path


def tree_rss_mb(process_id):
    """Resident memory of a process and all its descendants."""
    total, waiting = 0, [process_id]
    while waiting:
        current = waiting.pop()
        try:
            status = Path(f"/proc/{current}/status").read_text()
            total += int(re.search(r"VmRSS:\s+(\d+)", status).group(1))
            for task in Path(f"/proc/{current}/task").iterdir():
                waiting += [int(child) for child in (task / "children").read_text().split()]
        except (OSError, AttributeError):
            continue
    return total / 1024


class Ours:
    """`taffrail ui` on a folder."""

    def __init__(self, context, folder, state):
        program = context.built / "bin" / "taffrail"
        self.process = subprocess.Popen([program, "ui", folder, "--port", "0", "--no-open", "--json", "--state-dir", state], stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["address"]
        self.port = urllib.parse.urlparse(self.url).port

    def projects(self):
        with urllib.request.urlopen(self.url + "api/v1/projects") as reply:
            return [project["name"] for project in json.load(reply)["projects"]]

    def rss_mb(self):
        return tree_rss_mb(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)


class TensorBoard:
    """PyPI's tensorboard with its defaults, once it has loaded every run."""

    def __init__(self, python, folder, runs):
        self.process = subprocess.Popen([python, "-m", "tensorboard.main", "--logdir", folder, "--port", "0", "--host", "127.0.0.1"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.url = None
        for line in self.process.stderr:
            if found := re.search(r"http://\S+?:\d+/", line):
                self.url = found.group(0)
                break
        if self.url is None:
            raise RuntimeError("tensorboard printed no address")
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and self._loaded() < runs:
            time.sleep(1)
        time.sleep(3)

    def _loaded(self):
        with urllib.request.urlopen(self.url + "data/plugin/timeseries/tags") as reply:
            return len(json.load(reply).get("scalars", {}).get("runTagInfo", {}))

    def rss_mb(self):
        return tree_rss_mb(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
