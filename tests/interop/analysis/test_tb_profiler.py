"""Beside torch-tb-profiler, the plugin that was deleted: the same numbers on its own samples, on a trace of today and on traces out of chance, but for the faults that it has."""

import json
import os

import pytest
from conftest import DATA, PARTS, analyze, load, plugin, repaired
from traces import random_trace

TRACES = 2000 if os.environ.get("TAFFRAIL_FULL") else 210
TODAY = "torch-2.11.pt.trace.json.gz"


def near(left, right, share=1e-9, least=2e-3):
    return abs(left - right) <= max(share * max(abs(left), abs(right)), least)


def counted_twice(costs) -> bool:
    """The plugin's fault: once kernels leave nothing of the steps, later parts count the same time again."""
    return sum(costs[:8]) > costs[8] + 1e-6


def compare_steps(theirs, ours, least=2e-3):
    assert [step["name"] for step in ours["steps"]["steps"]] == theirs.steps_names
    faulty = any(counted_twice(costs.costs) for costs in theirs.steps_costs)
    for step, costs in zip(ours["steps"]["steps"], theirs.steps_costs):
        parts = [step["time"][f"{part}_ns"] for part in PARTS]
        assert sum(parts) == step["time"]["total_ns"]
        assert near(step["time"]["total_ns"] / 1000, costs.costs[8], least=least)
        for index, part in enumerate(PARTS):
            if not faulty or part == "kernel":
                assert near(parts[index] / 1000, costs.costs[index], least=least), (part, step["name"])
    for step, theirs_overlap in zip(ours["steps"]["steps"], theirs.comm_overlap_costs):
        overlap = step["overlap"]
        assert near(overlap["computation_ns"] / 1000, theirs_overlap.computation, least=least)
        assert near(overlap["communication_ns"] / 1000, theirs_overlap.communication, least=least)
        assert near(overlap["both_ns"] / 1000, theirs_overlap.overlap, least=least)
    return faulty


def compare_devices(theirs, ours, share=1e-7):
    metrics = theirs.gpu_metrics_parser
    assert {device["id"] for device in ours["devices"] if device["kernels"]} == metrics.gpu_ids
    for device in ours["devices"]:
        if not device["kernels"]:
            continue
        assert near(device["utilisation"], metrics.gpu_utilization[device["id"]], share=share, least=1e-9)
        for name, values in (("sm_efficiency", metrics.avg_approximated_sm_efficiency_per_device), ("recorded_occupancy", metrics.avg_occupancy_per_device)):
            value = values[device["id"]]
            assert (device[name] is None) == (value is None), name
            if value is not None:
                assert near(device[name] * (100 if "occupancy" in name else 1), value, share=share, least=1e-7), name


def compare_kernels(theirs, ours, tensor_cores=True):
    rows = {row["name"]: row for row in ours["kernels"]["by_name"]}
    if theirs.kernel_stat is None:
        assert not rows
        return
    assert set(rows) == set(theirs.kernel_stat.index)
    for name, stat in theirs.kernel_stat.iterrows():
        row = rows[name]
        assert row["calls"] == stat["count"]
        assert near(row["total_ns"] / 1000, stat["sum"]) and near(row["max_ns"] / 1000, stat["max"]) and near(row["min_ns"] / 1000, stat["min"])
        assert near(row["blocks_per_sm"], stat["blocks_per_sm"], share=1e-6)
        if tensor_cores:
            assert row["uses_tensor_cores"] == stat["tc_used"]
    if tensor_cores:
        assert near(ours["kernels"]["tensor_core_share"], theirs.tc_used_ratio, least=1e-9)
        assert near(ours["kernels"]["tensor_core_eligible_share"], theirs.tc_eligible_ops_kernel_ratio, least=1e-9)


def compare_operators(theirs, ours, tensor_cores=True):
    for key, list_ in (("by_name", theirs.op_list_groupby_name), ("by_shape", theirs.op_list_groupby_name_input)):
        rows = {(row["name"], str(row.get("shapes", "")) if key == "by_shape" else ""): row for row in ours["operators"][key]}
        assert set(rows) == {(agg.name, agg.input_shape if key == "by_shape" else "") for agg in list_}
        for agg in list_:
            row = rows[agg.name, agg.input_shape if key == "by_shape" else ""]
            assert row["calls"] == agg.calls, agg.name
            for name, value in (("host_total_ns", agg.host_duration), ("host_self_ns", agg.self_host_duration), ("device_total_ns", agg.device_duration),
                                ("device_self_ns", agg.self_device_duration)):
                assert near(row[name] / 1000, value, least=2e-3 * agg.calls), (agg.name, name)
            if tensor_cores:
                assert near(row["tensor_core_total_ns"] / 1000, agg.tc_total_duration), agg.name


def compare_memory(theirs, ours):
    if not theirs.memory_snapshot:
        assert not ours["memory"]
        return
    peaks = {("CPU" if kind == 0 else f"GPU {number}"): peak for (kind, number), peak in theirs.memory_snapshot.get_peak_memory().items()}
    for memory in ours["memory"]:
        if memory["has_totals"]:
            assert memory["peak_allocated_bytes"] == peaks[memory["device"]]
    statistics = theirs.memory_snapshot.get_memory_statistics(theirs.tid2tree)
    for memory in ours["memory"]:
        table = {name: values for name, values in statistics.get(memory["device"].replace(" ", ""), {}).items()}
        rows = {row["name"]: row for row in memory["operators"]}
        for name, values in table.items():
            if values[3] == 0 and values[5] == 0:
                continue
            row = rows[name]
            assert [row[key] for key in ("self_increase_bytes", "self_allocated_bytes", "self_allocations", "increase_bytes", "allocated_bytes", "allocations")] == values[:6], name


WORDS = {"R1": "input data loading", "R2": "instead of DataParallel", "R3": "Nccl backend", "R4": "high time cost on communication", "R5": "low utilization",
         "R6": "Tensor Cores eligible", "R7": "limit of device memory"}


def compare_advice(theirs, ours, but=()):
    given = {advice["rule"] for advice in ours["advice"]}
    for rule, words in WORDS.items():
        if rule not in but:
            assert (rule in given) == any(words in text for text in theirs.recommendations), (rule, theirs.recommendations)


def compare_all(theirs, ours):
    faulty = compare_steps(theirs, ours)
    compare_devices(theirs, ours)
    compare_kernels(theirs, ours)
    compare_operators(theirs, ours)
    compare_memory(theirs, ours)
    # It takes the processor's memory for the last device's, and what it counts twice may pass a limit.
    compare_advice(theirs, ours, but=("R7",) + (("R1", "R4") if faulty else ()))
    return faulty


def test_traces_out_of_chance_say_the_same(tmp_path):
    faulty, given = 0, set()
    traces = [random_trace(seed) for seed in range(TRACES)]
    for seed, trace in enumerate(traces):
        (tmp_path / f"{seed:05}.json").write_text(json.dumps(trace))
    for first in range(0, TRACES, 100):
        paths = [tmp_path / f"{seed:05}.json" for seed in range(first, min(first + 100, TRACES))]
        for path, ours in zip(paths, analyze(*paths)):
            try:
                faulty += compare_all(plugin(traces[int(path.stem)]), ours)
            except AssertionError as difference:
                raise AssertionError(f"trace {path.stem}: {difference}") from difference
            given |= {advice["rule"] for advice in ours["advice"]}
    assert {"R1", "R2", "R4", "R5"} <= given, "the traces no longer reach these rules"
    assert faulty > 0, "the traces no longer show the plugin's double counting"


@pytest.mark.parametrize("name, step, parts, utilisation, efficiency, occupancy, rules", [
    ("resnet50-workers-0.pt.trace.json.gz", 177592, [98589, 1915, 89, 0, 2908, 59262, 13674, 1156], 55.51, 54.68, 49.13, {"R1": 0.334, "R6": 0.68}),
    ("resnet50-workers-4.pt.trace.json.gz", 141068, [99145, 3160, 98, 0, 10564, 1186, 22665, 4251], 70.27, 69.22, 48.91, {"R6": 0.68}),
])
def test_the_samples_of_the_plugin_give_its_overview(name, step, parts, utilisation, efficiency, occupancy, rules):
    ours = analyze(DATA / name)[0]
    assert round(ours["steps"]["mean_ns"] / 1000) == step
    assert [round(ours["steps"]["mean"][part] / 1000) for part in PARTS] == parts
    device = ours["devices"][0]
    assert round(device["utilisation"] * 100, 2) == utilisation
    assert round(device["sm_efficiency"] * 100, 2) == efficiency
    assert round(device["recorded_occupancy"] * 100, 2) == occupancy
    given = {advice["rule"]: advice["measured"] for advice in ours["advice"]}
    assert set(given) & set(WORDS) == set(rules)
    for rule, share in rules.items():
        assert abs(given[rule] - share) < 0.01
    compare_all(plugin(load(name)), ours)


def test_a_trace_of_today_gives_what_the_plugin_says_once_it_is_repaired():
    trace, ours = load(TODAY), analyze(DATA / TODAY)[0]
    theirs = plugin(repaired(trace))
    # It adds in floating point, which holds such times to half a nanosecond.
    compare_steps(theirs, ours, least=0.05)
    compare_devices(theirs, ours, share=1e-5)
    compare_kernels(theirs, ours, tensor_cores=False)
    compare_operators(theirs, ours, tensor_cores=False)
    mean = [ours["steps"]["mean"][part] / 1000 for part in PARTS]
    for value, known in zip(mean, [345.31, 2.05, 0.77, 0, 252.27, 0, 827.88, 999.52]):
        assert abs(value - known) < 0.01
    assert abs(ours["steps"]["mean_ns"] / 1000 - 2427.80) < 0.01
    assert abs(ours["devices"][0]["utilisation"] - 0.14017) < 1e-5
    assert ours["kernels"]["count"] == 22 and abs(ours["devices"][0]["kernel_ns"] / 1000 - 6906.16) < 0.01


def test_what_the_plugin_gets_wrong_on_a_trace_of_today_is_right():
    trace, ours = load(TODAY), analyze(DATA / TODAY)[0]
    as_it_is, mended = plugin(trace), plugin(repaired(trace))
    # Copies of the steps on the device count as steps, and calls of the runtime are not known.
    assert len(as_it_is.steps_names) == 40 and ours["steps"]["count"] == 20
    assert as_it_is.avg_costs.costs[4] == 0 and ours["steps"]["sum"]["runtime_ns"] > 0
    assert not any(agg.device_duration for agg in as_it_is.op_list_groupby_name)
    assert any(row["device_total_ns"] for row in ours["operators"]["by_name"])
    # The kernels of Hopper: no Tensor Cores and no occupancy there.
    assert mended.tc_used_ratio == 0 and any("Tensor Cores eligible" in text for text in mended.recommendations)
    assert ours["kernels"]["tensor_core_share"] > 0.1 and "R6" not in {advice["rule"] for advice in ours["advice"]}
    jets = [row for row in ours["kernels"]["by_name"] if row["name"].startswith("nvjet")]
    assert len(jets) == 4 and all(row["uses_tensor_cores"] for row in jets)
    assert any(abs(row["occupancy"] - 0.18) < 0.005 for row in jets) and all(row["occupancy"] > 0 for row in jets)
    assert mended.kernel_stat.loc[jets[0]["name"], "occupancy"] == 0
