"""Makes the files that the contributor's pages tell somebody to make: guides.py ROOT OUT

A block of C++ belongs to the file named last before it. Blocks that are pieces of a file get what their step says around them: the includes and the namespace it
names, or the file they are added to. Prints the written sources.
"""

import re
import sys
from pathlib import Path

root, out = Path(sys.argv[1]), Path(sys.argv[2])


def steps(page: str):
    """(file, words of its step before the block, block)."""
    text = (root / "docs" / "contributing" / f"{page}.md").read_text()
    name, words = None, ""
    for match in re.finditer(r"^\d+\. \*\*`([^`]+)`\*\*|```cpp\n(.*?)```", text, re.S | re.M):
        if match[1]:
            name, start = match[1], match.end()
        elif name is not None:
            words = text[start:match.start()]
            yield name, words, match[2]


def write(name: str, text: str) -> None:
    path = out / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    if path.suffix == ".cpp":
        print(path)


for page in ("sink", "command", "routine"):
    for name, _, block in steps(page):
        write(name, block)
name, words, block = next(steps("source"))
includes = "".join(f"#include {header}\n" for header in ["<taffrail/reader.h>", *re.findall(r'"[\w/]+\.h"', words), "<map>"])
space = re.search(r"`namespace ([\w:]+)`", words)[1]
write(name, f"{includes}namespace {space} {{\n{block}\n}}  // namespace {space}\n")
blocks = {name: block for name, _, block in steps("metric")}
header, source = next(name for name in blocks if name.endswith(".h")), next(name for name in blocks if name.endswith(".cpp"))
write(source.replace(".cpp", "_and_one_more.cpp"), f'#include "{source.removeprefix("src/")}"\nnamespace taffrail {{\n{blocks[header]}\n{blocks[source]}\n}}  // namespace taffrail\n')
