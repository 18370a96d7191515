// What a killed process leaves behind, and what a damaged block does to its reader.
#include "zones/open_block.h"

#include <taffrail/zone.h>

#include "base/clock.h"
#include "io/files.h"
#include "test_files.h"
#include "zones/attach.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <thread>

namespace taffrail::zones {
namespace {

// A process with many short runs: each has its file, all of them one range of addresses.
TEST(OpenBlock, OneRangeIsEnoughForManyRuns) {
    const test::TestFolder folder;
    const auto mappings = [] {
        const std::string maps = *io::read_text("/proc/self/maps");
        return std::ranges::count(maps, '\n');
    };
    std::ptrdiff_t after_first = 0;
    for (int run = 0; run < 50; ++run) {
        const std::string path = folder.path() + "/" + std::to_string(run) + ".open";
        TAFFRAIL_ZONE("around the run");
        ASSERT_TRUE(attach_open_block(path).ok());
        {
            TAFFRAIL_ZONE("of the run");
            const auto open = read_open_zones(path);
            ASSERT_TRUE(open.ok());
            ASSERT_EQ(open->zones.size(), 2u);
            EXPECT_EQ(open->zones[1].name, "of the run");
        }
        detach_open_block();
        EXPECT_FALSE(io::stat(path).ok());
        if (run == 4) {
            after_first = mappings();
        }
    }
    EXPECT_LE(mappings(), after_first + 25);  // 45 when each left its own
}

TEST(OpenZonesOfAKilledProcess, AreNamedWithTheirNestingAndThread) {
    const test::TestFolder folder;
    const std::string path = folder.path() + "/open.zones";
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const std::int64_t before = wall_time_ns();
    const pid_t child = ::fork();
    if (child == 0) {
        TAFFRAIL_ZONE("before the run");
        if (!attach_open_block(path).ok()) {
            ::_exit(1);
        }
        mark_step(41);
        mark_step(42);
        {
            TAFFRAIL_ZONE("ended");
        }
        TAFFRAIL_ZONE("training_step");
        std::thread loader([] {
            TAFFRAIL_ZONE("load");
            ::pause();
        });
        TAFFRAIL_ZONE("matmul");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        static_cast<void>(::write(ready[1], "x", 1) == 1);
        ::pause();
        loader.join();
    }
    char letter = 0;
    ASSERT_EQ(::read(ready[0], &letter, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto found = read_open_zones(path);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(found->process_id, static_cast<std::uint32_t>(child));
    EXPECT_EQ(found->step, 42);
    EXPECT_EQ(found->steps, 2u);
    std::vector<std::string> main_thread, others;
    for (const OpenZone& zone : found->zones) {
        (zone.thread_id == child ? main_thread : others).push_back(zone.name);
        EXPECT_GE(zone.since_ns, before - 1'000'000);
        EXPECT_LE(zone.since_ns, wall_time_ns() + 1'000'000);
    }
    EXPECT_EQ(main_thread, (std::vector<std::string>{"before the run", "training_step", "matmul"}));
    EXPECT_EQ(others, std::vector<std::string>{"load"});
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST(OpenZonesOfAKilledProcess, NothingIsLeftOfOneThatEndedWell) {
    const test::TestFolder folder;
    const std::string path = folder.path() + "/open.zones";
    ASSERT_TRUE(attach_open_block(path).ok());
    {
        TAFFRAIL_ZONE("inside");
        EXPECT_EQ(read_open_zones(path)->zones.back().name, "inside");
    }
    EXPECT_TRUE(read_open_zones(path)->zones.empty());
    detach_open_block();
    EXPECT_FALSE(io::exists(path));
    TAFFRAIL_ZONE("afterwards");
}

TEST(OpenZonesOfAKilledProcess, ForkedChildDoesNotWriteIntoIt) {
    const test::TestFolder folder;
    const std::string path = folder.path() + "/open.zones";
    ASSERT_TRUE(attach_open_block(path).ok());
    {
        TAFFRAIL_ZONE("of the parent");
        const pid_t child = ::fork();
        if (child == 0) {
            TAFFRAIL_ZONE("of the child");
            ::kill(::getpid(), SIGKILL);
        }
        ::waitpid(child, nullptr, 0);
        const auto found = read_open_zones(path);
        ASSERT_TRUE(found.ok());
        ASSERT_EQ(found->zones.size(), 1u);
        EXPECT_EQ(found->zones[0].name, "of the parent");
    }
    detach_open_block();
}

TEST(OpenBlockReader, AnyDamageGivesAnErrorOrSomethingBounded) {
    const test::TestFolder folder;
    const std::string path = folder.path() + "/open.zones";
    ASSERT_TRUE(attach_open_block(path).ok());
    Bytes whole;
    {
        TAFFRAIL_ZONE("inside");
        whole = io::read_file(path).value();
    }
    detach_open_block();
    std::mt19937_64 random(9);
    for (int trial = 0; trial < 2000; ++trial) {
        Bytes damaged = whole;
        for (int change = 0; change < 20; ++change) {
            // Mostly where numbers stand.
            const std::size_t within = trial % 2 == 0 ? 200 : damaged.size();
            damaged[random() % within] = static_cast<std::byte>(random());
        }
        if (trial % 10 == 0) {
            damaged.resize(random() % damaged.size());
        }
        if (const auto found = parse_open_zones(damaged, "damaged"); found.ok()) {
            EXPECT_LE(found->zones.size(), std::size_t{kOpenThreads} * kOpenDepth);
        }
    }
    EXPECT_FALSE(parse_open_zones({}, "empty").ok());
}

}  // namespace
}  // namespace taffrail::zones
