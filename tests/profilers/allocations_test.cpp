// A program whose every `new` and `delete` is told to traces.
#include <taffrail/profiler.h>
#include <taffrail/trace_allocations.h>
#include <taffrail/zone.h>

#include "profile/analysis/analysis.h"
#include "profile/formats.h"
#include "test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

namespace taffrail {
namespace {

struct alignas(64) Line {
    char bytes[64] = {};
};

TEST(TracedAllocations, StandInTheTraceWithTheZoneThatMadeThem) {
    print_zones_at_exit(ZoneReport::None);
    const test::TestFolder folder;
    const auto profiler = *make_profiler(
        "trace",
        {.schedule = {.wait = 0, .warmup = 1, .active = 1, .repeat = 1}, .profile_memory = true});
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (int step = 0; step < 3; ++step) {
        profiler->step(step);
        {
            TAFFRAIL_ZONE("forward");
            std::vector<char> activations(1 << 20);
            activations[static_cast<std::size_t>(step)] = 1;
            const auto line = std::make_unique<Line>();
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(line.get()) % 64, 0U);
        }
    }
    ASSERT_TRUE(profiler->teardown().ok());
    const auto files = std::filesystem::directory_iterator(folder.path());
    ASSERT_NE(files, std::filesystem::directory_iterator());
    const auto read = profile::read_profile_file(files->path());
    ASSERT_TRUE(read.ok());
    const auto found = profile::analysis::analyze(read->profile);
    ASSERT_EQ(found.memory.size(), 1U);
    const auto row = std::ranges::find(found.memory[0].operators, "forward",
                                       &profile::analysis::MemoryOfOperator::name);
    ASSERT_NE(row, found.memory[0].operators.end());
    EXPECT_GE(row->self_allocated_bytes, (1 << 20) + 64);
    EXPECT_LT(row->self_allocated_bytes, (1 << 20) + 8192) << "and little else";
    EXPECT_GE(row->self_allocations, 2U);
    EXPECT_EQ(row->self_increase_bytes, 0) << "all of it was given back";
}

}  // namespace
}  // namespace taffrail
