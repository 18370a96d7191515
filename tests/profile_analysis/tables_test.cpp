// Operators, kernels, devices, memory, modules, workers: small traces with answers worked out by
// hand.
#include "codec/json.h"
#include "profile/analysis/write_json.h"
#include "trace.h"

namespace taffrail::profile::analysis::testing {
namespace {

template <typename Row>
const Row& row_of(const std::vector<Row>& rows, std::string_view name) {
    for (const Row& row : rows) {
        if (row.name == name) {
            return row;
        }
    }
    ADD_FAILURE() << "no row " << name;
    static const Row kNothing;
    return kNothing;
}

TEST(Operators, SelfTimesLeaveOutWhatIsCalledAndLaunched) {
    Trace trace;
    trace.op("outer", 0, 100, R"({"External id":1})").op("inner", 10, 30, R"({"External id":2})");
    trace.kernel("k", 15, 5, 200, 7).kernel("k", 60, 10, 300, 11);
    const Analysis found = trace.analysis();
    const OperatorRow& outer = row_of(found.operators, "outer");
    EXPECT_EQ(outer.host_total_ns, 100'000);
    EXPECT_EQ(outer.host_self_ns, 60'000) << "without inner and its own call";
    EXPECT_EQ(outer.device_self_ns, 11'000);
    EXPECT_EQ(outer.device_total_ns, 18'000);
    EXPECT_EQ(row_of(found.operators, "inner").device_self_ns, 7'000);
}

TEST(Operators, ACallSeenTwiceIsOne) {
    Trace trace;
    trace.op("aten::mm", 0, 100).op("aten::mm", 10, 50).op("other", 20, 10);
    const Analysis found = trace.analysis();
    const OperatorRow& row = row_of(found.operators, "aten::mm");
    EXPECT_EQ(row.calls, 1U);
    EXPECT_EQ(row.host_self_ns, 90'000);
}

TEST(Operators, StacksComeFromPythonFunctionsAround) {
    Trace trace;
    trace.event("python_function", "train.py(3): main", 0, 100);
    trace.event("python_function", "train.py(9): step", 10, 50).op("aten::mm", 20, 10);
    const Analysis found = trace.analysis();
    const OperatorRow& row = row_of(found.operators, "aten::mm");
    ASSERT_EQ(row.stacks.size(), 1U);
    EXPECT_EQ(row.stacks[0].stack, "train.py(9): step\ntrain.py(3): main");
}

TEST(Kernels, OccupancyOfAKernelWithMuchSharedMemoryIsNotNought) {
    Trace trace;
    trace.device(9, 0).step(1, 0, 1000);
    trace.kernel("nvjet", 0, 1, 10, 100, 0,
                 R"(,"registers per thread":168,"shared memory":213220,"blocks per SM":0.969697,)"
                 R"("grid":[2,64,1],"block":[384,1,1],"est. achieved occupancy %":0)");
    const Analysis found = trace.analysis();
    EXPECT_NEAR(found.kernels.at(0).occupancy, 0.1818, 1e-4);
    EXPECT_NEAR(found.devices.at(0).occupancy.value_or(0), 0.1818, 1e-4);
    EXPECT_DOUBLE_EQ(found.devices.at(0).recorded_occupancy.value_or(-1), 0);
    EXPECT_DOUBLE_EQ(found.tensor_core_share, 1);
}

TEST(Memory, PeakBlocksAndWhoAskedForThem) {
    Trace trace;
    trace.op("aten::empty", 0, 100).memory(10, 500, 500).memory(20, 300, 800);
    const Analysis found = trace.analysis();
    ASSERT_EQ(found.memory.size(), 1U);
    const MemoryOfDevice& memory = found.memory[0];
    EXPECT_EQ(memory.device, "GPU 0");
    EXPECT_EQ(memory.peak_allocated_bytes, 800);
    EXPECT_EQ(memory.peak_time_ns, 20'000);
    ASSERT_EQ(memory.blocks.size(), 2U);
    EXPECT_EQ(memory.blocks[0].operator_name, "aten::empty");
    EXPECT_EQ(row_of(memory.operators, "aten::empty").self_allocated_bytes, 800);
}

TEST(Modules, ATreeWithSums) {
    Trace trace;
    const auto module = [](int id) { return R"({"Python module id":)" + std::to_string(id) + "}"; };
    for (const double at : {0.0, 200.0}) {
        trace.event("python_function", "nn.Module: Net_0", at, 100, module(0));
        trace.event("python_function", "nn.Module: Linear_0", at + 10, 20, module(1));
        trace.op("aten::linear", at + 12, 10);
    }
    const Analysis found = trace.analysis();
    ASSERT_EQ(found.modules.size(), 2U);
    EXPECT_EQ(found.modules[0].name, "nn.Module: Net_0");
    EXPECT_EQ(found.modules[1].parent, 0);
    EXPECT_EQ(found.modules[1].depth, 1U);
    EXPECT_EQ(found.modules[1].calls, 2U);
    EXPECT_EQ(found.modules[1].operators, 2U);
    EXPECT_EQ(found.modules[0].host_self_ns, 160'000);
}

TEST(Workers, TheOneThatComesLastIsWaitedFor) {
    const auto worker = [](double begin_us, double length_us, const char* name) {
        Trace trace;
        trace.step(1, 0, 1000).op("nccl:all_reduce", begin_us, length_us, R"({"External id":5})");
        return analyze(trace.profile(), {name});
    };
    // Both end together; the second came 400 later.
    const std::vector<Analysis> both = {worker(100, 500, "early"), worker(500, 100, "late")};
    const Workers found = compare_workers(both);
    EXPECT_EQ(found.why_not, "");
    EXPECT_EQ(found.straggler, "late");
    EXPECT_EQ(found.straggler_wait_ns, 400'000);
    EXPECT_EQ(found.all.at(0).steps.at(0).transfer_ns, 100'000);
    EXPECT_EQ(found.all.at(0).collectives.at(0).transfer_ns, 100'000);
    EXPECT_NE(compare_workers(std::span(both).first(1)).why_not, "");
}

/// One collective of a rank in a window.
Analysis in_window(int rank, double length_us, const char* file) {
    Trace trace;
    trace.step(1, 0, 1000).op("nccl:all_reduce", 0, length_us, R"({"External id":5})");
    trace.metadata("distributedInfo", R"({"rank":)" + std::to_string(rank) + "}");
    return analyze(trace.profile(), worker_window_of(file));
}

TEST(Workers, AreComparedWithEachOtherAndNotWithTheirOwnPast) {
    // Two windows of two ranks; the second rank was stopped inside the third.
    const std::vector<Analysis> all = {
        in_window(0, 900, "a_1.300.pt.trace.json"), in_window(1, 200, "b_2.201.pt.trace.json"),
        in_window(0, 500, "a_1.200.pt.trace.json"), in_window(0, 100, "a_1.100.pt.trace.json"),
        in_window(1, 700, "b_2.101.pt.trace.json")};
    const Workers found = compare_workers(all);
    ASSERT_EQ(found.all.size(), 2U);
    EXPECT_EQ(found.all[0].worker, "a_1");
    EXPECT_EQ(found.all[1].worker, "b_2");
    EXPECT_EQ(found.straggler, "b_2");
    EXPECT_EQ(found.straggler_wait_ns, 300'000);
    EXPECT_EQ(found.other_windows, 3U);
    ASSERT_EQ(found.notes().size(), 1U);
    EXPECT_NE(found.notes()[0].find("3 traces are of other windows"), std::string::npos);
}

TEST(Workers, ARankThatWasStartedAgainIsOne) {
    const std::vector<Analysis> all = {
        in_window(0, 900, "a_1.100.pt.trace.json"), in_window(1, 200, "b_2.101.pt.trace.json"),
        in_window(1, 300, "b_9.201.pt.trace.json"), in_window(0, 800, "a_8.200.pt.trace.json")};
    const Workers found = compare_workers(all);
    ASSERT_EQ(found.all.size(), 2U);
    EXPECT_EQ(found.all[0].worker, "a_8");
    EXPECT_EQ(found.all[1].worker, "b_9");
    EXPECT_EQ(found.straggler_wait_ns, 500'000);
}

/// As PyTorch writes it where nothing is distributed: no rank.
Analysis of_process(double begin_us, const char* file) {
    Trace trace;
    trace.step(1, begin_us, 1000).op("aten::mm", begin_us, 500);
    return analyze(trace.profile(), worker_window_of(file));
}

TEST(Workers, AProcessThatWasStartedAgainIsOneAlsoWithoutARank) {
    const std::vector<Analysis> all = {of_process(0, "host_11.100.pt.trace.json"),
                                       of_process(9'000, "host_22.300.pt.trace.json"),
                                       of_process(2'000, "host_11.200.pt.trace.json")};
    const Workers found = compare_workers(all);
    ASSERT_EQ(found.all.size(), 1U);
    EXPECT_EQ(found.all[0].worker, "host_22");
    EXPECT_EQ(found.other_windows, 2U);
}

TEST(Workers, ProcessesThatRanTogetherAreWorkersAlsoWithoutARank) {
    // Two of one host, started again; a third on another host, whose clock is elsewhere.
    const std::vector<Analysis> all = {of_process(0, "host_11.100.pt.trace.json"),
                                       of_process(400, "host_12.101.pt.trace.json"),
                                       of_process(999, "host_13.102.pt.trace.json"),
                                       of_process(9'000, "host_22.300.pt.trace.json"),
                                       of_process(9'900, "host_21.301.pt.trace.json"),
                                       of_process(0, "other_5.102.pt.trace.json")};
    const Workers found = compare_workers(all);
    std::vector<std::string> names;
    for (const WorkerView& worker : found.all) {
        names.push_back(worker.worker);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"host_22", "host_21", "other_5"}));
    EXPECT_EQ(found.other_windows, 3U);
    // Names that tell no process are not put in an order.
    EXPECT_EQ(compare_workers(std::vector<Analysis>{of_process(0, "worker0.1.pt.trace.json"),
                                                    of_process(9'000, "worker1.2.pt.trace.json")})
                  .all.size(),
              2U);
}

TEST(Workers, WindowsOfOneAreNoTraining) {
    const std::vector<Analysis> all = {in_window(-1, 900, "a_1.100.pt.trace.json"),
                                       in_window(-1, 200, "a_1.200.pt.trace.json")};
    const Workers found = compare_workers(all);
    EXPECT_EQ(found.all.size(), 1U);
    EXPECT_EQ(found.straggler, "");
    EXPECT_NE(found.why_not, "");
    // Names without a window may be of anybody.
    EXPECT_EQ(one_window_each(std::vector<WorkerWindow>{{"trace"}, {"trace"}}),
              (std::vector<std::size_t>{0, 1}));
}

TEST(Difference, ComparesMeanSteps) {
    const auto with = [](int steps, double loader_us) {
        Trace trace;
        for (int step = 0; step < steps; ++step) {
            trace.step(step, step * 1000, 1000);
            trace.op("enumerate(DataLoader)#a.__next__", step * 1000, loader_us);
            trace.op("aten::mm", step * 1000 + 500, 100);
        }
        return trace.analysis();
    };
    const Difference found = difference(with(5, 400), with(10, 20));
    EXPECT_DOUBLE_EQ(found.before_part_ns[5], 400'000);
    EXPECT_DOUBLE_EQ(found.after_part_ns[5], 20'000);
    EXPECT_EQ(found.advice_gone, std::vector<std::string>{"R1"});
    EXPECT_DOUBLE_EQ(row_of(found.operators, "aten::mm").after_ns, 100'000);
}

TEST(WorkerWindowOf, TakesNameAndWindowOutOfAFileName) {
    const auto expect = [](std::string_view path, std::string_view worker, std::int64_t window) {
        const WorkerWindow found = worker_window_of(path);
        EXPECT_EQ(found.worker, worker) << path;
        EXPECT_EQ(found.window, window) << path;
    };
    expect("/a/host_4711.1623143089861.pt.trace.json.gz", "host_4711", 1623143089861);
    expect("worker0.pt.trace.json", "worker0", -1);
    expect("run.json", "run", -1);
    expect("host.99999999999999999999.pt.trace.json", "host", -1);
}

TEST(WriteJson, IsValidAndHasEveryPart) {
    Trace trace;
    trace.device(9, 0).step(1, 0, 1000).op("a \"b\"", 0, 10, R"({"Input Dims":[[1,2],[]]})");
    trace.kernel("k", 1, 1, 5, 10).memory(2, 10, 10);
    JsonWriter json;
    write_json(json, trace.analysis());
    const auto parsed = parse_json(json.text());
    ASSERT_TRUE(parsed.ok());
    for (const char* part :
         {"steps", "devices", "advice", "operators", "kernels", "memory", "modules", "notes"}) {
        EXPECT_NE(parsed->find(part), nullptr) << part;
    }
}

}  // namespace
}  // namespace taffrail::profile::analysis::testing
