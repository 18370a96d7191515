"""Counts of passed, failed and skipped tests, read from JUnit files."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list = field(default_factory=list)
    names: list = field(default_factory=list)

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures
        self.names += other.names
        return self

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


# Of a long report the end matters: pytest and gtest print the broken expectation behind what led to it.
REASON_LINES = 25


def reason_of(case) -> str:
    """What a failed case says about itself, indented below its name."""
    said = [text for tag in ("failure", "error", "system-out") for part in case.findall(tag) for text in (part.get("message"), part.text) if text]
    lines = list(dict.fromkeys(line for text in said for line in text.strip().splitlines()))
    return indented(lines)


def indented(lines: list[str]) -> str:
    return "".join(f"\n      {line[:200]}" for line in lines[-REASON_LINES:])


def from_junit(path: Path, label: str) -> Counts:
    """Counts the cases of a JUnit file; a missing or broken file is one failure."""
    counts = Counts()
    try:
        # Reports quote what a program printed, colours included; XML allows no such characters.
        tree = ElementTree.fromstring(re.sub(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", b"", path.read_bytes()))
    except (OSError, ElementTree.ParseError) as error:
        return Counts(failed=1, failures=[f"{label}: no result file ({error})"])
    for case in tree.iter("testcase"):
        name = case.get("name", "?")
        class_name = case.get("classname", "")
        full_name = name if class_name in ("", name, "test") else f"{class_name}.{name}"
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            counts.failed += 1
            counts.failures.append(f"{label}: {full_name}" + reason_of(case))
        elif case.find("skipped") is not None or case.get("status") in ("disabled", "notrun"):
            counts.skipped += 1
        else:
            counts.passed += 1
            counts.names.append(full_name)
    return counts


def one(passed: bool, label: str, said: str = "") -> Counts:
    """A check that is a single test; of what it said, the end is shown again below the table."""
    return Counts(passed=1, names=[label]) if passed else Counts(failed=1, failures=[label + indented(said.splitlines())])
