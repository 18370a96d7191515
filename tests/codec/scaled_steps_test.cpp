#include "codec/scaled_steps.h"

#include <gtest/gtest.h>

#include <limits>

namespace taffrail {
namespace {

TEST(ScaledSteps, LeaveWholeOnesAlone) {
    ScaledSteps steps;
    for (const double step : {0.0, -3.0, 4503599627370497.0}) {
        steps.see(step);
    }
    EXPECT_EQ(steps.factor(), 1);
    EXPECT_EQ(steps.whole(4503599627370497.0), 4503599627370497);
}

TEST(ScaledSteps, TakeTheFewestDigitsThatTellAllApart) {
    ScaledSteps steps;
    for (const double step : {0.1, 0.25, 3.0}) {
        steps.see(step);
    }
    EXPECT_EQ(steps.factor(), 100);
    EXPECT_EQ(steps.whole(0.1), 10);
    EXPECT_EQ(steps.whole(0.25), 25);
    EXPECT_EQ(steps.whole(3.0), 300);
}

TEST(ScaledSteps, StopAtSixDigitsAndAtTheEndsOfTheRange) {
    ScaledSteps steps;
    steps.see(1.0 / 3);
    EXPECT_EQ(steps.factor(), 1'000'000);
    EXPECT_EQ(steps.whole(1.0 / 3), 333333);
    steps.see(1e15);
    EXPECT_EQ(steps.factor(), 1);
    EXPECT_EQ(steps.whole(std::numeric_limits<double>::infinity()), INT64_MAX);
    EXPECT_EQ(steps.whole(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace taffrail
