"""How long `pip install .` takes somebody who has a bare Debian, the packages of `scripts/dependencies.sh build python` and no compiler cache; and whether
what it installed works."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CORES = 2


def package_index() -> dict[str, str]:
    """How pip reaches its packages from this machine."""
    known = {name: value for name, value in os.environ.items() if name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT")}
    return {**known, "PIP_CERT": "/run/certificates.crt"} if os.environ.get("SSL_CERT_FILE") else known


def root_with_packages(someone, mounts: dict[str, Path]) -> Path:
    import debian_root
    from newcomer import SOURCES

    listing = (someone.home / "taffrail/scripts/dependencies.sh").read_bytes()
    folder = someone.cache / f"pip-install-{hashlib.sha256(listing).hexdigest()[:12]}"
    if not folder.exists():
        for old in someone.cache.glob("pip-install-*"):
            debian_root.remove(old)
        part = folder.with_suffix(".part")
        debian_root.unpack(debian_root.bare_root(someone.cache), part)
        if debian_root.enter(part, f"cd {SOURCES} && ./scripts/dependencies.sh build python", mounts=mounts) != 0:
            raise RuntimeError("scripts/dependencies.sh build python failed in a minimal Debian root")
        part.rename(folder)
    return folder


def pip_install_row(context) -> dict:
    """Minutes of the two lines of docs/python/install.md on two cores, pip's own downloads with them. The packages of the page lie in their cache."""
    sys.path.insert(0, str(context.root / "scripts" / "testing"))
    import debian_root
    from newcomer import HOME, SOURCES, Newcomer, code_block

    row = {"id": "door.pip_install_min", "value": None, "unit": "min"}
    try:
        scratch = context.root / "build" / "pip-install"
        someone = Newcomer(context.root, context.cache, scratch)
        compiled = scratch / "compiler-cache"
        compiled.mkdir()
        mounts = someone.mounts(compiled)
        folder = root_with_packages(someone, mounts)
        (someone.home / "first.py").write_text(code_block(context.root / "README.md", "python", "Ten lines"))
        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))[:CORES]))

        def inside(script: str) -> None:
            command = debian_root.command_in(folder, script, mounts=mounts, environment=package_index(), read_only=True)
            going = subprocess.Popen(["taskset", "-c", cores, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
            try:
                said, _ = going.communicate(timeout=7200)
            finally:
                if going.poll() is None:
                    os.killpg(going.pid, signal.SIGKILL)
            if going.returncode != 0:
                raise RuntimeError(f"{script}: {said.strip()[-600:]}")

        began = time.monotonic()
        inside(f"cd {SOURCES} && python3 -m venv {HOME}/env && . {HOME}/env/bin/activate && pip install --quiet .")
        row["value"] = (time.monotonic() - began) / 60
        inside(f"cd {HOME} && . env/bin/activate && python first.py && taffrail ls taffrail | grep -q first")
        if os.getloadavg()[1] > CORES + 2:
            row["reason"] = f"the machine was busy: a load of {os.getloadavg()[1]:.0f} on {os.cpu_count()} cores"
        debian_root.remove(scratch)  # after a failure it stays, to be looked at
    except (debian_root.NoRoot, RuntimeError) as reason:
        row |= {"value": None, "reason": str(reason)}
    return row
