// Zones one by one in a file, and the files of a run, read back by the importer.
#include <taffrail/zone.h>

#include "base/clock.h"
#include "io/files.h"
#include "profile/formats/tprof/tprof.h"
#include "test_files.h"
#include "zones/attach.h"
#include "zones/open_block.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <thread>

namespace taffrail {
namespace {

struct ZoneTrace : testing::Test {
    ZoneTrace() {
        print_zones_at_exit(ZoneReport::None);
        reset_zones();
    }

    profile::Profile read(const std::string& path) {
        bytes = io::read_file(path).value();
        profile::Profile profile;
        const auto done = profile::read_tprof(bytes, profile);
        EXPECT_TRUE(done.ok());
        return profile;
    }

    test::TestFolder folder;
    Bytes bytes;
};

std::map<std::string, int> spans_by_name(const profile::Profile& profile) {
    std::map<std::string, int> counts;
    for (const profile::Span& span : profile.spans) {
        ++counts[std::string(profile.texts[span.name])];
    }
    return counts;
}

TEST_F(ZoneTrace, EveryZoneOfTheWindowIsInTheFileAndNoOther) {
    const std::int64_t begin = wall_time_ns();
    {
        TAFFRAIL_ZONE("before");
    }
    ASSERT_TRUE(start_zone_trace({.path = folder / "trace.tprof"}).ok());
    EXPECT_FALSE(start_zone_trace({.path = folder / "other.tprof"}).ok());
    for (int step = 0; step < 100; ++step) {
        mark_step(step);
        TAFFRAIL_ZONE("step");
        TAFFRAIL_ZONE("inner");
    }
    std::thread([] { TAFFRAIL_ZONE("on a thread"); }).join();
    ASSERT_TRUE(stop_zone_trace().ok());
    {
        TAFFRAIL_ZONE("after");
    }
    const profile::Profile profile = read(folder / "trace.tprof");
    const std::map<std::string, int> expected = {{"step", 100}, {"inner", 100}, {"on a thread", 1}};
    EXPECT_EQ(spans_by_name(profile), expected);
    EXPECT_EQ(profile.instants.size(), 100u);
    for (const profile::Span& span : profile.spans) {
        EXPECT_GE(span.begin_ns, begin - 1'000'000);
        EXPECT_GE(span.duration_ns, 0);
        EXPECT_LE(span.begin_ns + span.duration_ns, wall_time_ns() + 1'000'000);
    }
    EXPECT_TRUE(profile.notes.empty());
    EXPECT_TRUE(profile::tprof::check(bytes).ended);
}

TEST_F(ZoneTrace, TheBudgetEndsTheWindow) {
    ASSERT_TRUE(start_zone_trace({.path = folder / "trace.tprof", .max_bytes = 2000}).ok());
    const std::int64_t deadline = monotonic_ns() + 20'000'000'000;
    std::uint64_t before = 0, size = 1;
    // Grows until the budget is reached, and then not any more, however much is entered.
    while (monotonic_ns() < deadline && (size < 2000 || size != before)) {
        for (int zone = 0; zone < 1000; ++zone) {
            TAFFRAIL_ZONE("many");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        before = size;
        size = io::stat(folder / "trace.tprof")->size;
    }
    EXPECT_EQ(size, before);
    ASSERT_TRUE(stop_zone_trace().ok());
    EXPECT_LT(io::stat(folder / "trace.tprof")->size, 200'000u);
    EXPECT_GT(spans_by_name(read(folder / "trace.tprof"))["many"], 100);
}

TEST_F(ZoneTrace, WithoutARunAndWithoutAPathItIsAnError) {
    const auto started = start_zone_trace();
    ASSERT_FALSE(started.ok());
    EXPECT_NE(started.error().message.find("give a path"), std::string::npos);
    EXPECT_TRUE(stop_zone_trace().ok());
}

TEST_F(ZoneTrace, ARunKeepsItsTableAndRemovesTheBlock) {
    zones::attach_run(folder.path(), 0xABC);
    for (int step = 0; step < 7; ++step) {
        TAFFRAIL_ZONE("step");
        TAFFRAIL_ZONE("inner");
    }
    const std::string block = folder / "profiles/0000000000000abc.open";
    EXPECT_TRUE(io::exists(block));
    zones::attach_run(folder / "second", 1);
    ASSERT_TRUE(zones::detach_run(folder / "second").ok());
    ASSERT_TRUE(zones::detach_run(folder.path()).ok());
    EXPECT_FALSE(io::exists(block));
    EXPECT_FALSE(io::exists(folder / "second"));
    const profile::Profile profile = read(folder / "profiles/0000000000000abc-00000.tprof");
    std::map<std::string, double> calls;
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        const auto frame = profile.tree.frame(profile.samples[sample].node);
        calls[std::string(profile.texts[profile.frames[frame].name])] +=
            profile.values_of(sample)[0];
    }
    EXPECT_EQ(calls["step"], 7);
    EXPECT_EQ(calls["inner"], 7);
}

TEST_F(ZoneTrace, WhatWasTracedSurvivesAKill) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const std::string path = folder / "profiles/00000000000000ff-00000.tprof";
    const pid_t child = ::fork();
    if (child == 0) {
        zones::attach_run(folder.path(), 0xFF);
        if (!start_zone_trace().ok()) {
            ::_exit(1);
        }
        TAFFRAIL_ZONE("training");
        for (int zone = 0; zone < 500; ++zone) {
            TAFFRAIL_ZONE("done before");
        }
        if (!stop_zone_trace().ok()) {
            ::_exit(1);
        }
        static_cast<void>(::write(ready[1], "x", 1) == 1);
        ::pause();
    }
    char letter = 0;
    ASSERT_EQ(::read(ready[0], &letter, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(spans_by_name(read(path))["done before"], 500);
    EXPECT_FALSE(profile::tprof::check(bytes).ended);
    const auto open = zones::read_open_zones(folder / "profiles/00000000000000ff.open");
    ASSERT_TRUE(open.ok());
    ASSERT_EQ(open->zones.size(), 1u);
    EXPECT_EQ(open->zones[0].name, "training");
    ::close(ready[0]);
    ::close(ready[1]);
}

}  // namespace
}  // namespace taffrail
