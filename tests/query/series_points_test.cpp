#include "query/chart/series_points.h"

#include <gtest/gtest.h>

namespace taffrail::query {
namespace {

// A start and a time at two ends of the range are 2^64 ns apart, which no whole number holds.
TEST(OnAxis, RelativeTimeIsRightAcrossTheWholeRangeOfClocks) {
    std::vector<Point> points(2);
    points[0].time_ns = INT64_MIN + 2'000'000'000;
    points[1].time_ns = INT64_MAX;
    const SeriesPoints found = on_axis(points, {.axis = Axis::RelativeTime}, INT64_MIN, {});
    ASSERT_EQ(found.x.size(), 2u);
    EXPECT_DOUBLE_EQ(found.x[0], 2.0);
    EXPECT_DOUBLE_EQ(found.x[1], 18446744073.709551616);
}

// A step that was logged twice: each row stands where the metric was in it, as in
// RecordedRun::bins.
TEST(OnAxis, OverAMetricARowKeepsItsOwnPlace) {
    std::vector<Point> points(2), metric(2);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i] = {.step = 5, .value = static_cast<double>(i), .writer = 1, .seq = i};
        metric[i] = {.step = 5, .value = 10.0 - static_cast<double>(i), .writer = 1, .seq = i};
    }
    const SeriesPoints found = on_axis(points, {.axis = Axis::Metric, .metric = "lr"}, 0, metric);
    EXPECT_EQ(found.x, (std::vector<double>{9, 10}));
    EXPECT_EQ(found.y, (std::vector<double>{1, 0}));
    EXPECT_TRUE(on_axis(points, {.axis = Axis::Metric, .metric = "lr"}, 0, {}).x.empty());
}

}  // namespace
}  // namespace taffrail::query
