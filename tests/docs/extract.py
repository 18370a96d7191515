"""Writes every C++ program of the documents into a folder: extract.py ROOT OUT

A block counts when it has a main function. Its file name is the document's name and a number. Prints the written paths.
"""

import re
import sys
from pathlib import Path

root, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)
documents = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
for document in documents:
    blocks = [block for block in re.findall(r"```cpp\n(.*?)```", document.read_text(), re.S) if "int main(" in block]
    for number, block in enumerate(blocks):
        path = out / f"{document.relative_to(root).with_suffix('').as_posix().replace('/', '_').replace('-', '_')}_{number}.cpp"
        if not path.exists() or path.read_text() != block:
            path.write_text(block)
        print(path)
