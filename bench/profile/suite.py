"""Profiles: what reading, writing and drawing them costs. Each file rows_*.py brings its targets and its rows."""

import importlib
from pathlib import Path

PARTS = [importlib.import_module(f"bench.profile.{path.stem}") for path in sorted(Path(__file__).parent.glob("rows_*.py"))]
TARGETS = {name: target for part in PARTS for name, target in part.TARGETS.items()}


def run(context) -> list:
    return [row for part in PARTS for row in part.run(context)]
