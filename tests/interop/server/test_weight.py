"""What the page weighs is measured on what the command serves."""

import sys
from pathlib import Path

from conftest import TAFFRAIL

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from bench.dashboard.weight import served_files  # noqa: E402


def test_finding_f09_every_file_of_the_page_is_weighed(ui):
    weights = served_files(ui.base)
    served = {Path(address).name for address in weights}
    built = {path.name for path in (TAFFRAIL.parents[1] / "src/server/page").rglob("*") if path.suffix in (".js", ".css", ".svg")}
    assert built and built <= served, built - served
    assert all(weights.values()) and 50_000 < sum(weights.values()) < 450_000, weights
