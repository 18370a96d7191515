"""docs/capabilities.md is true: every row is there, and every test it names ran now or in the last full run."""

import fnmatch
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = {"S0": 27, "S1": 35, "S2": 49, "S3": 38, "S4": 19}
STATES = {"**done**", "**partial**", "*planned*"}


def rows():
    found = []
    for line in (ROOT / "docs/capabilities.md").read_text().splitlines():
        if match := re.match(r"\| (S\d)\.(\d+) \|(.*)\|$", line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", match[3])]
            found.append((match[1], int(match[2]), cells))
    return found


def ran_tests():
    names = set()
    for path in (ROOT / "build/tests-ran.json", ROOT / "docs/tests-of-last-full-run.json"):
        if path.exists():
            names |= set(json.loads(path.read_text()))
    return names


def test_every_capability_has_its_row():
    for group, count in EXPECTED.items():
        assert sorted(number for name, number, _ in rows() if name == group) == list(range(1, count + 1)), group
    assert len(rows()) == 168


def test_rows_are_well_formed():
    for group, number, cells in rows():
        assert len(cells) == 4, f"{group}.{number}: five columns"
        assert cells[1].split(":")[0].strip() in STATES or cells[1].split(" ")[0] in STATES, f"{group}.{number}: state {cells[1]}"
        if cells[1].startswith("**done**"):
            assert cells[2] and "`" in cells[3], f"{group}.{number} is done but names no place or no test"


def test_places_exist():
    for group, number, cells in rows():
        for place in re.findall(r"`([^`]+)`", cells[2]):
            assert list(ROOT.glob(place.rstrip("/"))), f"{group}.{number}: there is no {place}"


def test_named_tests_ran():
    ran = ran_tests()
    assert ran, "no list of tests that ran: run ./scripts/test"
    missing = []
    for group, number, cells in rows():
        for pattern in re.findall(r"`([^`]+)`", cells[3]):
            # Parametrised tests carry their parameters behind the name, value-parameterised ones around it.
            if not any(fnmatch.filter(ran, form) for form in (pattern, f"*{pattern}", f"*{pattern}[[]*", f"*{pattern}/*")):
                missing.append(f"{group}.{number}: {pattern}")
    assert not missing, "named as proof but did not run:\n" + "\n".join(missing)
