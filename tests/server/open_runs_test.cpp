#include "server/open_runs.h"

#include "query/fake_run.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

using query::FakeRun;

TEST(OpenRuns, FindingG02_OneBudgetHoldsAndTheLongestUnusedGoesFirst) {
    OpenRuns runs(1000);
    for (int i = 0; i < 100; ++i) {
        runs.keep("r" + std::to_string(i), std::make_shared<FakeRun>(), 100);
        (void)runs.find("r0");
        EXPECT_LE(runs.bytes(), 1000u);
    }
    EXPECT_NE(runs.find("r0"), nullptr) << "used all the time";
    EXPECT_NE(runs.find("r99"), nullptr);
    EXPECT_EQ(runs.find("r50"), nullptr);
}

TEST(OpenRuns, FindingG02_ARunInUseOutlivesItsPlace) {
    OpenRuns runs(100);
    runs.keep("a", std::make_shared<FakeRun>(), 100);
    const auto used = runs.find("a");
    const std::weak_ptr<RecordedRun> unused = [&runs] {
        runs.keep("b", std::make_shared<FakeRun>(), 100);
        return runs.find("b");
    }();
    EXPECT_EQ(runs.find("a"), nullptr);
    EXPECT_EQ(used->revision(), 1u);
    runs.keep("c", std::make_shared<FakeRun>(), 100);
    EXPECT_TRUE(unused.expired()) << "closed as soon as nobody holds it";
}

TEST(OpenRuns, FindingG02_MorePointsWeighMore) {
    KeyInfo small, large, pictures;
    small.count = 10;
    large.count = 1'000'000;
    pictures.kind = Kind::Image;
    pictures.count = 1000;
    EXPECT_LT(OpenRuns::estimate({small}), OpenRuns::estimate({pictures}));
    EXPECT_GE(OpenRuns::estimate({large}), 16'000'000u);
}

}  // namespace
}  // namespace taffrail::server
