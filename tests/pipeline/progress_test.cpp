#include <taffrail/progress.h>
#include <taffrail/training_bars.h>

#include "base/diagnostics.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <list>

namespace taffrail {
namespace {

std::vector<std::int64_t> positions(int refresh_rate, std::int64_t total) {
    std::vector<std::int64_t> seen;
    {
        Progress bar({.total = total,
                      .refresh_rate = refresh_rate,
                      .on_publish = [&](std::int64_t position) { seen.push_back(position); }});
        for (std::int64_t i = 1; i <= total; ++i) {
            bar.update(i);
        }
    }
    return seen;
}

TEST(Progress, Case41PublishedPositions) {
    EXPECT_THAT(positions(1, 2), testing::ElementsAre(0, 1, 2));
    EXPECT_THAT(positions(3, 5), testing::ElementsAre(0, 3, 5));
    EXPECT_THAT(positions(6, 5), testing::ElementsAre(0, 5));
    EXPECT_THAT(positions(3, 7), testing::ElementsAre(0, 3, 6, 7));
}

TEST(Progress, FindingT11_ABarThatBeginsAtFiftyGoesOnAtFiftyOne) {
    testing::internal::CaptureStdout();
    Progress bar({.total = 100, .initial = 50});
    EXPECT_EQ(bar.position(), 50);
    bar.advance();
    EXPECT_EQ(bar.position(), 51);
    bar.close();
    testing::internal::GetCapturedStdout();
}

TEST(Progress, Case44EnvironmentRaisesTheRefreshRate) {
    const auto with = [](int option, const char* variable) {
        ::setenv("TQDM_MINITERS", variable, 1);
        const int rate = effective_refresh_rate(option);
        ::unsetenv("TQDM_MINITERS");
        return rate;
    };
    EXPECT_EQ(with(0, "1"), 1);
    EXPECT_EQ(with(1, "0"), 1);
    EXPECT_EQ(with(1, "1"), 1);
    EXPECT_EQ(with(2, "1"), 2);
    EXPECT_EQ(with(1, "2"), 2);
    EXPECT_EQ(effective_refresh_rate(0), 0);
}

TEST(Progress, RefreshRateZeroPublishesNothing) {
    EXPECT_THAT(positions(0, 5), testing::IsEmpty());
}

TEST(Progress, WalksAnyRangeUnchanged) {
    testing::internal::CaptureStdout();
    std::vector<int> values{1, 2, 3};
    for (int& value : progress(values)) {
        value *= 2;
    }
    EXPECT_THAT(values, testing::ElementsAre(2, 4, 6));
    std::int64_t sum = 0;
    for (const std::int64_t i : progress(5)) {
        sum += i;
    }
    EXPECT_EQ(sum, 10);
    int seen = 0;
    for (const int value : progress(std::list<int>{4, 5})) {
        seen += value;
    }
    EXPECT_EQ(seen, 9);
    testing::internal::GetCapturedStdout();
}

TEST(Progress, WritesOnePlainLinePerTenPercentWhereThereIsNoTerminal) {
    testing::internal::CaptureStdout();
    for ([[maybe_unused]] const std::int64_t i : progress(1000, {.description = "work"})) {
    }
    const std::string out = testing::internal::GetCapturedStdout();
    EXPECT_EQ(std::ranges::count(out, '\n'), 10) << out;
    EXPECT_THAT(out, testing::HasSubstr("work:  10% 100/1000 ["));
    EXPECT_THAT(out, testing::HasSubstr("work: 100% 1000/1000 ["));
    EXPECT_THAT(out, testing::Not(testing::HasSubstr("\x1B")));
    EXPECT_THAT(out, testing::Not(testing::HasSubstr("\r")));
}

TEST(Progress, LoopLeftEarlyEndsOnItsTruePosition) {
    testing::internal::CaptureStdout();
    for (const std::int64_t i : progress(1000, {.refresh_rate = 50})) {
        if (i == 123) {
            break;
        }
    }
    const std::string out = testing::internal::GetCapturedStdout();
    EXPECT_THAT(out, testing::HasSubstr(" 12% 123/1000 ["));
}

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
