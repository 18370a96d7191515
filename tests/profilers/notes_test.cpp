// What a trace has beside zones where it is asked for: shapes, memory, and who called.
#include <taffrail/profiler.h>
#include <taffrail/trace_notes.h>
#include <taffrail/zone.h>

#include "profile/analysis/analysis.h"
#include "profile/formats.h"
#include "test_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace taffrail {
namespace {

namespace analysis = profile::analysis;

/// An address to tell of.
char some_block = 0;

const ProfilerOptions kOneStep = {.schedule = {.wait = 1, .warmup = 0, .active = 1, .repeat = 1}};

struct TraceNotes : testing::Test {
    TraceNotes() {
        print_zones_at_exit(ZoneReport::None);
        reset_zones();
    }

    /// Three steps of `work`, of which the second is recorded.
    template <typename Work>
    profile::Profile trace(const ProfilerOptions& options, Work&& work) {
        const auto profiler = *make_profiler("trace", options);
        EXPECT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
        for (int step = 0; step < 3; ++step) {
            profiler->step(step);
            work(step);
        }
        EXPECT_TRUE(profiler->teardown().ok());
        profile::Profile found;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            auto read = profile::read_profile_file(entry.path());
            EXPECT_TRUE(read.ok());
            found = std::move(read->profile);
        }
        return found;
    }

    test::TestFolder folder;
};

const analysis::OperatorRow* find(const std::vector<analysis::OperatorRow>& rows,
                                  std::string_view name, std::string_view shapes = "") {
    const auto at = std::ranges::find_if(
        rows, [&](const auto& row) { return row.name == name && row.shapes == shapes; });
    return at == rows.end() ? nullptr : &*at;
}

void layer(std::int64_t rows, std::size_t columns) {
    TAFFRAIL_ZONE("layer");
    TAFFRAIL_ZONE_SHAPE(rows, columns);
    {
        TAFFRAIL_ZONE("multiply");
        TAFFRAIL_ZONE_SHAPE(rows, columns);
        TAFFRAIL_ZONE_SHAPE(columns, 8);
    }
    TAFFRAIL_ZONE_SHAPE(rows);
}

TEST_F(TraceNotes, ShapesAreThoseOfTheInnermostZone) {
    ProfilerOptions options = kOneStep;
    options.record_shapes = true;
    const auto found = analysis::analyze(trace(options, [](int) {
        layer(64, 784);
        layer(64, 784);
        layer(32, 784);
        TAFFRAIL_ZONE("plain");
    }));
    const auto& rows = found.operators_by_shape;
    std::string all;
    for (const auto& row : rows) {
        all += row.name + " " + row.shapes + " x " + std::to_string(row.calls) + "\n";
    }
    SCOPED_TRACE(all);
    ASSERT_NE(find(rows, "layer", "[[64,784],[64]]"), nullptr);
    EXPECT_EQ(find(rows, "layer", "[[64,784],[64]]")->calls, 2U);
    ASSERT_NE(find(rows, "layer", "[[32,784],[32]]"), nullptr);
    ASSERT_NE(find(rows, "multiply", "[[64,784],[784,8]]"), nullptr);
    EXPECT_EQ(find(rows, "multiply", "[[64,784],[784,8]]")->calls, 2U);
    ASSERT_NE(find(found.operators, "plain"), nullptr);
    EXPECT_EQ(find(found.operators, "layer")->calls, 3U);
}

TEST_F(TraceNotes, MemoryIsACurveWithItsPeakAndWhoTookIt) {
    ProfilerOptions options = kOneStep;
    options.profile_memory = true;
    int place = 0;
    report_memory(&place, 1000);  // before: part of the sums, not of the trace
    const auto found = analysis::analyze(trace(options, [](int) {
        static std::array<char, 4> blocks{};
        TAFFRAIL_ZONE("forward");
        report_memory(&blocks[0], 4096);
        {
            TAFFRAIL_ZONE("activation");
            report_memory(&blocks[1], 1 << 20);
            report_memory(&blocks[2], 512, 0);
            report_memory(&blocks[1], -(1 << 20));
        }
        report_memory(&blocks[0], -4096);
        report_memory(&blocks[2], -512, 0);
    }));
    report_memory(&place, -1000);
    ASSERT_EQ(found.memory.size(), 2U);
    const auto& host = *std::ranges::find(found.memory, "CPU", &analysis::MemoryOfDevice::device);
    EXPECT_EQ(host.allocations, 2U);
    EXPECT_EQ(host.frees, 2U);
    EXPECT_EQ(host.peak_allocated_bytes - host.curve.back().allocated_bytes, 4096 + (1 << 20));
    const auto row = [&](std::string_view name) {
        return *std::ranges::find(host.operators, name, &analysis::MemoryOfOperator::name);
    };
    EXPECT_EQ(row("activation").self_allocated_bytes, 1 << 20);
    EXPECT_EQ(row("forward").self_allocated_bytes, 4096);
    EXPECT_EQ(row("forward").allocated_bytes, 4096 + (1 << 20));
    const auto& device =
        *std::ranges::find(found.memory, "GPU 0", &analysis::MemoryOfDevice::device);
    EXPECT_EQ(device.peak_allocated_bytes, 512);
}

TEST_F(TraceNotes, EveryThreadsReportsAreThere) {
    ProfilerOptions options = kOneStep;
    options.profile_memory = true;
    constexpr int kThreads = 4, kEach = 5000;
    const profile::Profile found = trace(options, [](int) {
        std::vector<std::thread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([] {
                for (int number = 0; number < kEach; ++number) {
                    report_memory(&some_block, number % 2 == 0 ? 64 : -64);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    });
    EXPECT_EQ(
        std::ranges::count_if(found.instants,
                              [&](const auto& one) { return found.texts[one.name] == "[memory]"; }),
        kThreads * kEach);
    EXPECT_TRUE(found.notes.empty());
}

TEST_F(TraceNotes, StacksNameThePlacesThatCalled) {
    ProfilerOptions options = kOneStep;
    options.with_stack = true;
    const auto found = analysis::analyze(trace(options, [](int) { layer(1, 1); }));
    const auto* row = find(found.operators, "multiply");
    ASSERT_NE(row, nullptr);
    ASSERT_EQ(row->stacks.size(), 1U);
    EXPECT_THAT(row->stacks[0].stack,
                testing::MatchesRegex(".*notes_test.cpp\\([0-9]+\\): multiply\n.*notes_test.cpp"
                                      "\\([0-9]+\\): layer"));
}

TEST_F(TraceNotes, AreNotThereUnlessTheyAreAskedFor) {
    const profile::Profile found = trace(kOneStep, [](int) {
        layer(64, 784);
        report_memory(&some_block, 64);
    });
    EXPECT_TRUE(found.instants.empty());
    for (const profile::Span& span : found.spans) {
        EXPECT_EQ(found.args_text(span.args).find("Input Dims"), std::string_view::npos);
        EXPECT_EQ(found.args_text(span.args).find("Call stack"), std::string_view::npos);
    }
}

}  // namespace
}  // namespace taffrail
