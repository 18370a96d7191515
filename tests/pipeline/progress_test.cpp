#include <taffrail/progress.h>

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

}  // namespace
}  // namespace taffrail
