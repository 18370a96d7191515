"""Somebody who is given the wheel: a minimal Debian root with python3-venv and nothing else, neither a compiler nor a library of ours.

The wheel of Debian's Python is installed into a fresh environment, the lines of the README run, and the dashboard that came with the wheel shows
their run. The root is kept from one run to the next.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

import debian_root
from newcomer import code_block

PACKAGES = "python3-venv"
HOME = "/root"

# The dashboard of the wheel, asked for what the five lines left.
LOOK = r'''
import json, subprocess, urllib.request
server = subprocess.Popen(["taffrail", "ui", "taffrail", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
try:
    address = json.loads(server.stdout.readline())["address"]
    page = urllib.request.urlopen(address, timeout=60).read().decode()
    assert "<title>" in page and "<script" in page, page[:500]
    projects = urllib.request.urlopen(address + "api/v1/projects", timeout=60).read().decode()
    assert '"digits"' in projects, projects
    print("served", len(page), "bytes and", projects[:200])
finally:
    server.terminate()
    server.wait()
'''


def root_with_python(cache: Path) -> Path:
    folder = cache / f"python-{PACKAGES}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        debian_root.unpack(debian_root.bare_root(cache), part)
        (cache / "debs" / "partial").mkdir(parents=True, exist_ok=True)
        install = f"export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && apt-get install -y -qq --no-install-recommends {PACKAGES} >/dev/null"
        if debian_root.enter(part, install, mounts={"/var/cache/apt/archives": cache / "debs"}) != 0:
            raise RuntimeError(f"{PACKAGES} could not be installed in a minimal Debian root")
        part.rename(folder)
    return folder


def steps(root: Path, wheel: Path, home: Path) -> list[tuple[str, str]]:
    shutil.copy2(wheel, home / wheel.name)
    (home / "first.py").write_text(code_block(root / "README.md", "python", "Ten lines"))
    (home / "look.py").write_text(LOOK)
    return [
        ("pip install of the wheel", f"cd {HOME} && python3 -m venv env && env/bin/pip install --quiet --disable-pip-version-check --no-index ./{wheel.name}"),
        ("the five lines", f"cd {HOME} && env/bin/python first.py && env/bin/taffrail ls taffrail && env/bin/taffrail ls taffrail | grep -q first"),
        ("their run in the dashboard", f"cd {HOME} && PATH={HOME}/env/bin:$PATH env/bin/python look.py"),
    ]


def failures(root: Path, wheel: Path) -> list[str]:
    """Names of the steps that did not work; the steps after one are not tried."""
    cache = Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail")) / "newcomer"
    scratch = root / "build" / "newcomer-wheel"
    try:
        debian_root.check_machine()
        debian_root.remove(scratch)
        home = scratch / "home"
        home.mkdir(parents=True)
        folder = root_with_python(cache)
        for name, script in steps(root, wheel, home):
            print(f"newcomer: {name}", flush=True)
            if debian_root.enter(folder, script, mounts={HOME: home}, read_only=True) != 0:
                return [name]
    except (debian_root.NoRoot, RuntimeError) as reason:
        return [str(reason)]
    debian_root.remove(scratch)  # after a failure it stays, to be looked at
    return []


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and with it what runs in the root
    lacking = failures(Path(__file__).resolve().parents[2], Path(sys.argv[1]))
    for line in lacking:
        print(f"newcomer: {line} failed")
    sys.exit(1 if lacking else 0)
