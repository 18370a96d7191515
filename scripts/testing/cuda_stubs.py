"""Empty stand-ins for the CUDA libraries that torch links but a CPU program never calls: cuda_stubs.py TORCH_LIB OUT

Every symbol torch wants from a missing library becomes a function that returns an error code. Never use the result on a machine with a
GPU: it hides the real driver.
"""

import re
import subprocess
import sys
from pathlib import Path

CUDA = re.compile(r"lib(cu|nv|nccl)")


def readelf(flag: str, path: Path) -> str:
    return subprocess.run(["readelf", flag, "-W", str(path)], capture_output=True, text=True).stdout


class Needs:
    """What the libraries of a folder ask for and what they bring."""

    def __init__(self, folder: Path):
        self.libraries, self.defined, self.unversioned = set(), set(), set()
        self.symbols, self.version = {}, {}
        for path in folder.glob("lib*.so*"):
            self.read(path)

    def read(self, path: Path) -> None:
        self.libraries |= set(re.findall(r"NEEDED.*\[(.*?)\]", readelf("-d", path)))
        owner, current = {}, ""
        for line in readelf("-V", path).splitlines():
            if found := re.search(r"File: (\S+)", line):
                current = found[1]
            for version in re.findall(r"Name: (\S+)\s+Flags", line):
                owner[version] = current
        for fields in map(str.split, readelf("--dyn-syms", path).splitlines()):
            if len(fields) >= 8:
                self.add_symbol(fields, owner)

    def add_symbol(self, fields: list, owner: dict) -> None:
        name, _, version = fields[7].replace("@@", "@").partition("@")
        library = owner.get(version, "")
        if fields[6] != "UND":
            self.defined.add(name)
        elif version and CUDA.match(library):
            self.symbols.setdefault(library, set()).add(name)
            self.version[library] = version
        elif not version and re.match(r"_*(cu|nv|nccl)[A-Za-z_]+", name):
            self.unversioned.add(name)


def main() -> None:
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    needs = Needs(folder)
    for library in sorted(needs.libraries | set(needs.symbols)):
        installed = (folder / library).exists() or list(folder.parents[1].glob(f"nvidia/*/lib/{library}"))
        if not CUDA.match(library) or installed:
            continue
        symbols = needs.symbols.get(library, set())
        if library.startswith("libnccl"):
            symbols = symbols | (needs.unversioned - needs.defined)
        source, script = out / "stub.c", out / "stub.map"
        source.write_text("".join(f"long {name}(void) {{ return 999; }}\n" for name in sorted(symbols)) or "int unused_;")
        script.write_text(f"{needs.version.get(library, 'X')} {{ global: *; }};")
        options = [f"-Wl,--version-script={script}"] if library in needs.version else []
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{library}", str(source), "-o", str(out / library), *options], check=True)


main()
