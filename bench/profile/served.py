"""A profile behind `taffrail ui`, read and analysed, and the programs that measure its page in a browser."""

import json
import os
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent


class Served:
    def __init__(self, process):
        self.process = process
        self.url = json.loads(process.stdout.readline())["address"].split("#")[0]
        which = "profile?name=" + urllib.parse.quote(self.ask("profiles")["profiles"][0]["name"])
        begin = time.monotonic()
        while (state := self.ask(which))["state"] == "working":
            time.sleep(0.02)
        # Until it can be looked at; the analysis goes on. Its own time, so that neighbours do not count.
        self.took, self.worked = time.monotonic() - begin, self.processor_seconds()
        self.state = state
        if state["state"] != "ready":
            raise RuntimeError(state["message"])
        while self.ask(which)["phase"] != "done":
            time.sleep(0.05)

    def ask(self, path):
        return json.load(urllib.request.urlopen(f"{self.url}api/v1/{path}"))

    def processor_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) / 1024


@contextmanager
def served(context, profile):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/cache"}
        command = [context.built / "bin" / "taffrail", "ui", profile, "--port", "0", "--no-open", "--json", "--state-dir", f"{folder}/state"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            yield Served(process)
        finally:
            process.terminate()
            process.wait(timeout=20)


def in_browser(program, arguments):
    done = subprocess.run(["node", HERE / program, json.dumps(arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-400:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def row(name, value, unit):
    return {"id": name, "value": value, "unit": unit, "peer": None, "peer_value": None, "ratio": None, "reason": None}
