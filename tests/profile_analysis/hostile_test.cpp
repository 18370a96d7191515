// Traces that nobody should write: an answer, soon, and within bounds.
#include "profile/analysis/write_json.h"
#include "profile/formats.h"
#include "trace.h"

#include <random>

namespace taffrail::profile::analysis::testing {
namespace {

Analysis analysis_of(const std::string& json) {
    const auto read = read_profile(as_bytes(json), "trace");
    EXPECT_TRUE(read.ok());
    return read.ok() ? analyze(read->profile) : Analysis();
}

TEST(HostileAnalysis, TimesAndNumbersBeyondAllBounds) {
    const Analysis found = analysis_of(
        R"({"deviceProperties":[{"numSms":-4,"id":"x"},17],"distributedInfo":3,"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#99999999999999999999","pid":1,"tid":1,"ts":0,"dur":1},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#-3","pid":1,"tid":1,"ts":-4000000000000000,"dur":4e15},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#","pid":1,"tid":1,"ts":5,"dur":1},
{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":4e15,"dur":4e15,"args":{"External id":1e300,"Input Dims":{}}},
{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":4e15,"dur":4e15,"args":{"External id":"7"}},
{"ph":"X","cat":"kernel","name":"k","pid":"x","tid":"y","ts":-4e15,"dur":4e15,"args":{"device":-9223372036854775808,"grid":[4294967296,-1,"a"],"block":7,"blocks per SM":NaN,"correlation":1}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4e15,"dur":4e15,"args":{"device":0,"registers per thread":1e9,"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":1,"dur":4e15,"args":{"correlation":1}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":3,"args":{"Device Type":1,"Device Id":-5,"Bytes":9223372036854775807}},
{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":4,"args":{"Device Type":1,"Device Id":-5,"Bytes":9223372036854775807}}
]})");
    for (const Step& step : found.steps.all) {
        std::int64_t sum = 0;
        for (const std::int64_t part : step.time.part_ns) {
            sum += part;
        }
        EXPECT_EQ(sum, step.time.total_ns);
    }
    JsonWriter json;
    write_json(json, found);
    EXPECT_FALSE(json.text().empty());
}

TEST(HostileAnalysis, DeepNestsTakeTimeInProportion) {
    for (const bool same_name : {true, false}) {
        Trace trace;
        constexpr int kDepth = 200'000;
        for (int depth = 0; depth < kDepth; ++depth) {
            trace.op(same_name ? "a" : depth % 2 == 0 ? "a" : "b", depth, 2.0 * (kDepth - depth));
        }
        for (int call = 0; call < 20'000; ++call) {
            trace.event("cuda_runtime", "cudaLaunchKernel", kDepth + call * 5, 1);
        }
        const Analysis found = trace.analysis();
        EXPECT_EQ(found.operators.size(), same_name ? 1U : 2U);
    }
}

TEST(HostileAnalysis, ModulesInsideThemselves) {
    Trace trace;
    for (int depth = 0; depth < 20'000; ++depth) {
        trace.event("python_function", "nn.Module: A_0", depth, 2.0 * (20'000 - depth),
                    R"({"Python module id":0})");
    }
    EXPECT_LE(trace.analysis().modules.size(), 512U);
}

TEST(HostileAnalysis, NothingAtAllGivesANote) {
    const Analysis found = analyze(Profile());
    ASSERT_EQ(found.notes.size(), 1U);
    EXPECT_TRUE(found.steps.all.empty());
    JsonWriter json;
    write_json(json, found);
    write_json(json, difference(found, found));
    write_json(json, compare_workers(std::span<const Analysis>()));
}

}  // namespace
}  // namespace taffrail::profile::analysis::testing
