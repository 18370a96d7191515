// The cached list of runs: whole or not at all.
#include "model/run_cache.h"

#include "io/files.h"

#include <gtest/gtest.h>

namespace taffrail::model {
namespace {

std::vector<CachedRun> sample() {
    CachedRun run;
    run.folder = "runs/01-a";
    run.fingerprint = {1, 2, UINT64_MAX};
    run.watched = {"live/x.tlog"};
    run.info.id = "01";
    run.info.name = "calm-otter";
    run.info.tags = {"ablation", "\xF0\x9F\x9A\xA2"};
    run.info.state = RunState::Failed;
    run.info.start_time_ns = -5;
    run.info.world_size = 8;
    run.info.archived = true;
    run.info.config = {{"lr", 3e-4},
                       {"depth", std::int64_t{4}},
                       {"name", std::string("x")},
                       {"on", true},
                       {"none", Cell{}}};
    run.info.summary["best"] = 0.91;
    CachedRun other;
    other.folder = "runs/02-b";
    return {run, other};
}

TEST(RunCache, GivesBackWhatWentIn) {
    const std::string path = "memory://run_cache/a/list.runs";
    write_run_cache(path, sample()).value();
    const std::vector<CachedRun> back = read_run_cache(path);
    ASSERT_EQ(back.size(), 2u);
    EXPECT_EQ(back[0].fingerprint, sample()[0].fingerprint);
    EXPECT_EQ(back[0].watched, sample()[0].watched);
    EXPECT_EQ(back[0].info.name, "calm-otter");
    EXPECT_EQ(back[0].info.tags, sample()[0].info.tags);
    EXPECT_EQ(back[0].info.state, RunState::Failed);
    EXPECT_EQ(back[0].info.start_time_ns, -5);
    EXPECT_EQ(back[0].info.config, sample()[0].info.config);
    EXPECT_EQ(back[0].info.summary, sample()[0].info.summary);
    EXPECT_TRUE(back[0].info.archived);
    EXPECT_EQ(back[1].folder, "runs/02-b");
}

TEST(RunCache, IsEmptyWhenDamagedOrAbsent) {
    const std::string path = "memory://run_cache/b/list.runs";
    EXPECT_TRUE(read_run_cache(path).empty());
    write_run_cache(path, sample()).value();
    const Bytes good = io::read_file(path).value();
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        Bytes bad = good;
        bad[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        io::write_file_atomically(path, bad).value();
        EXPECT_TRUE(read_run_cache(path).empty()) << bit;
    }
    for (std::size_t length = 0; length < good.size(); ++length) {
        io::write_file_atomically(path, ByteSpan(good).first(length)).value();
        EXPECT_TRUE(read_run_cache(path).empty()) << length;
    }
}

TEST(RunCache, HasAPlaceForLocalRootsOnly) {
    EXPECT_TRUE(run_cache_path("memory://x").empty());
    EXPECT_EQ(run_cache_path("/a/b/../c"), run_cache_path("/a/c"));
    EXPECT_NE(run_cache_path("/a/c"), run_cache_path("/a/d"));
}

}  // namespace
}  // namespace taffrail::model
