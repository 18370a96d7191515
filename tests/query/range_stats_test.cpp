#include "query/chart/range_stats.h"

#include "query/fake_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffrail::query {
namespace {

FakeRun noisy_run(std::size_t points) {
    FakeRun run;
    std::uint64_t random = 1;
    for (std::size_t i = 0; i < points; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        Point point;
        point.step = static_cast<Step>(3 * i);
        point.time_ns = static_cast<std::int64_t>(i) * 1'000'000;
        point.value = std::sin(static_cast<double>(i) * 1e-3) + 1e-4 * static_cast<double>(i) +
                      static_cast<double>(random >> 40) / (1 << 24);
        if (i % 1000 == 7) {
            point.value = std::nan("");
        }
        run.series["loss"].push_back(point);
    }
    return run;
}

RangeStats exact(const FakeRun& run, double from, double to) {
    std::vector<double> x, y;
    for (const Point& point : run.series.find("loss")->second) {
        if (static_cast<double>(point.step) >= from && static_cast<double>(point.step) <= to) {
            x.push_back(static_cast<double>(point.step));
            y.push_back(point.value);
        }
    }
    return stats_of_points(x, y);
}

TEST(RangeStats, FindingG09_BinsTellEverythingButScatterExactly) {
    const FakeRun run = noisy_run(50'000);
    for (const auto& [from, to] : {std::pair(0.0, 1e9), {30'000.0, 120'001.0}, {21.0, 149'000.5}}) {
        const RangeStats wanted = exact(run, from, to);
        const auto stats = stats_by_bins(run, "loss", Axis::Steps, from, to);
        ASSERT_TRUE(stats);
        EXPECT_EQ(stats->count, wanted.count);
        EXPECT_EQ(stats->nan, wanted.nan);
        EXPECT_EQ(stats->min, wanted.min);
        EXPECT_EQ(stats->max, wanted.max);
        EXPECT_EQ(stats->first, wanted.first);
        EXPECT_EQ(stats->last, wanted.last);
        EXPECT_NEAR(stats->mean, wanted.mean, 1e-9 * std::abs(wanted.mean));
        EXPECT_TRUE(stats->estimated);
        EXPECT_NEAR(stats->deviation, wanted.deviation, 0.02 * wanted.deviation);
        EXPECT_NEAR(stats->slope, wanted.slope, 0.01 * std::abs(wanted.slope));
    }
    EXPECT_EQ(run.reads, 0) << "no series was read whole";
}

TEST(RangeStats, FindingG09_AShortStretchIsExact) {
    const FakeRun run = noisy_run(50'000);
    const RangeStats wanted = exact(run, 30'000, 30'600);
    const auto stats = stats_by_bins(run, "loss", Axis::Steps, 30'000, 30'600);
    ASSERT_TRUE(stats);
    EXPECT_FALSE(stats->estimated);
    EXPECT_EQ(stats->count, wanted.count);
    EXPECT_EQ(stats->deviation, wanted.deviation);
    EXPECT_EQ(stats->slope, wanted.slope);
}

TEST(RangeStats, FindingG09_InfinitiesAreLeftToThePoints) {
    FakeRun run = noisy_run(20'000);
    run.series["loss"][5000].value = INFINITY;
    EXPECT_FALSE(stats_by_bins(run, "loss", Axis::Steps, std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace taffrail::query
