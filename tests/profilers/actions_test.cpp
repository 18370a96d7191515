// Starting and stopping actions.
#include "profilers/common/actions.h"

#include <gtest/gtest.h>

#include <thread>

namespace taffrail::profilers {
namespace {

TEST(ProfilerActions, ASecondStartAndAnUnknownStopAreErrors) {
    Actions actions;
    ASSERT_TRUE(actions.start("step").ok());
    const auto again = actions.start("step");
    ASSERT_FALSE(again.ok());
    EXPECT_NE(again.error().message.find("'step' was started while it runs"), std::string::npos);
    ASSERT_TRUE(actions.stop("step").ok());
    EXPECT_FALSE(actions.stop("step").ok());
    EXPECT_FALSE(actions.stop("never started").ok());
    EXPECT_TRUE(actions.start("step").ok()) << "it ended, so it may start again";
    EXPECT_TRUE(actions.stop("step").ok());
    ASSERT_EQ(actions.totals().size(), 1u);
    EXPECT_EQ(actions.totals()[0].calls, 2u);
}

TEST(ProfilerActions, FourThreadsRunTheSameOne) {
    Actions actions;
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 500; ++turn) {
                ASSERT_TRUE(actions.start("load").ok());
                ASSERT_FALSE(actions.stop("other").ok());
                ASSERT_TRUE(actions.stop("load").ok());
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(actions.totals()[0].calls, 2000u);
    ASSERT_TRUE(actions.start("load").ok());
    std::thread([&] {
        EXPECT_FALSE(actions.stop("load").ok()) << "runs on another thread";
    }).join();
    EXPECT_TRUE(actions.stop("load").ok());
}

TEST(ProfilerActions, EndingThemInAnyOrder) {
    Actions actions;
    ASSERT_TRUE(actions.start("outer").ok());
    ASSERT_TRUE(actions.start("inner").ok());
    EXPECT_TRUE(actions.stop("outer").ok());
    EXPECT_TRUE(actions.stop("inner").ok());
    EXPECT_EQ(actions.totals().size(), 2u);
}

TEST(ProfilerActions, OwnersAreTakenOff) {
    EXPECT_EQ(without_owner("[Callback]ModelCheckpoint.on_train_end"), "on_train_end");
    EXPECT_EQ(without_owner("[Strategy]backward"), "backward");
    EXPECT_EQ(without_owner("run_training_epoch"), "run_training_epoch");
    EXPECT_EQ(without_owner("[broken"), "[broken");
    EXPECT_EQ(without_owner(""), "");
}

}  // namespace
}  // namespace taffrail::profilers
