#include "query/run_set.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>

namespace taffrail::query {
namespace {

TEST(RunSet, PiecesAreAllDoneWhereNobodyStopsThem) {
    std::atomic<std::size_t> done = 0;
    RunSet::parallel(1000, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 1000u);
}

// Every thread has at most one piece in hand when the asker goes.
TEST(RunSet, WhenTheAskerGoesNothingMoreIsBegun) {
    std::stop_source asker;
    std::atomic<std::size_t> begun = 0;
    EXPECT_THROW(RunSet::parallel(
                     100'000,
                     [&](std::size_t) {
                         ++begun;
                         asker.request_stop();
                     },
                     asker.get_token()),
                 Cancelled);
    EXPECT_LE(begun, 1024u);
}

}  // namespace
}  // namespace taffrail::query
