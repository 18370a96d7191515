"""docs/environment-variables.md lists the variables that the library and its programs read, and no others."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def listed() -> set[str]:
    """The first cells of the table of our own variables."""
    text = (ROOT / "docs/environment-variables.md").read_text().split("## Variables of others")[0]
    return {name for line in text.splitlines() if line.startswith("| `") for name in re.findall(r"`(TAFFRAIL_\w+)`", line.split("|")[1])}


def read() -> dict[str, str]:
    """Every name in quotes, with a file that has it: however it is read, its name is a text of the program."""
    found = {}
    for folder in ("src", "include", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                for name in re.findall(r'"(TAFFRAIL_[A-Z][A-Z0-9_]*)"', path.read_text()):
                    found.setdefault(name, str(path.relative_to(ROOT)))
    return found


def test_every_variable_that_is_read_is_in_the_table():
    lacking = {name: place for name, place in read().items() if name not in listed()}
    assert not lacking, f"docs/environment-variables.md lacks {lacking}"


def test_every_variable_in_the_table_is_read():
    assert not listed() - set(read()), "nothing reads these"
