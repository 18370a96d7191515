"""Traces recorded on an H200 by scripts/gpu_check: constructed runs, of which each should or should not get one piece of advice, and what our own library recorded."""

import pytest
from conftest import DATA, analyze


@pytest.mark.parametrize("name, rule, speaks", [
    ("slow_loader", "R1", True), ("fast_loader", "R1", False), ("gloo", "R3", True), ("bfloat16", "R3", False), ("bfloat16", "R4", False), ("bfloat16", "R5", True), ("fast_loader", "R5", False),
    ("float32", "R6", True), ("bfloat16", "R6", False), ("full_memory", "R7", True), ("bfloat16", "R7", False),
])
def test_a_constructed_run_gets_its_advice_and_no_other_does(name, rule, speaks):
    found = analyze(DATA / "h200" / f"{name}.pt.trace.json.gz")[0]
    assert (rule in {advice["rule"] for advice in found["advice"]}) == speaks


@pytest.mark.parametrize("name", ["ours", "injected"])
def test_what_our_library_recorded_has_kernels_with_occupancy_and_their_calls(name):
    found = analyze(DATA / "h200" / f"{name}.pt.trace.json.gz")[0]
    device = found["devices"][0]
    assert device["name"] == "NVIDIA H200" and device["kernels"] > 50
    assert device["occupancy"] > 0.05 and device["tensor_core_share"] > 0.1
    if name == "ours":
        assert device["kernels"] == 460 and len(found["kernels"]["by_name"]) == 19
    assert any(row["name"] == "cudaLaunchKernel" and row["calls"] > 50 for row in found["kernels"]["calls"])
