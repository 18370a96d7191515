// `profiler=trace` where there is a GPU, or none: a library stands for NVIDIA's, the rest is real.
#include <taffrail/profiler.h>
#include <taffrail/zone.h>

#include "profile/analysis/analysis.h"
#include "profile/analysis/event_args.h"
#include "profile/formats.h"
#include "test_files.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

namespace taffrail::gpu {
namespace {

/// Longer than two clocks can be apart.
void pause() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

class GpuTracer : public ::testing::Test {
  protected:
    GpuTracer() {
        print_zones_at_exit(ZoneReport::None);
        ::setenv("TAFFRAIL_CUPTI_LIBRARY", TAFFRAIL_FAKE_CUPTI, 1);
        ::unsetenv("FAKE_CUPTI_FAILS");
        ::unsetenv("NVTX_INJECTION64_PATH");
        void* library = ::dlopen(TAFFRAIL_FAKE_CUPTI, RTLD_NOW);
        launch = reinterpret_cast<void (*)(const char*)>(::dlsym(library, "fake_cupti_launch"));
    }

    /// Four steps, the last two of which are recorded.
    void train(Profiler& profiler) {
        ASSERT_TRUE(profiler.setup("fit", {}, folder.path()).ok());
        for (int step = 0; step < 4; ++step) {
            profiler.step(step);
            const ProfiledAction batch(&profiler, "run_training_batch");
            {
                TAFFRAIL_ZONE("forward");
                pause();
                launch("nvjet_sm90_forward");
                {
                    TAFFRAIL_ZONE("activation");
                    pause();
                    launch("relu_kernel");
                    pause();
                }
                launch("nvjet_sm90_forward");
                pause();
            }
        }
        ASSERT_TRUE(profiler.teardown().ok());
    }

    std::unique_ptr<Profiler> tracer() {
        return *make_profiler("trace",
                              {.schedule = {.wait = 1, .warmup = 1, .active = 2, .repeat = 1}});
    }

    test::TestFolder folder;
    void (*launch)(const char*) = nullptr;
};

TEST_F(GpuTracer, ZonesAndKernelsStandInOneFileAndBelongTogether) {
    const auto profiler = tracer();
    train(*profiler);
    EXPECT_THAT(profiler->summary(), testing::Not(testing::HasSubstr("no GPU trace")));
    EXPECT_THAT(profiler->summary(),
                testing::HasSubstr("records of the GPU were lost for want of room"));
    const auto files = std::filesystem::directory_iterator(folder.path());
    ASSERT_NE(files, std::filesystem::directory_iterator());
    const auto read = profile::read_profile_file(files->path());
    ASSERT_TRUE(read.ok()) << read.error().message;
    const profile::Profile& trace = read->profile;
    // A kernel has the number of the innermost zone around its launch.
    std::map<std::int64_t, std::string> zones;
    std::map<std::string, std::multiset<std::string>> kernels;
    for (const profile::Span& span : trace.spans) {
        const auto args = profile::analysis::scan_args(trace.args_text(span.args));
        if (trace.texts[span.category] == "cpu_op" && args.external != profile::analysis::kAbsent) {
            EXPECT_TRUE(zones.emplace(args.external, trace.texts[span.name]).second);
        }
    }
    EXPECT_EQ(zones.size(), 4U) << "two zones in each of two steps";
    for (const profile::Span& span : trace.spans) {
        if (trace.texts[span.category] == "kernel" ||
            trace.texts[span.category] == "cuda_runtime") {
            const auto args = profile::analysis::scan_args(trace.args_text(span.args));
            ASSERT_TRUE(zones.contains(args.external));
            kernels[zones[args.external]].emplace(trace.texts[span.name]);
        }
    }
    using Names = std::multiset<std::string>;
    const Names forward = {"cudaLaunchKernel",   "cudaLaunchKernel",   "cudaLaunchKernel",
                           "cudaLaunchKernel",   "nvjet_sm90_forward", "nvjet_sm90_forward",
                           "nvjet_sm90_forward", "nvjet_sm90_forward"};
    EXPECT_EQ(kernels["forward"], forward);
    EXPECT_EQ(kernels["activation"],
              (Names{"cudaLaunchKernel", "cudaLaunchKernel", "relu_kernel", "relu_kernel"}));
    // So the analysis knows what each of them cost on the device.
    const auto found = profile::analysis::analyze(trace);
    EXPECT_EQ(found.steps.all.size(), 2U);
    EXPECT_EQ(found.steps.sum[profile::analysis::Part::Kernel], 6 * 10'000);
    for (const auto& row : found.operators) {
        if (row.name == "forward") {
            EXPECT_EQ(row.device_self_ns, 4 * 10'000);
            EXPECT_EQ(row.device_total_ns, 6 * 10'000);
        } else if (row.name == "activation") {
            EXPECT_EQ(row.device_self_ns, 2 * 10'000);
        }
    }
}

TEST_F(GpuTracer, WithoutADriverTheTraceHasItsZonesAndOneLineSaysWhatIsMissing) {
    ::setenv("FAKE_CUPTI_FAILS", "999", 1);
    const auto profiler = tracer();
    train(*profiler);
    const std::string report = profiler->summary();
    const std::size_t said = report.find("no GPU trace: CUDA says");
    ASSERT_NE(said, std::string::npos) << report;
    EXPECT_EQ(report.find("no GPU trace", said + 1), std::string::npos) << "once";
    const auto files = std::filesystem::directory_iterator(folder.path());
    ASSERT_NE(files, std::filesystem::directory_iterator());
    const auto read = profile::read_profile_file(files->path());
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(std::ranges::count_if(read->profile.spans,
                                    [&](const profile::Span& span) {
                                        return read->profile.texts[span.name] == "activation";
                                    }),
              2);
}

}  // namespace
}  // namespace taffrail::gpu
