#include "trackers/rising_steps.h"

#include <gtest/gtest.h>

using namespace taffrail;
using namespace taffrail::trackers;

TEST(RisingSteps, AreTheTrueStepsWhileTheyRise) {
    RisingSteps steps;
    for (const Step step : {Step{0}, Step{1}, Step{10}, Step{1} << 60}) {
        EXPECT_EQ(steps.place(step), step);
    }
    EXPECT_FALSE(steps.is_needed_beside());
}

TEST(RisingSteps, CountWhereTheTrueOnesDoNot) {
    RisingSteps steps;
    EXPECT_EQ(steps.place(-5), 0);
    EXPECT_TRUE(steps.is_needed_beside());
    EXPECT_EQ(steps.place(5), 5);
    EXPECT_EQ(steps.place(5), 6);
    EXPECT_EQ(steps.place(3), 7);
    EXPECT_EQ(steps.place(6), 8);
    EXPECT_EQ(steps.place(100), 100);  // back at its own place, and still told
    EXPECT_TRUE(steps.is_needed_beside());
}

TEST(RisingSteps, GoOnInTheNextProcess) {
    RisingSteps first;
    first.place(7);
    RisingSteps second(first.last(), first.is_needed_beside());
    EXPECT_EQ(second.place(3), 8);
    RisingSteps at_the_end(INT64_MAX, false);
    EXPECT_EQ(at_the_end.place(1), INT64_MAX);
}
