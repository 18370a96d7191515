#include "model/kept_bins.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffrail::model {
namespace {

std::vector<Point> points_of(std::size_t count) {
    std::vector<Point> points(count);
    for (std::size_t i = 0; i < count; ++i) {
        points[i].step = static_cast<Step>(i);
        points[i].time_ns = static_cast<std::int64_t>(i);
        points[i].value = static_cast<double>(i);
    }
    return points;
}

/// Counts how often a series is asked for its points.
struct Counted {
    KeptBins kept{2, 10};
    int made = 0;

    Bins bins(std::string_view key, std::size_t points, std::uint64_t revision = 1,
              std::optional<std::uint32_t> attempt = std::nullopt) {
        const auto make = [&] {
            ++made;
            return points_of(points);
        };
        return kept.get(key, attempt, revision, make)->bins({.width = 1}, 0).value();
    }
};

TEST(KeptBins, ASeriesIsUnpackedOnce) {
    Counted series;
    EXPECT_EQ(series.bins("a", 20).points, 20u);
    EXPECT_EQ(series.bins("a", 20).points, 20u);
    EXPECT_EQ(series.made, 1);
    EXPECT_EQ(series.bins("a", 30, 2).points, 30u) << "it has grown";
    EXPECT_EQ(series.bins("a", 15, 2, 0).points, 15u) << "an attempt is another series";
    EXPECT_EQ(series.bins("a", 30, 2).points, 30u);
    EXPECT_EQ(series.made, 3);
}

TEST(KeptBins, TheLongestUnusedGoesAndShortOnesAreNotKept) {
    Counted series;
    series.bins("a", 20), series.bins("b", 20), series.bins("a", 20);
    EXPECT_EQ(series.made, 2);
    series.bins("c", 20), series.bins("a", 20);
    EXPECT_EQ(series.made, 3);
    series.bins("b", 20);
    EXPECT_EQ(series.made, 4);
    series.bins("short", 9), series.bins("short", 9);
    EXPECT_EQ(series.made, 6);
}

TEST(KeptBins, EveryAxisThatPointsHaveIsThere) {
    KeptBins kept(1, 0);
    std::vector<Point> points = points_of(4);
    points[1].epoch = 0.5;
    points[2].epoch = 1;
    points[3].samples = 64;
    const auto index = kept.get("a", std::nullopt, 1, [&] { return points; });
    for (const auto& [axis, placed] : {std::pair(Axis::Steps, 4u),
                                       {Axis::WallTime, 4u},
                                       {Axis::Epoch, 2u},
                                       {Axis::Samples, 1u}}) {
        const Bins bins = index->bins({.axis = axis, .width = 1}, 0).value();
        EXPECT_EQ(bins.points, placed);
        EXPECT_EQ(bins.points + bins.outside, 4u);
    }
}

TEST(KeptBins, AlongAMetricPointsStandWhereTheOtherSeriesWas) {
    const std::vector<Point> points = points_of(3);
    std::vector<Point> metric = points_of(2);
    metric[1].value = 10;
    const Bins bins =
        bins_along_metric(points, metric, {.axis = Axis::Metric, .metric = "x", .width = 8})
            .value();
    EXPECT_EQ(bins.x, (std::vector<double>{0, 10}));
    EXPECT_EQ(bins.outside, 1u) << "the metric was not logged at the third";
}

}  // namespace
}  // namespace taffrail::model
