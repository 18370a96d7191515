// The parts of a step are the whole of it, whatever the trace.
#include "profile/analysis/ranges.h"
#include "trace.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace taffrail::profile::analysis::testing {
namespace {

std::int64_t sum_of(const Breakdown& time) {
    return std::accumulate(time.part_ns.begin(), time.part_ns.end(), std::int64_t{0});
}

Trace random_trace(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution(low, high)(random);
    };
    static constexpr std::string_view kCategories[] = {
        "cpu_op",       "kernel",          "gpu_memcpy",      "gpu_memset",
        "cuda_runtime", "user_annotation", "python_function", "gpu_user_annotation"};
    static constexpr std::string_view kNames[] = {
        "aten::mm",       "enumerate(DataLoader)#x.__next__", "nccl:all_reduce", "ProfilerStep#7",
        "ProfilerStep#x", "ncclDevKernel_AllReduce",          "get_train_batch", "nvjet_sm90"};
    Trace trace;
    const int steps = pick(0, 6);
    double at = pick(-50, 50);
    for (int step = 0; step < steps; ++step) {
        const int length = pick(0, 300);
        trace.step(step, at, length);
        at += pick(-5, length + 10);  // some overlap
    }
    for (int count = pick(0, 200); count > 0; --count) {
        trace.event(
            kCategories[static_cast<std::size_t>(pick(0, 7))],
            kNames[static_cast<std::size_t>(pick(0, 7))], pick(-60, 1500) + pick(0, 999) / 1000.0,
            pick(0, 3) == 0 ? pick(0, 2000) : pick(0, 40),
            R"({"correlation":)" + std::to_string(pick(0, 40)) + R"(,"External id":)" +
                std::to_string(pick(0, 20)) + R"(,"device":)" + std::to_string(pick(0, 1)) + "}",
            pick(1, 3), pick(0, 2));
    }
    return trace;
}

TEST(Breakdown, PartsAreTheWholeInAThousandTracesOutOfChance) {
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        const Analysis found = random_trace(seed).analysis();
        Breakdown sum;
        for (const Step& step : found.steps.all) {
            ASSERT_EQ(sum_of(step.time), step.time.total_ns) << "trace " << seed;
            ASSERT_EQ(step.time.total_ns, step.end_ns - step.begin_ns);
            ASSERT_TRUE(std::all_of(step.time.part_ns.begin(), step.time.part_ns.end(),
                                    [](std::int64_t part) { return part >= 0; }));
            ASSERT_EQ(step.overlap.computation_ns + step.overlap.communication_ns -
                          step.overlap.both_ns + step.overlap.neither_ns,
                      step.time.total_ns);
            sum.total_ns += step.time.total_ns;
        }
        ASSERT_EQ(sum.total_ns, found.steps.sum.total_ns);
        ASSERT_EQ(sum_of(found.steps.sum), found.steps.sum.total_ns);
        for (const Device& device : found.devices) {
            ASSERT_LE(device.utilisation, 1.0);
            ASSERT_LE(device.sm_efficiency.value_or(0), 1.0);
            ASSERT_LE(device.idle.host_ns + device.idle.kernel_ns + device.idle.other_ns,
                      device.idle.span_ns);
        }
    }
}

// The plugin for TensorBoard counts copies again once kernels leave nothing of the steps.
TEST(Breakdown, AStepFullOfKernelsCountsNothingTwice) {
    Trace trace;
    trace.step(1, 0, 100).kernel("k", 0, 1, 0, 100).copy("Memcpy HtoD", 10, 50, 1);
    const Analysis found = trace.analysis();
    ASSERT_EQ(found.steps.all.size(), 1U);
    EXPECT_EQ(found.steps.sum[Part::Kernel], 100'000);
    EXPECT_EQ(found.steps.sum[Part::Memcpy], 0);
}

TEST(Breakdown, EachMomentGoesToTheStrongestPart) {
    Trace trace;
    trace.step(1, 0, 100);
    trace.op("aten::mm", 0, 80).op("enumerate(DataLoader)#a.__next__", 10, 20);
    trace.kernel("k", 20, 20, 35, 10);
    const Breakdown time = trace.analysis().steps.sum;
    EXPECT_EQ(time[Part::Kernel], 10'000);
    EXPECT_EQ(time[Part::Runtime], 15'000) << "20 to 40 without the kernel from 35 on";
    EXPECT_EQ(time[Part::DataLoader], 10'000) << "10 to 30 without the call from 20 on";
    EXPECT_EQ(time[Part::Cpu], 80'000 - 10'000 - 25'000);
    EXPECT_EQ(time[Part::Other], 20'000);
}

TEST(Steps, EndWithWhatTheyLaunchedAndBeginWhereTheLastOneEnded) {
    Trace trace;
    trace.step(3, 0, 100).step(4, 100, 100);
    trace.kernel("k", 90, 5, 110, 40).kernel("k", 150, 5, 160, 20);
    const Steps steps = trace.analysis().steps;
    ASSERT_EQ(steps.all.size(), 2U);
    EXPECT_EQ(steps.all[0].end_ns, 150'000);
    EXPECT_EQ(steps.all[1].begin_ns, 150'000);
    EXPECT_EQ(steps.all[1].end_ns, 200'000);
    EXPECT_EQ(steps.all[0].name, "3");
}

TEST(Steps, ALastStepWithLessThanFourFifthsOfTheLaunchesIsLeftOut) {
    for (const int launches : {7, 8}) {
        Trace trace;
        trace.step(1, 0, 100).step(2, 100, 100).step(3, 200, 50);
        for (int index = 0; index < 10; ++index) {
            trace.kernel("k", index * 5, 1, index * 5 + 2, 1);
        }
        for (int index = 0; index < launches; ++index) {
            trace.kernel("k", 100 + index * 5, 1, 102 + index * 5, 1);
        }
        const Steps steps = trace.analysis().steps;
        EXPECT_EQ(steps.all.size(), launches == 8 ? 2U : 1U);
        EXPECT_EQ(steps.left_out, launches == 8 ? 1U : 2U) << "the third launched nothing";
    }
}

TEST(Steps, ATraceWithoutThemIsOneOverAllOperators) {
    Trace trace;
    trace.op("a", 10, 20).op("b", 50, 25);
    const Steps steps = trace.analysis().steps;
    ASSERT_EQ(steps.all.size(), 1U);
    EXPECT_TRUE(steps.is_whole_trace);
    EXPECT_EQ(steps.all[0].begin_ns, 10'000);
    EXPECT_EQ(steps.all[0].end_ns, 75'000);
}

TEST(Ranges, SetOperationsAgreeWithCountingEachNanosecond) {
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        const auto some = [&] {
            Ranges ranges;
            for (int count = static_cast<int>(random() % 8); count > 0; --count) {
                const auto begin = static_cast<std::int64_t>(random() % 60);
                ranges.push_back({begin, begin + static_cast<std::int64_t>(random() % 15)});
            }
            return merged(ranges);
        };
        const Ranges left = some(), right = some();
        const auto has = [](const Ranges& ranges, std::int64_t at) {
            return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
                return range.begin_ns <= at && at < range.end_ns;
            });
        };
        const Ranges both = intersection(left, right), rest = without(left, right);
        std::int64_t within = 0;
        for (std::int64_t at = 0; at < 80; ++at) {
            ASSERT_EQ(has(both, at), has(left, at) && has(right, at));
            ASSERT_EQ(has(rest, at), has(left, at) && !has(right, at));
            within += at >= 20 && at < 40 && has(left, at) ? 1 : 0;
        }
        ASSERT_EQ(length_within(left, {20, 40}), within);
    }
}

}  // namespace
}  // namespace taffrail::profile::analysis::testing
