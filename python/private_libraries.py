"""Copies the libraries that a program or module needs beside it, under names with a hash, and makes it use those.

    private_libraries.py PATCHELF FILE FOLDER

What every Linux has by the manylinux rules stays where it is. A renamed copy cannot be taken for, and cannot replace, the library of
that name which another package of the process brings.
"""

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

OF_EVERY_LINUX = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libresolv|ld-linux-x86-64|ld-linux-aarch64|libz)\.so\.[0-9]+")


def needed(patchelf: str, file: Path) -> list[str]:
    said = subprocess.run([patchelf, "--print-needed", file], capture_output=True, text=True, check=True).stdout
    return [name for name in said.split() if not OF_EVERY_LINUX.fullmatch(name)]


def places(file: Path) -> dict[str, Path]:
    """Where the loader finds what a file needs."""
    said = subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout
    return {match[1]: Path(match[2]).resolve() for match in re.finditer(r"(\S+) => (/\S+)", said)}


def private_name(library: Path, soname: str) -> str:
    stem, _, rest = soname.partition(".so")
    return f"{stem}-{hashlib.sha256(library.read_bytes()).hexdigest()[:8]}.so{rest}"


def make_private(patchelf: str, file: Path, folder: Path) -> None:
    found, waiting, done = places(file), [file], {}
    while waiting:
        user = waiting.pop()
        for soname in needed(patchelf, user):
            if soname not in done:
                done[soname] = private_name(found[soname], soname)
                folder.mkdir(parents=True, exist_ok=True)
                copy = folder / done[soname]
                shutil.copyfile(found[soname], copy)
                copy.chmod(0o755)
                subprocess.run([patchelf, "--set-soname", done[soname], "--set-rpath", "$ORIGIN", copy], check=True)
                waiting.append(copy)
            subprocess.run([patchelf, "--replace-needed", soname, done[soname], user], check=True)


if __name__ == "__main__":
    make_private(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
