"""Runs in notebooks: what a cell shows, and the dashboard in a frame."""

from __future__ import annotations

import atexit
import html
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from taffrail._run import Run

MOST_ROWS = 20  # of values under a run
_servers: dict[str, tuple[subprocess.Popen[str], str]] = {}


def command() -> str:
    """The taffrail command of this environment."""
    beside = Path(sys.executable).with_name("taffrail")
    found = str(beside) if beside.exists() else shutil.which("taffrail")
    if found is None:
        raise FileNotFoundError("the command taffrail is not in this environment; `pip install` puts it beside python")
    return found


def serve(root: str) -> str:
    """The address of a dashboard on that folder; one for each folder, ended with the program."""
    known = _servers.get(root)
    if known is not None and known[0].poll() is None:
        return known[1]
    server = subprocess.Popen([command(), "ui", root, "--port", "0", "--json", "--no-open"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = str(json.loads(server.stdout.readline())["address"])
    _servers[root] = (server, address)
    atexit.register(_end, server)
    return address


def _end(server: subprocess.Popen[str]) -> None:
    server.terminate()
    server.wait(10)
    if server.stdout is not None:
        server.stdout.close()


class Frame:
    """An inline frame of the dashboard."""

    def __init__(self, address: str, height: int) -> None:
        self.address, self.height = address, height

    def __repr__(self) -> str:
        return f"<taffrail dashboard at {self.address}>"

    def _repr_html_(self) -> str:
        return f'<iframe src="{html.escape(self.address, quote=True)}" width="100%" height="{self.height}" style="border:0"></iframe>'


def show(run: Run | None = None, *, root: str = "", height: int = 640) -> Frame:
    """The dashboard in the notebook: on the folder that holds the run, or on `root`."""
    from taffrail._run import _must_run

    if not root:
        root = str(Path((run or _must_run()).folder).parent.parent)
    return Frame(serve(root), height)


def summary_html(run: Run) -> str:
    """What a cell that ends with a run shows: its summary, and what was logged last."""
    state = "off" if not run.active else "finished" if run.finished else "running"
    values: dict[str, tuple[str, str]] = {str(name): (str(value), "") for name, value in run.summary.items()}
    for key, value, step in run._last_values():
        if key not in values and len(values) < MOST_ROWS:
            values[key] = f"{value:.6g}", "" if step is None else f"step {step}"
    rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(value)}</td><td>{step}</td></tr>" for name, (value, step) in values.items())
    return f"<b>{html.escape(run.name)}</b> ({state})<br><code>{html.escape(run.folder)}</code><table>{rows}</table>"
