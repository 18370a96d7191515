"""What somebody who has a bare Debian and this repository does first, in a root that has nothing else.

The packages come from scripts/dependencies.sh alone, so a name that is missing there breaks this. The root with the packages is
kept from one run to the next as long as that list stays the same; the sources are a fresh copy each time.
"""

import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import debian_root

HOME = "/root"
SOURCES = f"{HOME}/taffrail"


def without_package(listing: str, package: str) -> str:
    """The text of dependencies.sh with one package taken out; a name it does not have is an error."""
    if f"missing+=({package})" in listing:  # what may come from elsewhere
        return listing.replace(f"missing+=({package})", "true")
    sets, rest = listing.split("\n)\n", 1)
    taken, count = re.subn(rf"(?<=[\s\"]){re.escape(package)}(?=[\s\"])", "", sets)
    if count == 0:
        raise ValueError(f"scripts/dependencies.sh does not list '{package}'")
    return f"{taken}\n)\n{rest}"


def copy_sources(root: Path, to: Path) -> None:
    """What a clone holds: nothing that was built."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        source = root / name
        if name and source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to / name)


def code_block(page: Path, language: str, heading: str, number: int = 0) -> str:
    """A block of a document, so that what is tried is what is written there."""
    text = page.read_text()
    assert f"## {heading}\n" in text, f"{page.name} has no part '{heading}'"
    part = "\n" + re.split(r"^## ", text.split(f"## {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]
    fences = part.split("\n```")  # what stands between a fence that opens and one that closes is every second piece
    blocks = [piece.split("\n", 1)[1] + "\n" for piece in fences[1::2] if piece.split("\n", 1)[0] == language]
    assert len(blocks) > number, f"{page.name}: '{heading}' has no {language or 'plain'} block {number}"
    return blocks[number]


class Newcomer:
    def __init__(self, root: Path, cache: Path, scratch: Path, without: str = ""):
        self.root, self.cache, self.scratch, self.home = root, cache / "newcomer", scratch, scratch / "home"
        self.without = without
        debian_root.check_machine()
        debian_root.remove(scratch)
        for folder in (self.home, self.cache / "debs" / "partial", self.cache / "page-packages"):
            folder.mkdir(parents=True, exist_ok=True)
        copy_sources(root, self.home / "taffrail")
        if without:
            listing = self.home / "taffrail/scripts/dependencies.sh"
            listing.write_text(without_package(listing.read_text(), without))

    def mounts(self, compiler_cache: Path) -> dict[str, Path]:
        for inside in (".cache/taffrail/page-packages", ".cache/ccache"):
            (self.home / inside).mkdir(parents=True, exist_ok=True)
        return {HOME: self.home, "/var/cache/apt/archives": self.cache / "debs", 
                f"{HOME}/.cache/taffrail/page-packages": self.cache / "page-packages", f"{HOME}/.cache/ccache": compiler_cache}

    def with_packages(self, compiler_cache: Path) -> Path:
        """A root in which `scripts/dependencies.sh build` ran, and nothing else."""
        listing = (self.home / "taffrail/scripts/dependencies.sh").read_bytes()
        place = self.scratch if self.without else self.cache
        folder = place / f"packages-{hashlib.sha256(listing).hexdigest()[:12]}"
        if folder.exists():
            return folder
        for old in place.glob("packages-*"):
            debian_root.remove(old)
        part = folder.with_suffix(".part")
        debian_root.unpack(debian_root.bare_root(self.cache), part)
        if debian_root.enter(part, f"cd {SOURCES} && ./scripts/dependencies.sh build", mounts=self.mounts(compiler_cache)) != 0:
            raise RuntimeError("scripts/dependencies.sh build failed in a minimal Debian root")
        part.rename(folder)
        return folder

    def steps(self) -> list[tuple[str, str]]:
        """What is done, by name: the README's command, the page, the ten lines and the first commands of the guide."""
        guide, readme = self.root / "docs/guide/getting-started.md", self.root / "README.md"
        library = code_block(guide, "", "Log from your own program")
        link = code_block(guide, "cmake", "Log from your own program")
        project = "cmake_minimum_required(VERSION 3.25)\nproject(mine CXX)\n" + "".join(
            f"add_executable({name} {name}.cpp)\n" + link.replace("(train ", f"({name} ") for name in ("train", "ten"))
        mine = self.home / "mine"
        mine.mkdir(exist_ok=True)
        (mine / "CMakeLists.txt").write_text(project)
        (mine / "train.cpp").write_text(code_block(guide, "cpp", "Log from your own program"))
        (mine / "ten.cpp").write_text(code_block(readme, "cpp", "Ten lines"))
        (self.home / "page.py").write_text(PAGE)
        shown = code_block(guide, "", "Look at it") + code_block(readme, "", "Ten lines")
        look = [line.split("  #")[0].strip() for line in shown.splitlines() if not line.startswith("taffrail ui")]
        path = f"export PATH={SOURCES}/build/release/bin:$PATH"
        return [
            ("./scripts/demo --exit", f"cd {SOURCES} && ./scripts/demo --exit"),
            ("a page of the dashboard", f"cd {SOURCES} && python3 {HOME}/page.py"),
            ("the library, installed", f"cd {SOURCES} && {library}"),
            ("ten lines against it", f"cd {HOME}/mine && cmake -G Ninja -B build -DCMAKE_PREFIX_PATH={HOME}/taffrail-library && cmake --build build && ./build/ten && ./build/train"),
            ("the first commands of the guide", f"{path}; cd {HOME}/mine\n" + "\n".join(f"echo {shlex.quote('$ ' + line)}; timeout 60 {line} | tail -n 8" for line in look)),
        ]

    def failures(self, compiler_cache: Path) -> list[str]:
        """Names of the steps that did not work; the steps after one are not tried."""
        folder = self.with_packages(compiler_cache)
        for name, script in self.steps():
            print(f"newcomer: {name}", flush=True)
            if debian_root.enter(folder, script, mounts=self.mounts(compiler_cache), read_only=True) != 0:
                return [name]
        debian_root.remove(self.scratch)  # after a failure it stays, to be looked at
        return []


# Starts the dashboard as the demo's last lines say, and looks at what it serves.
PAGE = r'''
import json, subprocess, urllib.request
server = subprocess.Popen(["build/release/bin/taffrail", "ui", "build/demo", "--port", "0", "--json"], stdout=subprocess.PIPE, text=True)
try:
    address = json.loads(server.stdout.readline())["address"]
    page = urllib.request.urlopen(address, timeout=60).read().decode()
    assert "<title>" in page and "<script" in page, page[:500]
    projects = urllib.request.urlopen(address + "api/v1/projects", timeout=60).read().decode()
    assert '"digits"' in projects and '"vae"' in projects, projects
    print("served", len(page), "bytes at", address)
finally:
    server.terminate()
    server.wait()
'''


def failed(root: Path, how_far: str = "steps") -> list[str]:
    """What did not work. `root` makes the root and its packages and stops there."""
    cache = Path(os.environ.get("TAFFRAIL_CACHE", Path.home() / ".cache" / "taffrail"))
    # Names a package that scripts/dependencies.sh then lacks: to see this stage fail.
    without = os.environ.get("TAFFRAIL_NEWCOMER_WITHOUT", "")
    compiled = Path(subprocess.run(["ccache", "--get-config", "cache_dir"], capture_output=True, text=True, check=True).stdout.strip())
    try:
        someone = Newcomer(root, cache, root / "build" / "newcomer", without)
        if how_far == "steps":
            return someone.failures(compiled)
        someone.with_packages(compiled)
        return []
    except (debian_root.NoRoot, RuntimeError) as reason:
        return [str(reason)]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and with it what runs in the root
    lacking = failed(Path(__file__).resolve().parents[2], sys.argv[1])
    for line in lacking:
        print(f"newcomer: {line} failed")
    sys.exit(1 if lacking else 0)
