"""docs/dashboard-tests.md names browser tests that exist, and each numbered one has its row."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "dashboard-tests.md"
NUMBERS = [*range(1, 16), 18, *range(20, 26)]


def titles(name: str) -> list[str]:
    text = (ROOT / "tests" / "e2e" / f"{name}.test.mjs").read_text()
    return [match.group(2) for match in re.finditer(r"\btest\(\s*(['\"`])(.+?)\1,", text)]


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in ("number", "word") and not set(row[0]) <= {"-"}]


def test_every_named_test_exists():
    missing = []
    for row in rows():
        for name in re.findall(r"`([^`]+)`", row[-1]):
            if not any(title.startswith(name) for title in titles(row[-2])):
                missing.append(f"{row[0]}: {row[-2]}.test.mjs has no test that begins with: {name}")
    assert not missing, "\n".join(missing)


def test_every_row_names_a_test():
    assert not [row[0] for row in rows() if "`" not in row[-1] and row[0] != "25"]


def test_every_number_has_its_row_and_its_test():
    listed = {int(row[0]) for row in rows() if row[0].isdigit()}
    assert listed == set(NUMBERS)
    every = [title for path in (ROOT / "tests" / "e2e").glob("*.test.mjs") for title in titles(path.name.removesuffix(".test.mjs"))]
    assert not [number for number in NUMBERS if not any(title.startswith(f"{number}: ") for title in every)]
