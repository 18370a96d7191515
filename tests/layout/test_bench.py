"""The harness of ./scripts/bench judges rows: what was not measured is missed."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "scripts/testing"))

import peers  # noqa: E402
from bench.harness.context import ENVIRONMENTS  # noqa: E402
from bench.harness.main import chosen_parts, with_new_rows  # noqa: E402
from bench.harness.table import finish_rows  # noqa: E402
from bench.profile import suite as profile  # noqa: E402
from bench.record import suite as record  # noqa: E402

AT_MOST, AT_LEAST = {"at_most": 450}, {"at_least": 10, "of": "ratio"}


def met(row: dict, target: dict):
    return finish_rows([{"id": "it", **row}], {"it": target})[0]["met"]


@pytest.mark.parametrize("row, target", [
    ({"value": 0, "unit": "kB"}, AT_MOST), ({"value": -3.5}, AT_MOST), ({"value": 2.0, "ratio": -6.0}, AT_LEAST), ({"value": 0.0}, AT_MOST), ({"value": None}, AT_MOST), ({}, AT_MOST), ({"value": float("nan")}, AT_MOST),
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


def test_environments_of_benchmarks_and_of_tests_have_folders_of_their_own():
    """They lie in one folder: of one name, each would take the other's away while it is in use."""
    assert not set(ENVIRONMENTS) & set(peers.FAMILIES)


class Rounds:
    """Stands for the machine: notes who was measured in which order."""

    quick = False

    def __init__(self, broken=()):
        self.order, self.broken, self.costs = [], broken, iter(range(1, 1000))

    def peer_per_point(self, environment, script, small, large):
        self.order.append(script)
        if script in self.broken:
            raise RuntimeError("not installed")
        return {"cpu_us": float(next(self.costs)), "bytes": 40.0}

    def sample(self):
        self.order.append("ours")


def test_peers_are_measured_in_turn_and_ourselves_between_them():
    machine = Rounds(broken=("aim_local.py",))
    samples, reasons = record.peer_samples(machine, machine, repeats=5)
    names = [script for _, _, script, _, _ in record.PEERS]
    assert machine.order[:len(names) + 1] == [*names, "ours"] and machine.order.count("ours") == 5
    assert machine.order.count("aim_local.py") == 1 and reasons == {"aim": "not installed"}
    assert all(len(samples[name]) == 5 for name, *_ in record.PEERS if name != "aim")
    assert samples["neptune_offline"][1]["cpu_us"] > samples["tensorboardX"][0]["cpu_us"], "a second round begins when the first is over"


def test_a_row_against_a_peer_has_medians_and_the_spread_of_both():
    row = record.peer_row("it", "peer", [0.04, 0.05, 0.06], [{"cpu_us": cost, "bytes": 30.0} for cost in (9.0, 10.0, 30.0)], None)
    assert row["value"] == 0.05 and row["peer_value"] == 10 and row["ratio"] == pytest.approx(200)
    assert row["spread"] == [0.04, 0.06] and row["peer_spread"] == [9, 30] and row["repeats"] == 3
    missed = finish_rows([record.peer_row("it", "peer", [0.05], [], "not installed")], {"it": AT_LEAST})[0]
    assert missed["met"] is False and missed["reason"] == "not installed"


def test_rows_are_chosen_by_the_beginnings_of_their_ids():
    chosen = {part.__name__.rsplit(".", 1)[1] for part in chosen_parts(profile, ("flame.zoom", "trace.pan"))}
    assert chosen == {"rows_flame", "rows_trace"}
    assert chosen_parts(record, ("record.open_ms",)) == [record], "what is not divided is measured whole"
    assert chosen_parts(profile, ("zoom",)) == []


def test_rows_measured_again_replace_those_of_the_file():
    kept = with_new_rows([{"id": "a", "value": 1}, {"id": "b", "value": 2}], [{"id": "c", "value": 5}, {"id": "a", "value": 3}])
    assert kept == [{"id": "a", "value": 3}, {"id": "b", "value": 2}, {"id": "c", "value": 5}]
