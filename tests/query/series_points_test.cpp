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

}  // namespace
}  // namespace taffrail::query
