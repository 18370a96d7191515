// Every axis of a series in memory, rising or not.
#include "model/series_index.h"

#include "model/bins.h"
#include "model/points_in_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace taffrail::model {
namespace {

void expect_equal_stats(const Bins& actual, const std::vector<double>& x,
                        const std::vector<double>& value, Scale scale) {
    const test::PointsInOrder points = test::points_in_order(x, value, scale);
    ASSERT_FALSE(actual.raw);
    const Bins expected = stats_on_edges(points.x, points.value, actual.edges);
    EXPECT_EQ(actual.count, expected.count);
    EXPECT_THAT(actual.min, ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), expected.min));
    EXPECT_THAT(actual.max, ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), expected.max));
    EXPECT_THAT(actual.last,
                ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), expected.last));
    EXPECT_EQ(actual.points, points.x.size());
    EXPECT_EQ(actual.outside, x.size() - points.x.size());
}

/// 20,000 points: steps rise, time jumps back once, epochs begin in the middle, samples are absent
/// here and there.
SeriesIndex make_index(std::vector<Point>& points) {
    std::mt19937 random(7);
    SeriesIndex index;
    for (int i = 0; i < 20'000; ++i) {
        Point point;
        point.step = 10 * i;
        point.time_ns =
            1'700'000'000'000'000'000 + i * 1'000'000LL - (i > 9'000 ? 3'600'000'000'000 : 0);
        point.value = static_cast<double>(random() % 1000);
        if (i >= 5'000) {
            point.epoch = i / 1000.0;
        }
        if (i % 3 != 0) {
            point.samples = 32LL * i;
        }
        points.push_back(point);
        index.append(point);
    }
    return index;
}

class SeriesIndexAxes : public ::testing::TestWithParam<std::tuple<Axis, Scale>> {};

TEST_P(SeriesIndexAxes, EqualsBruteForce) {
    const auto [axis, scale] = GetParam();
    constexpr std::int64_t kOrigin = 1'700'000'000'000'000'000;
    std::vector<Point> points;
    const SeriesIndex index = make_index(points);
    std::vector<double> x, value;
    for (const Point& point : points) {
        x.push_back(position_of(point, axis, kOrigin));
        value.push_back(point.value);
    }
    const Bins bins = index.bins({.axis = axis, .scale = scale, .width = 150}, kOrigin).value();
    expect_equal_stats(bins, x, value, scale);
}

INSTANTIATE_TEST_SUITE_P(All, SeriesIndexAxes,
                         ::testing::Combine(::testing::Values(Axis::Steps, Axis::WallTime,
                                                              Axis::RelativeTime, Axis::Epoch,
                                                              Axis::Samples),
                                            ::testing::Values(Scale::Linear, Scale::Log)));

TEST(SeriesIndex, SeesPointsAddedAfterASortedAnswer) {
    std::vector<Point> points;
    SeriesIndex index = make_index(points);
    const BinRequest request{.axis = Axis::WallTime, .width = 10};
    EXPECT_EQ(index.bins(request, 0).value().points, 20'000u);
    index.append(Point{.step = -5, .time_ns = 1, .value = 1});
    EXPECT_EQ(index.bins(request, 0).value().points, 20'001u);
    EXPECT_EQ(index.bins({.width = 10}, 0).value().edges.front(), -5);
}

TEST(SeriesIndex, SharesAxesAmongSeriesOfARow) {
    auto axes = std::make_shared<AxisTable>();
    SeriesIndex loss(axes), accuracy(axes);
    const std::vector<Step> steps{0, 1, 2};
    const std::vector<std::int64_t> times{10, 20, 30};
    axes->append({.step = steps, .time_ns = times});
    loss.append_values(std::vector<double>{3, 2, 1});
    accuracy.append_values(std::vector<double>{.1, .2, .3});
    EXPECT_EQ(loss.bins({.axis = Axis::WallTime}, 0).value().x, (std::vector<double>{10, 20, 30}));
    EXPECT_EQ(accuracy.bins({}, 0).value().last, (std::vector<double>{.1, .2, .3}));
}

TEST(SeriesIndex, RefusesAMetricAxis) {
    EXPECT_FALSE(SeriesIndex{}.bins({.axis = Axis::Metric, .metric = "lr"}, 0).ok());
}

TEST(MetricPositions, PrefersTheSameRowThenTheSameStep) {
    std::vector<Point> series(3), metric(3);
    series[0] = {.step = 1, .writer = 1, .seq = 5};
    series[1] = {.step = 2, .writer = 1, .seq = 6};
    series[2] = {.step = 9, .writer = 1, .seq = 7};
    metric[0] = {.step = 1, .value = 50, .writer = 1, .seq = 5};
    metric[1] = {.step = 2, .value = 20, .writer = 1, .seq = 99};
    metric[2] = {.step = 2, .value = 21, .writer = 2, .seq = 1};
    const std::vector<double> positions = metric_positions(series, metric);
    EXPECT_EQ(positions[0], 50);
    EXPECT_EQ(positions[1], 20);
    EXPECT_TRUE(std::isnan(positions[2]));
}

// Sources without rows number each series by itself: the third of a metric that was logged every
// tenth step is no row of the third of a loss.
TEST(MetricPositions, ANumberAtAnotherStepIsNotTheSameRow) {
    std::vector<Point> series(31), metric(4);
    for (std::size_t i = 0; i < series.size(); ++i) {
        series[i] = {.step = static_cast<Step>(i), .seq = i};
    }
    for (std::size_t i = 0; i < metric.size(); ++i) {
        metric[i] = {
            .step = static_cast<Step>(10 * i), .value = 0.5 * static_cast<double>(i), .seq = i};
    }
    const std::vector<double> positions = metric_positions(series, metric);
    for (std::size_t i = 0; i < series.size(); ++i) {
        EXPECT_TRUE(i % 10 == 0 ? positions[i] == 0.05 * static_cast<double>(i)
                                : std::isnan(positions[i]))
            << i;
    }
}

TEST(SeriesIndex, TakesStepsAtTheEndsOfTheRange) {
    SeriesIndex index;
    index.append(Point{.step = INT64_MIN, .time_ns = INT64_MIN, .value = 1});
    index.append(Point{.step = INT64_MAX, .time_ns = INT64_MAX, .value = 2});
    for (const Axis axis : {Axis::Steps, Axis::WallTime, Axis::RelativeTime}) {
        EXPECT_EQ(index.bins({.axis = axis, .width = 1}, 1'000).value().points, 2u);
    }
}

}  // namespace
}  // namespace taffrail::model
