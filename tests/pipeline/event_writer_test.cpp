#include <taffrail/event_writer.h>

#include "pipeline/watched_run.h"

#include <gmock/gmock.h>

namespace taffrail {
namespace {

using testing::ElementsAre;

class EventWriterTest : public testing::Test {
  protected:
    EventWriter make(LoggingOptions options) {
        if (options.writers.empty()) {
            options.writers.push_back({"csv", {{"log_dir", "memory://x"}}});
        }
        return EventWriter::make(run, std::move(options)).value();
    }

    static std::vector<Step> routed_steps(std::string_view key) {
        std::vector<Step> found;
        for (const auto& each : test::logged()) {
            if (each.key == key && each.route != kStoreOnly) {
                found.push_back(each.step);
            }
        }
        return found;
    }

    taffrail::Run& run = test::fresh_run();
};

TEST_F(EventWriterTest, SinksReceiveEveryTenthStepAndTheStoreAll) {
    EventWriter writer = make({});
    for (Step step = 0; step < 100; ++step) {
        writer.put_scalar("loss", 1.0, step);
    }
    EXPECT_THAT(routed_steps("loss"), ElementsAre(0, 10, 20, 30, 40, 50, 60, 70, 80, 90));
    EXPECT_EQ(test::steps("loss").size(), 100u);
}

TEST_F(EventWriterTest, TimesAreAveragedOverTheWindow) {
    EventWriter writer = make({.max_buffer_size = 2});
    Step step = 0;
    for (const double seconds : {2.0, 4.0, 6.0, 8.0}) {
        writer.put_time("ITER_TRAIN_TIME", seconds, step++);
    }
    EXPECT_THAT(test::scalars("Train Iter (time)"), ElementsAre(2, 3, 5, 7));
    EXPECT_THAT(test::scalars("Train Total (time)"), ElementsAre(2, 6, 12, 20));
}

TEST_F(EventWriterTest, EtaEndsAtNothing) {
    EventWriter writer = make({.max_iterations = 3});
    for (Step step = 0; step < 3; ++step) {
        writer.put_time("ITER_TRAIN_TIME", 2.0, step);
    }
    EXPECT_THAT(test::scalars("ETA (time)"), ElementsAre(4, 2, 0));
}

TEST_F(EventWriterTest, DictionariesBecomeOneRowOfKeys) {
    EventWriter writer = make({});
    writer.put_dict("Train Loss", {{"rgb", 0.5}, {"depth", 0.25}}, 0);
    EXPECT_THAT(test::keys(), ElementsAre("Train Loss/depth", "Train Loss/rgb"));
}

TEST_F(EventWriterTest, AnyNumberOfWriters) {
    EXPECT_EQ(EventWriter::make(run, {}).value().route(), kStoreOnly);
    EventWriter three = make({.writers = {{"CSVLogger", {{"log_dir", "memory://a"}}},
                                          {"csv", {{"log_dir", "memory://b"}}},
                                          {"LocalWriter", {{"log_dir", "memory://c"}}}}});
    EXPECT_EQ(three.route(), 7);
}

TEST(WindowMean, ForgetsTheOldest) {
    WindowMean mean(3);
    EXPECT_EQ(mean.add(3), 3);
    EXPECT_EQ(mean.add(6), 4.5);
    EXPECT_EQ(mean.add(9), 6);
    EXPECT_EQ(mean.add(12), 9);
}

}  // namespace
}  // namespace taffrail
