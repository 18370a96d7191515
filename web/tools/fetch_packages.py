"""fetch_packages.py WEB: the packages that bundling the page needs, as package-lock.json names them, where there is no npm.

Debian's npm brings 335 packages along for the few that are wanted here. What is fetched must have the checksum of the lock file.
Packages of other systems and those that only tests need (`devDependencies`) are left out.
"""

import base64
import hashlib
import io
import json
import os
import platform
import re
import shutil
import sys
import tarfile
import urllib.request
from pathlib import Path, PurePosixPath

CPU = {"x86_64": "x64", "aarch64": "arm64"}[platform.machine()]


def wanted(lock: dict) -> dict[str, dict]:
    """Name -> entry of the lock file."""
    chosen = {}
    for place, entry in lock["packages"].items():
        name = place.removeprefix("node_modules/")
        if place and not entry.get("dev") and CPU in entry.get("cpu", [CPU]) and "linux" in entry.get("os", ["linux"]):
            chosen[name] = entry
    return chosen


def registry() -> str:
    said = os.environ.get("npm_config_registry", "")
    for path in (Path.home() / ".npmrc",) if not said else ():
        if path.exists() and (line := re.search(r"^registry\s*=\s*(\S+)", path.read_text(), re.M)):
            said = line[1]
    return (said or "https://registry.npmjs.org").rstrip("/")


def right(content: bytes, entry: dict) -> bool:
    kind, checksum = entry["integrity"].split("-", 1)
    return kind == "sha512" and hashlib.sha512(content).digest() == base64.b64decode(checksum)


def fetch(name: str, entry: dict, cache: Path) -> bytes:
    kept = cache / f"{name.replace('/', '-')}-{entry['version']}.tgz"
    if kept.exists() and right(kept.read_bytes(), entry):
        return kept.read_bytes()
    address = f"{registry()}/{name}/-/{name.split('/')[-1]}-{entry['version']}.tgz"
    try:
        content = urllib.request.urlopen(address, timeout=120).read()
    except OSError as error:
        sys.exit(f"the page needs {name} {entry['version']}, and {address} cannot be fetched: {error}. "
                 "Set npm_config_registry to a registry that can be reached, install npm, or build without the page: -DTAFFRAIL_UI=OFF.")
    if not right(content, entry):
        sys.exit(f"{address} has another checksum than web/package-lock.json says: it is not used")
    cache.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}")
    part.write_bytes(content)
    part.rename(kept)
    return content


def unpack(content: bytes, folder: Path) -> None:
    """Files alone, inside the folder alone."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            parts = PurePosixPath(member.name).parts[1:]
            if not member.isfile() or not parts or ".." in parts:
                continue
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.extractfile(member).read())
            target.chmod(0o755 if member.mode & 0o100 else 0o644)


def main(web: Path) -> None:
    cache = Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail")) / "page-packages"
    shutil.rmtree(web / "node_modules", ignore_errors=True)
    for name, entry in wanted(json.loads((web / "package-lock.json").read_text())).items():
        unpack(fetch(name, entry, cache), web / "node_modules" / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
