#include <taffrail/value.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace taffrail {
namespace {

TEST(Histogram, CountsNonFiniteValuesApart) {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const std::vector<double> values{0, 1, 2, 3, nan, inf, -inf, -inf};
    const Histogram histogram = Histogram::from_values(values, 3);
    EXPECT_EQ(histogram.nan_count, 1u);
    EXPECT_EQ(histogram.positive_infinity_count, 1u);
    EXPECT_EQ(histogram.negative_infinity_count, 2u);
    EXPECT_THAT(histogram.counts, testing::ElementsAre(1, 1, 2));
    EXPECT_EQ(histogram.edges.back(), 3);
}

TEST(Histogram, OneValueIsOneBin) {
    const std::vector<double> values{5, 5, 5};
    const Histogram histogram = Histogram::from_values(values);
    EXPECT_THAT(histogram.counts, testing::ElementsAre(3));
    EXPECT_THAT(histogram.edges, testing::ElementsAre(5, 5));
}

TEST(Histogram, HugeRangeDoesNotOverflow) {
    const std::vector<double> values{-1.7e308, 1.7e308};
    const Histogram histogram = Histogram::from_values(values, 4);
    EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0.0), 2);
}

TEST(PrCurve, CountsAddUpAtEveryThreshold) {
    const std::vector<std::uint8_t> labels{0, 1, 1, 0, 1};
    const std::vector<double> scores{0.1, 0.4, 0.8, 0.6, 1.0};
    const PrCurve curve = PrCurve::from_predictions(labels, scores, 11);
    ASSERT_EQ(curve.thresholds.size(), 11u);
    EXPECT_EQ(curve.true_positives[0], 3);
    EXPECT_EQ(curve.false_positives[0], 2);
    for (std::size_t i = 0; i < curve.thresholds.size(); ++i) {
        EXPECT_EQ(curve.true_positives[i] + curve.false_negatives[i], 3);
        EXPECT_EQ(curve.false_positives[i] + curve.true_negatives[i], 2);
    }
}

TEST(Shape, SaysWhenItCannotBeAnArray) {
    EXPECT_EQ((Shape{2, 3}).elements(), 6);
    EXPECT_EQ((Shape{2, -1}).elements(), -1);
    EXPECT_EQ((Shape{INT64_MAX, 3}).elements(), -1);
    EXPECT_FALSE((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}).valid());
}

}  // namespace
}  // namespace taffrail
