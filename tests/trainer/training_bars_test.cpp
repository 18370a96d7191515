#include <taffrail/trainer.h>
#include <taffrail/training_bars.h>

#include "base/diagnostics.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace taffrail {
namespace {

MetricMap metrics(std::vector<std::pair<std::string, double>> items) {
    MetricMap map;
    for (const auto& [name, value] : items) {
        map.set(name, value);
    }
    return map;
}

std::shared_ptr<LoggerBase> versioned(std::string version) {
    struct Versioned : LoggerBase {
        std::string text;

        [[nodiscard]] std::string version() const override { return text; }
    };

    auto logger = std::make_shared<Versioned>();
    logger->text = std::move(version);
    return logger;
}

TEST(TrainingBars, ShowTheVersionUntilItIsDropped) {
    struct Quiet : TrainingBars {
        using TrainingBars::TrainingBars;

        BarMetrics get_metrics(const MetricMap& logged) override {
            BarMetrics items = TrainingBars::get_metrics(logged);
            std::erase_if(items, [](const auto& item) { return item.first == "v_num"; });
            items.emplace_back("extra", 1.5);
            return items;
        }
    };

    TrainingBars plain({.refresh_rate = 0, .loggers = {versioned("3")}});
    EXPECT_EQ(plain.get_metrics(metrics({{"loss", 0.5}})),
              (BarMetrics{{"v_num", std::int64_t{3}}, {"loss", 0.5}}));
    Quiet quiet(TrainingBarOptions{.refresh_rate = 0, .loggers = {versioned("3")}});
    EXPECT_EQ(quiet.get_metrics(metrics({{"loss", 0.5}})),
              (BarMetrics{{"loss", 0.5}, {"extra", 1.5}}));
}

TEST(TrainingBars, W8MetricWithTheNameOfAStandardItemReplacesIt) {
    std::vector<std::string> said;
    reset_diagnostics();
    const auto before = set_diagnostic_handler(
        [&](DiagnosticLevel, std::string_view message) { said.emplace_back(message); });
    TrainingBars bars({.refresh_rate = 0, .loggers = {versioned("3")}});
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(bars.get_metrics(metrics({{"v_num", 0.5}, {"loss", 1}})),
                  (BarMetrics{{"v_num", 0.5}, {"loss", 1.0}}));
    }
    set_diagnostic_handler(before);
    ASSERT_EQ(said.size(), 1u);
    EXPECT_THAT(said[0], testing::HasSubstr("'v_num'"));
    EXPECT_THAT(said[0], testing::HasSubstr("rename the metric"));
}

TEST(TrainingBars, JoinVersionsAndShortenIds) {
    TrainingBars bars({.refresh_rate = 0, .loggers = {versioned("7"), versioned("abcdefgh")}});
    EXPECT_EQ(bars.get_metrics({})[0],
              (std::pair<std::string, BarValue>{"v_num", std::string("7_efgh")}));
}

TEST(TrainingBars, FindingT22_MetricsAreMadeOnlyWhereTheyAreSeen) {
    class Counting final : public TrainingBars {
      public:
        using TrainingBars::TrainingBars;
        int made = 0;

        BarMetrics get_metrics(const MetricMap& logged) override {
            ++made;
            return TrainingBars::get_metrics(logged);
        }
    };

    testing::internal::CaptureStdout();
    Counting bars({.max_epochs = 1});
    MetricMap metrics;
    bars.begin(Phase::Train, "Epoch 0", 10'000, 0);
    for (int step = 1; step <= 10'000; ++step) {
        metrics.set("loss", step);
        bars.update(step, metrics);
    }
    bars.end(metrics);
    const std::string printed = testing::internal::GetCapturedStdout();
    // Ten lines are printed, each with the metrics of its own step.
    EXPECT_LE(bars.made, 15);
    EXPECT_THAT(printed, testing::HasSubstr("loss=3e+3"));
    EXPECT_THAT(printed, testing::HasSubstr("loss=1e+4"));
}

TEST(TrainingBars, PublishEachBarByName) {
    testing::internal::CaptureStdout();
    std::vector<std::string> seen;
    TrainingBars bars(
        {.refresh_rate = 2, .on_publish = [&](std::string_view bar, std::int64_t position) {
             seen.push_back(std::string(bar) + std::to_string(position));
         }});
    const auto pass = [&](Phase phase, std::int64_t count) {
        bars.begin(phase, "bar", count, 0);
        for (std::int64_t i = 1; i <= count; ++i) {
            bars.update(i, metrics({{"loss", 1.0}}));
        }
    };
    pass(Phase::Sanity, 2);
    bars.end({});
    pass(Phase::Train, 3);
    pass(Phase::Validate, 1);
    bars.end({});
    bars.end({});
    pass(Phase::Test, 1);
    bars.end({});
    testing::internal::GetCapturedStdout();
    EXPECT_THAT(seen, testing::ElementsAre("sanity0", "sanity2", "train0", "train2", "train3",
                                           "validate0", "validate1", "test0", "test1"));
}

}  // namespace
}  // namespace taffrail
