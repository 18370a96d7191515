"""The front door: how long ./scripts/demo and `pip install .` take on a bare Debian with an empty compiler cache, downloads apart.

The rows of ./scripts/test (cold, warm) are written by that script itself; this suite keeps them as it finds them.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench.door.pip_install import pip_install_row
from bench.door.rows import TARGETS, known_rows  # noqa: F401 - TARGETS is what the harness asks a suite for

CORES = 2


def demo_minutes(context) -> dict:
    """Minutes from the command to the dashboard's address, and of its parts, by the lines the demo prints."""
    sys.path.insert(0, str(context.root / "scripts" / "testing"))
    import debian_root
    from newcomer import SOURCES, Newcomer

    scratch = context.root / "build" / "door"
    someone = Newcomer(context.root, context.cache, scratch)
    compiled = scratch / "compiler-cache"
    compiled.mkdir()
    bare = scratch / "root"
    # Downloads apart: the Debian packages and those of the page lie in the caches before the clock starts.
    debian_root.unpack(debian_root.bare_root(someone.cache), bare)
    fill = f"cd {SOURCES} && bash -c 'apt-get() {{ [[ $* == *install* ]] && set -- \"$@\" --download-only; command apt-get \"$@\"; }}; export -f apt-get; ./scripts/dependencies.sh build'"
    if debian_root.enter(bare, fill, mounts=someone.mounts(compiled)) != 0:
        raise RuntimeError("the packages of scripts/dependencies.sh cannot be downloaded")
    with_packages = someone.with_packages(compiled)
    if debian_root.enter(with_packages, f"cp -r {SOURCES}/web /tmp/web && python3 /tmp/web/tools/fetch_packages.py /tmp/web", mounts=someone.mounts(compiled), read_only=True) != 0:
        raise RuntimeError("the packages of the page cannot be downloaded")

    marks, began = {}, time.monotonic()
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    demo = subprocess.Popen(["taskset", "-c", ",".join(map(str, cores)), *debian_root.command_in(bare, f"cd {SOURCES} && CI=false ./scripts/demo", mounts=someone.mounts(compiled))],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    said = []
    try:
        for line in demo.stdout:
            said.append(line)
            for name, beginning in (("build", "Building build/release"), ("built", "Built in"), ("address", "http://")):
                if line.startswith(beginning):
                    marks[name] = (time.monotonic() - began) / 60
            if "address" in marks:
                break
    finally:
        os.killpg(demo.pid, signal.SIGKILL)
        demo.wait()
        debian_root.remove(scratch)
    if "address" not in marks:
        raise RuntimeError("./scripts/demo ended without an address: " + "".join(said)[-2000:])
    return marks


def run(context) -> list:
    rows = known_rows(context.root)
    row = {"id": "door.demo_cold_min", "value": None, "unit": "min"}
    try:
        marks = demo_minutes(context)
        row |= {"value": marks["address"], "unit": f"min (packages {marks['build']:.1f}, build {marks['built'] - marks['build']:.1f})"}
        if os.getloadavg()[1] > CORES + 2:
            row["reason"] = f"the machine was busy: a load of {os.getloadavg()[1]:.0f} on {os.cpu_count()} cores"
    except RuntimeError as error:
        row["reason"] = str(error)
    measured = [row, pip_install_row(context)]
    return [*measured, *(one for name, one in rows.items() if name not in {row["id"] for row in measured})]
