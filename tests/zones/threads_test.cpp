// Many threads, short ones, forks: nothing is lost, nothing grows.
#include <taffrail/zone.h>

#include "zones/thread_zones.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace taffrail {
namespace {

std::uint64_t calls_of(const std::string& name) {
    for (const ZoneRow& row : zone_rows()) {
        if (row.name == name) {
            return row.calls;
        }
    }
    return 0;
}

struct ZoneThreads : testing::Test {
    ZoneThreads() {
        print_zones_at_exit(ZoneReport::None);
        reset_zones();
    }
};

TEST_F(ZoneThreads, EachThreadCountsItsOwnAndTheTableHasAll) {
    constexpr int kThreads = 4;
    constexpr int kZones = 20'000;
    std::atomic<bool> done{false};
    std::thread reader([&] {
        while (!done.load()) {
            for (const ZoneRow& row : zone_tree()) {
                ASSERT_LE(row.calls, std::uint64_t{kThreads} * kZones);
            }
        }
    });
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
        threads.emplace_back([] {
            for (int zone = 0; zone < kZones; ++zone) {
                TAFFRAIL_ZONE("of threads");
                TAFFRAIL_ZONE("inside of it");
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    done.store(true);
    reader.join();
    EXPECT_EQ(calls_of("of threads"), std::uint64_t{kThreads} * kZones);
    EXPECT_EQ(calls_of("inside of it"), std::uint64_t{kThreads} * kZones);
}

TEST_F(ZoneThreads, ShortThreadsShareTheMemoryOfThoseBefore) {
    const auto threads_known = [] {
        const std::lock_guard lock(zones::all_threads().mutex);
        return zones::all_threads().threads.size();
    };
    std::thread([] { TAFFRAIL_ZONE("short"); }).join();
    const std::size_t before = threads_known();
    for (int turn = 0; turn < 200; ++turn) {
        std::thread([] { TAFFRAIL_ZONE("short"); }).join();
    }
    EXPECT_EQ(threads_known(), before);
    EXPECT_EQ(calls_of("short"), 201u);
}

TEST_F(ZoneThreads, LapLeftOpenEndsWithItsThread) {
    std::thread([] { TAFFRAIL_LAP("left open"); }).join();
    EXPECT_EQ(calls_of("left open"), 1u);
}

TEST_F(ZoneThreads, ForkedChildCountsFromZeroAndLeavesTheParentAlone) {
    {
        TAFFRAIL_ZONE("forked");
    }
    TAFFRAIL_ZONE("around the fork");
    const pid_t child = ::fork();
    if (child == 0) {
        {
            TAFFRAIL_ZONE("forked");
        }
        ::_exit(calls_of("forked") == 1 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(calls_of("forked"), 1u);
}

}  // namespace
}  // namespace taffrail
