// Nodes against a plain count over the same points.
#include "model/pyramid.h"

#include "model/bin_stats.h"
#include "model/series_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace taffrail::model {
namespace {

BinStats brute_force(std::span<const double> values) {
    BinStats stats;
    for (const double value : values) {
        stats.add(value);
    }
    return stats;
}

TEST(Pyramid, EveryNodeEqualsItsPoints) {
    const auto series = testing::make_series({.points = 70'000, .special = 0.001}, 1);
    Pyramid pyramid;
    pyramid.extend(series.value);
    ASSERT_EQ(pyramid.levels().size(), level_count(70'000));
    ASSERT_EQ(pyramid.levels().size(), 4u);
    for (unsigned level = 0; level < pyramid.levels().size(); ++level) {
        const PyramidLevel& nodes = pyramid.levels()[level];
        ASSERT_EQ(nodes.nodes(), 70'000 / node_points(level));
        for (std::uint64_t node = 0; node < nodes.nodes(); ++node) {
            const BinStats expected = brute_force(
                std::span(series.value).subspan(node * node_points(level), node_points(level)));
            ASSERT_EQ(nodes.min[node], expected.min) << level << " " << node;
            ASSERT_EQ(nodes.max[node], expected.max);
            ASSERT_NEAR(nodes.sum[node], expected.sum, 1e-9);
        }
    }
}

TEST(Pyramid, CountsSpecialsBeforeAnyNode) {
    const auto series = testing::make_series({.points = 6'400, .special = 0.01}, 2);
    Pyramid pyramid;
    pyramid.extend(series.value);
    for (std::uint64_t node = 0; node <= 100; ++node) {
        const BinStats expected = brute_force(std::span(series.value).first(node * kBaseFanOut));
        const SpecialTotals totals = specials_before(pyramid.specials(), node);
        EXPECT_EQ(totals.nan_count, expected.nan_count);
        EXPECT_EQ(totals.positive_infinity_count, expected.positive_infinity_count);
        EXPECT_EQ(totals.negative_infinity_count, expected.negative_infinity_count);
    }
}

TEST(Pyramid, GrowsTheSameInAnyPieces) {
    const auto series = testing::make_series({.points = 40'000, .special = 0.001}, 3);
    Pyramid at_once, in_pieces;
    at_once.extend(series.value);
    for (std::size_t end = 0; end < series.value.size();) {
        end = std::min(series.value.size(), end + 1 + (end * 7919) % 700);
        in_pieces.extend(std::span(series.value).first(end));
    }
    ASSERT_EQ(at_once.levels().size(), in_pieces.levels().size());
    for (std::size_t level = 0; level < at_once.levels().size(); ++level) {
        EXPECT_EQ(at_once.levels()[level].min, in_pieces.levels()[level].min);
        EXPECT_EQ(at_once.levels()[level].sum, in_pieces.levels()[level].sum);
    }
    EXPECT_EQ(at_once.specials().size(), in_pieces.specials().size());
}

TEST(Pyramid, HandlesOneInfinityPerLane) {
    for (std::size_t place = 0; place < kBaseFanOut; ++place) {
        std::vector<double> values(kBaseFanOut, 1.0);
        values[place] = -std::numeric_limits<double>::infinity();
        Pyramid pyramid;
        pyramid.extend(values);
        ASSERT_EQ(pyramid.specials().size(), 1u);
        EXPECT_EQ(pyramid.specials()[0].negative_infinity_count, 1u);
        EXPECT_EQ(pyramid.levels()[0].sum[0], 63);
        EXPECT_EQ(pyramid.levels()[0].max[0], 1);
    }
}

}  // namespace
}  // namespace taffrail::model
