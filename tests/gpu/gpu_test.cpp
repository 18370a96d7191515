// The decoder and what becomes of its records, on a library that stands for NVIDIA's.
#include "gpu/collector.h"
#include "gpu/to_trace.h"
#include "profile/analysis/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace taffrail::gpu {
namespace {

class Gpu : public ::testing::Test {
  protected:
    void SetUp() override {
        ::setenv("TAFFRAIL_CUPTI_LIBRARY", TAFFRAIL_FAKE_CUPTI, 1);
        ::setenv("NVTX_INJECTION64_PATH", TAFFRAIL_FAKE_CUPTI, 1);
        ::unsetenv("FAKE_CUPTI_FAILS");
    }
};

TEST_F(Gpu, EveryRecordIsReadByThePlacesOfItsFields) {
    ASSERT_TRUE(start_collecting().ok());
    const Records records = stop_collecting();
    ASSERT_EQ(records.work.size(), 4U);
    const DeviceWork& kernel = records.work[0];
    EXPECT_EQ(kernel.kind, WorkKind::Kernel);
    EXPECT_EQ(kernel.begin_ns, 1'016'000);
    EXPECT_EQ(kernel.end_ns, 1'018'500);
    EXPECT_EQ(records.names[kernel.name], "nvjet_sm90_tst");
    EXPECT_EQ(kernel.registers, 168);
    EXPECT_EQ(kernel.shared_memory, 213'220U);
    EXPECT_EQ(kernel.grid, (std::array<std::uint32_t, 3>{128, 1, 1}));
    EXPECT_EQ(kernel.block, (std::array<std::uint32_t, 3>{384, 1, 1}));
    EXPECT_EQ(kernel.stream, 7U);
    EXPECT_EQ(kernel.correlation, 1U);
    EXPECT_EQ(records.work[3].bytes, 4'096U);
    EXPECT_EQ(records.calls.size(), 10U);
    EXPECT_EQ(records.markers.size(), 2U);
    EXPECT_EQ(records.others, 1U);
    EXPECT_EQ(records.dropped, 2U);
}

TEST_F(Gpu, ATraceInTheWordsOfPyTorchIsAnalysedLikeItsTraces) {
    ASSERT_TRUE(start_collecting().ok());
    const Records records = stop_collecting();
    const auto cupti = load_cupti();
    ASSERT_TRUE(cupti.ok());
    profile::Profile trace;
    add_records(
        records,
        {.cupti = *cupti,
         .devices =
             {.json =
                  R"([{"id":0,"name":"NVIDIA H200","numSms":132,)"
                  R"("computeMajor":9,"computeMinor":0,"maxThreadsPerMultiprocessor":2048,"warpSize":32,)"
                  R"("regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472}])",
              .multiprocessors = {132}},
         .process = 4711},
        trace);
    // Calls of the driver are left out where the runtime made them or nothing came of them.
    std::size_t calls = 0, markers = 0;
    for (const profile::Span& span : trace.spans) {
        const std::string_view category = trace.texts[span.category];
        calls += category == "cuda_runtime" ? 1U : 0U;
        markers += category == "user_annotation" && trace.texts[span.name] == "forward" ? 1U : 0U;
        EXPECT_NE(category, "cuda_driver");
    }
    EXPECT_EQ(calls, 4U);
    EXPECT_EQ(markers, 1U);
    EXPECT_EQ(trace.flows.size(), 8U) << "from each call to what it launched";
    const auto found = profile::analysis::analyze(trace);
    ASSERT_EQ(found.devices.size(), 1U);
    EXPECT_EQ(found.devices[0].kernels, 3U);
    EXPECT_GT(found.devices[0].occupancy.value_or(0), 0.17);
    EXPECT_GT(found.tensor_core_share, 0.6);
    ASSERT_EQ(found.kernels.size(), 2U);
    EXPECT_EQ(found.kernels[1].name, "void kernel<float>(float*)");
    ASSERT_EQ(found.copies.size(), 1U);
    EXPECT_EQ(found.copies[0].name, "Memcpy HtoD (Pageable -> Device)");
    EXPECT_EQ(found.calls.at(0).name, "cudaLaunchKernel");
}

TEST_F(Gpu, KernelsAloneRecordNoCalls) {
    ASSERT_TRUE(start_collecting({.calls = false, .markers = false}).ok());
    const Records records = stop_collecting();
    EXPECT_EQ(records.work.size(), 4U);
    EXPECT_TRUE(records.calls.empty());
    EXPECT_TRUE(records.markers.empty());
}

TEST_F(Gpu, RecordsBeyondTheLimitAreCountedAndTheTraceSaysSo) {
    ASSERT_TRUE(start_collecting().ok());
    const Records all = stop_collecting();
    const auto count = [](const Records& records) {
        return records.work.size() + records.calls.size() + records.markers.size() + records.others;
    };
    for (const std::uint64_t limit : {std::uint64_t{0}, all.bytes() / 2, all.bytes() - 1}) {
        ASSERT_TRUE(start_collecting({.max_bytes = limit}).ok());
        const Records some = stop_collecting();
        EXPECT_LT(some.bytes(), limit + sizeof(DeviceWork));
        EXPECT_EQ(count(some) + some.beyond_limit, count(all));
        EXPECT_EQ(some.beyond_limit == 0, limit == all.bytes() - 1);
        profile::Profile trace;
        add_records(some, {.cupti = *load_cupti()}, trace);
        const std::vector<std::string> lines = trace.notes.lines();
        EXPECT_EQ(std::ranges::any_of(lines,
                                      [](const std::string& line) {
                                          return line.find("as many as it may") !=
                                                 std::string::npos;
                                      }),
                  some.beyond_limit > 0);
    }
}

TEST_F(Gpu, AnotherProfilerIsNamed) {
    ::setenv("FAKE_CUPTI_FAILS", "39", 1);
    const auto started = start_collecting();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::Unavailable);
    EXPECT_NE(started.error().message.find("another profiler"), std::string::npos);
}

TEST_F(Gpu, WithoutADriverOneLineSaysSo) {
    ::setenv("FAKE_CUPTI_FAILS", "999", 1);
    const auto started = start_collecting();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(started.error().message.find('\n'), std::string::npos);
    EXPECT_TRUE(stop_collecting().work.empty()) << "nothing was started";
}

}  // namespace
}  // namespace taffrail::gpu
