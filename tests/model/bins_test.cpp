// The plain path: grids, edges, and what counts as a bin.
#include "model/bins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace taffrail::model {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BinGrid, LaysLinearBoundariesEvenly) {
    const BinGrid grid = make_grid({.width = 4}, 0, 8);
    EXPECT_THAT(grid.boundary, ElementsAre(0, 2, 4, 6, 8));
    EXPECT_THAT(grid.earliest[1], DoubleEq(1));
    EXPECT_THAT(grid.latest[1], DoubleEq(3));
}

TEST(BinGrid, LaysLogBoundariesByFactor) {
    const BinGrid grid = make_grid({.scale = Scale::Log, .width = 3}, 1, 1000);
    EXPECT_NEAR(grid.boundary[1], 10, 1e-9);
    EXPECT_NEAR(grid.boundary[2], 100, 1e-9);
}

TEST(BinGrid, SurvivesTheWidestAxis) {
    const double end = std::numeric_limits<double>::max();
    const BinGrid grid = make_grid({.width = 2}, -end, end);
    EXPECT_THAT(grid.boundary, ElementsAre(-end, 0, end));
}

TEST(BinGrid, NeverCrossesWhenNumbersRunOut) {
    const double start = 1.7e18;
    const BinGrid grid = make_grid({.width = 1000}, start, std::nextafter(start, kInfinity));
    EXPECT_TRUE(std::is_sorted(grid.boundary.begin(), grid.boundary.end()));
}

TEST(BinsOfPoints, GivesRawPointsWhenTheyFit) {
    const std::vector<double> x{0, 1, 2}, value{5, kNan, -kInfinity};
    const Bins bins = bins_of_points(x, value, {.width = 2}).value();
    EXPECT_TRUE(bins.raw);
    EXPECT_THAT(bins.x, ElementsAre(0, 1, 2));
    EXPECT_THAT(bins.edges, ElementsAre(0, 1, 2, 2));
    EXPECT_THAT(bins.nan_count, ElementsAre(0, 1, 0));
    EXPECT_THAT(bins.negative_infinity_count, ElementsAre(0, 0, 1));
    EXPECT_TRUE(std::isnan(bins.min[1]));
    EXPECT_TRUE(std::isnan(bins.min[2]));
}

TEST(BinsOfPoints, AreThoseOfTheFinitePoints) {
    const std::vector<double> x{0, 1, 2, 3, 4}, value{1, kNan, 3, kInfinity, kNan};
    const Bins bins = bins_of_points(x, value, {.width = 1}).value();
    ASSERT_EQ(bins.size(), 1u);
    EXPECT_EQ(bins.min[0], 1);
    EXPECT_EQ(bins.max[0], 3);
    EXPECT_EQ(bins.mean[0], 2);
    EXPECT_EQ(bins.count[0], 5u);
    EXPECT_EQ(bins.nan_count[0], 2u);
    EXPECT_EQ(bins.positive_infinity_count[0], 1u);
    EXPECT_EQ(bins.last[0], 3);
}

TEST(BinsOfPoints, SortsAndKeepsLogOrderAmongEqualPositions) {
    const std::vector<double> x{3, 1, 1, 1, 1, 1}, value{30, 1, 2, 3, 4, 5};
    const Bins bins = bins_of_points(x, value, {.width = 2}).value();
    ASSERT_EQ(bins.size(), 2u);
    EXPECT_EQ(bins.last[0], 5);
    EXPECT_EQ(bins.last[1], 30);
}

TEST(BinsOfPoints, CountsWhatALogAxisCannotShow) {
    const std::vector<double> x{-1, 0, 1, 10}, value{1, 2, 3, 4};
    const Bins bins = bins_of_points(x, value, {.scale = Scale::Log, .width = 10}).value();
    EXPECT_EQ(bins.outside, 2u);
    EXPECT_EQ(bins.points, 2u);
}

TEST(BinsOfPoints, RefusesRangesThatAreNone) {
    const auto message = [](const BinRequest& request) {
        return bins_of_points({}, {}, request).error().message;
    };
    EXPECT_THAT(message({.width = 0}), HasSubstr("width"));
    EXPECT_THAT(message({.from = 3, .to = 2}), HasSubstr("backwards"));
    EXPECT_THAT(message({.from = kNan}), HasSubstr("open end"));
}

}  // namespace
}  // namespace taffrail::model
