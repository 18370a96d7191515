#include "model/series_summary.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace taffrail::model {
namespace {

constexpr double kUpward = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

SeriesSummary summary_of(std::span<const double> values, std::int64_t first_time_ns = 0) {
    SeriesSummary summary;
    for (std::size_t i = 0; i < values.size(); ++i) {
        add_point(summary, values[i], static_cast<Step>(i),
                  first_time_ns + static_cast<std::int64_t>(i));
    }
    return summary;
}

TEST(SeriesSummary, InfinitiesAndNanAreCountedAndNothingElse) {
    const SeriesSummary summary =
        summary_of(std::array{2.0, kUpward, kNoNumber, -3.0, -kUpward, kNoNumber, kUpward});
    EXPECT_EQ(summary.count, 7u);
    EXPECT_EQ(summary.nan_count, 2u);
    EXPECT_EQ(summary.positive_infinity_count, 2u);
    EXPECT_EQ(summary.negative_infinity_count, 1u);
    EXPECT_EQ(summary.smallest(), -3.0);
    EXPECT_EQ(summary.largest(), 2.0);
    EXPECT_EQ(summary.mean(), -0.5);
    EXPECT_EQ(summary.newest(), -3.0);
}

TEST(SeriesSummary, NothingFiniteIsAbsentAndNotZero) {
    for (const SeriesSummary& summary :
         {SeriesSummary{}, summary_of(std::array{kNoNumber, kUpward}),
          merged({summary_of(std::array{kNoNumber}), summary_of(std::array{-kUpward})})}) {
        EXPECT_EQ(summary.smallest(), std::nullopt);
        EXPECT_EQ(summary.largest(), std::nullopt);
        EXPECT_EQ(summary.mean(), std::nullopt);
        EXPECT_EQ(summary.newest(), std::nullopt);
        EXPECT_TRUE(std::isnan(summary.min) && std::isnan(summary.max) && std::isnan(summary.last));
    }
}

TEST(SeriesSummary, PartsInAnyOrderAreTheWhole) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> values(random() % 40 + 1);
        for (double& value : values) {
            const auto pick = random() % 6;
            value = pick == 0   ? kNoNumber
                    : pick == 1 ? kUpward
                    : pick == 2 ? -kUpward
                                : static_cast<double>(random() % 100);
        }
        const std::size_t cut = random() % values.size();
        const SeriesSummary whole = summary_of(values);
        SeriesSummary first = summary_of(std::span(values).first(cut));
        SeriesSummary second =
            summary_of(std::span(values).subspan(cut), static_cast<std::int64_t>(cut));
        const SeriesSummary both =
            round % 2 == 0 ? merged({first, second}) : merged({second, first});
        EXPECT_EQ(both.count, whole.count);
        EXPECT_EQ(both.nan_count, whole.nan_count);
        EXPECT_EQ(both.infinity_count(), whole.infinity_count());
        EXPECT_EQ(both.smallest(), whole.smallest());
        EXPECT_EQ(both.largest(), whole.largest());
        EXPECT_EQ(both.newest(), whole.newest());
        EXPECT_EQ(both.mean(), whole.mean());
        EXPECT_EQ(both.last_time_ns, whole.last_time_ns);
    }
}

TEST(SeriesSummary, PointsWithAFlagAreLeftOut) {
    std::vector<Point> points(4);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].step = static_cast<Step>(i);
        points[i].time_ns = static_cast<std::int64_t>(10 * i);
        points[i].value = static_cast<double>(i);
    }
    EXPECT_EQ(summary_without(points, {}).mean(), 1.5);
    const SeriesSummary some = summary_without(points, {true, false, false, true});
    EXPECT_EQ(some.count, 2u);
    EXPECT_EQ(some.first_step, 1);
    EXPECT_EQ(some.last_step, 2);
    EXPECT_EQ(some.last_time_ns, 20);
    EXPECT_EQ(some.newest(), 2.0);
    EXPECT_EQ(summary_without(points, {true, true, true, true}).newest(), std::nullopt);
}

TEST(SeriesSummary, ThoseOfOlderVersionsAreRecognised) {
    EXPECT_FALSE(is_of_all_points(summary_of(std::array{1.0, kNoNumber, kUpward})));
    SeriesSummary old = summary_of(std::array{1.0, 2.0});
    old.last = kNoNumber;
    EXPECT_TRUE(is_of_all_points(old)) << "the newest point was no number";
    old = summary_of(std::array{1.0, kUpward});
    old.max = kUpward;
    EXPECT_TRUE(is_of_all_points(old));
}

}  // namespace
}  // namespace taffrail::model
