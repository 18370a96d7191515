"""Turns the files of a folder into an assembler file (.incbin) and a C++ table: embed_assets.py DIST NOTICE SCHEMA OUT_DIR

Text files are embedded gzipped. Output files are only touched when their content changes, so nothing relinks for free.
When DIST has no index.html, the one page NOTICE is embedded instead: the program still builds without Node.
"""

import gzip
import hashlib
import sys
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
    ".json": "application/json", ".map": "application/json", ".woff2": "font/woff2", ".png": "image/png", ".ico": "image/x-icon",
    ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm",
}
COMPRESSED = {".html", ".js", ".css", ".svg", ".json", ".txt"}


def write_if_changed(path: Path, content: bytes) -> None:
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def main() -> None:
    dist, notice, schema, out = (Path(argument) for argument in sys.argv[1:5])
    files = {}
    if (dist / "index.html").exists():
        for path in sorted(dist.rglob("*")):
            if path.is_file() and path.suffix != ".map":
                files[path.relative_to(dist).as_posix()] = path.read_bytes()
    else:
        files["index.html"] = notice.read_bytes()
    files["openapi.json"] = schema.read_bytes()

    out.mkdir(parents=True, exist_ok=True)
    version = hashlib.sha256()
    assembler = ['.section .rodata\n']
    table = ['#include "server/assets.h"\n\nextern "C" {\n']
    rows = []
    for number, (name, content) in enumerate(files.items()):
        suffix = Path(name).suffix
        version.update(name.encode() + b"\0" + content)
        packed = gzip.compress(content, 9, mtime=0) if suffix in COMPRESSED else content
        blob = out / f"asset_{number}.bin"
        write_if_changed(blob, packed)
        symbol = f"taffrail_asset_{number}"
        assembler.append(f'.global {symbol}\n.hidden {symbol}\n.balign 16\n{symbol}:\n.incbin "asset_{number}.bin"\n')
        table.append(f"extern const char {symbol}[];\n")
        etag = hashlib.sha256(content).hexdigest()[:24]
        encoding = "gzip" if suffix in COMPRESSED else ""
        rows.append(f'    {{"{name}", "{TYPES.get(suffix, "application/octet-stream")}", "{encoding}", "\\"{etag}\\"", {{{symbol}, {len(packed)}}}}},\n')
    assembler.append('.section .note.GNU-stack,"",%progbits\n')
    table.append('}\n\nnamespace taffrail::server {\nnamespace {\n\nconst Asset kAssets[] = {\n')
    table += rows
    table.append("};\n\n}  // namespace\n\nstd::span<const Asset> embedded_assets() noexcept { return kAssets; }\n\n")
    table.append(f'std::string_view assets_version() noexcept {{ return "{version.hexdigest()[:16]}"; }}\n\n}}  // namespace taffrail::server\n')
    write_if_changed(out / "assets.S", "".join(assembler).encode())
    write_if_changed(out / "assets_table.cpp", "".join(table).encode())


main()
