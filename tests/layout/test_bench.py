"""The harness of ./scripts/bench judges rows: what was not measured is missed."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.harness.table import finish_rows  # noqa: E402

AT_MOST, AT_LEAST = {"at_most": 450}, {"at_least": 10, "of": "ratio"}


def met(row: dict, target: dict):
    return finish_rows([{"id": "it", **row}], {"it": target})[0]["met"]


@pytest.mark.parametrize("row, target", [
    ({"value": 0, "unit": "kB"}, AT_MOST), ({"value": 0.0}, AT_MOST), ({"value": None}, AT_MOST), ({}, AT_MOST), ({"value": float("nan")}, AT_MOST),
    ({"value": float("-inf")}, AT_MOST), ({"value": "12"}, AT_MOST), ({"value": 3.0, "ratio": None}, AT_LEAST), ({"value": 3.0, "ratio": float("inf")}, AT_LEAST),
])
def test_finding_f09_a_row_without_a_measurement_is_missed(row, target):
    finished = finish_rows([{"id": "it", **row}], {"it": target})[0]
    assert finished["met"] is False and finished["reason"], finished


def test_finding_f09_a_target_without_a_row_is_missed():
    finished = finish_rows([], {"it": AT_MOST})[0]
    assert finished["met"] is False and finished["reason"] == "not measured"


def test_rows_are_judged_by_their_targets():
    assert met({"value": 449}, AT_MOST) and not met({"value": 451}, AT_MOST)
    assert met({"value": 1, "ratio": 10.0}, AT_LEAST) and not met({"value": 1, "ratio": 9.9}, AT_LEAST)
    assert met({"value": 0}, {"at_most": 0, "may_be_zero": True})
    assert met({"value": 1, "fast": False}, {"at_most": 5, "also": [lambda row: row["fast"]]}) is False
