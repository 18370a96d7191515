"""The Python programs of the documents run as they stand."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs/python").glob("*.md"))
BLOCKS = [(page.stem, number, block) for page in PAGES for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S))]


def test_there_are_programs():
    assert len(BLOCKS) >= 6


@pytest.mark.parametrize("page, number, block", BLOCKS, ids=[f"{page}-{number}" for page, number, _ in BLOCKS])
def test_block_runs(program, page, number, block):
    program(block, "-X", "dev", "-W", "error", TAFFRAIL_ZONES="none")


def test_every_public_word_explains_itself():
    import taffrail

    for name in taffrail.__all__:
        word = getattr(taffrail, name)
        exception = isinstance(word, type) and issubclass(word, Exception)
        assert exception or getattr(word, "__doc__", None), f"taffrail.{name} says nothing about itself"


def test_the_commands_of_the_page_are_those_of_the_debugger():
    import pdb

    text = next(page for page in PAGES if page.stem == "debugging").read_text()
    table = text.split("## Commands of the debugger")[1].split("## ")[0]
    words = {command.split()[0] for row in table.splitlines() if row.startswith("| `") for command in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert len(words) >= 20
    assert not [word for word in words if not hasattr(pdb.Pdb, f"do_{word}")]
