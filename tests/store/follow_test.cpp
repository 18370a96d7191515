#include "store/follow.h"

#include "io/files.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

namespace taffrail::storage {
namespace {

using std::chrono::milliseconds;

TEST(Follower, NoticesAppendsToALog) {
    const std::string folder = fresh_folder("file");
    auto log = open_log(folder, sample_identity()).value();
    Follower follower;
    follower.watch_run(folder);
    EXPECT_FALSE(follower.wait(milliseconds(1)));
    log->append(sample_definitions()).value();
    EXPECT_TRUE(follower.wait(milliseconds(5000)));
    EXPECT_FALSE(follower.wait(milliseconds(1)));
    io::remove_tree(folder).value();
}

TEST(Follower, PollsWhatCannotBeWatched) {
    Follower follower(milliseconds(2));
    EXPECT_FALSE(follower.watch("memory://store/runs"));
    EXPECT_TRUE(follower.wait(milliseconds(5000)));
}

}  // namespace
}  // namespace taffrail::storage
