#include <taffrail/sink.h>

#include <gtest/gtest.h>

namespace taffrail {
namespace {

TEST(MetricDefinitions, FindingR04_AWholeNameCountsBeforePatternsThenTheNewest) {
    std::vector<MetricDefinition> all;
    EXPECT_EQ(find_metric(all, "loss"), nullptr);
    put_metric(all, {"*", {.summary = Summary::Mean}});
    put_metric(all, {"val/loss", {.summary = Summary::Min}});
    put_metric(all, {"val/*", {.summary = Summary::Max}});
    EXPECT_EQ(find_metric(all, "loss")->summary, Summary::Mean);
    EXPECT_EQ(find_metric(all, "val/acc")->summary, Summary::Max);
    EXPECT_EQ(find_metric(all, "val/loss")->summary, Summary::Min);
    EXPECT_EQ(find_metric({}, "loss"), nullptr);
}

TEST(MetricDefinitions, FindingR04_ALaterWordReplacesThatOfTheSamePatternAndIsTheNewest) {
    std::vector<MetricDefinition> all;
    put_metric(all, {"val/*", {.goal = Goal::Minimize}});
    put_metric(all, {"*", {.hidden = true}});
    put_metric(all, {"val/*", {.goal = Goal::Maximize}});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(*find_metric(all, "val/acc"), (MetricOptions{.goal = Goal::Maximize}));
    EXPECT_TRUE(find_metric(all, "other")->hidden);
}

}  // namespace
}  // namespace taffrail
