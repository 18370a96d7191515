"""The rows of build/bench/door.json, which several scripts write: each replaces its own and keeps the others."""

import json
from pathlib import Path

from bench.harness.table import finish_rows

TARGETS = {
    "door.demo_cold_min": {"at_most": 6},
    "door.pip_install_min": {"at_most": 6},
    "door.test_cold_min": {"at_most": 50},
    "door.test_warm_min": {"at_most": 15},
}


def path_of(root: Path) -> Path:
    return root / "build" / "bench" / "door.json"


def known_rows(root: Path) -> dict:
    """Rows that were measured, by id."""
    try:
        return {row["id"]: row for row in json.loads(path_of(root).read_text()) if row.get("value") is not None}
    except (OSError, ValueError):
        return {}


def write_row(root: Path, row: dict) -> None:
    rows = {**known_rows(root), row["id"]: row}
    path_of(root).parent.mkdir(parents=True, exist_ok=True)
    path_of(root).write_text(json.dumps(finish_rows(list(rows.values()), TARGETS), indent=1) + "\n")
