// The one summary of points, and that nodes of a pyramid add up to it.
#include "model/bin_stats.h"

#include "model/pyramid.h"
#include "model/segment_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace taffrail::model {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(BinStats, AreThoseOfTheFinitePointsAndCountTheOthersApart) {
    BinStats stats;
    for (const double value : {std::nan(""), 1.0, kInf, 3.0, -kInf, -kInf, std::nan("")}) {
        stats.add(value);
    }
    EXPECT_EQ(stats.min, 1);
    EXPECT_EQ(stats.max, 3);
    EXPECT_EQ(stats.mean(), 2);
    EXPECT_EQ(stats.last, 3);
    EXPECT_EQ(stats.count, 7u);
    EXPECT_EQ(stats.nan_count, 2u);
    EXPECT_EQ(stats.positive_infinity_count, 1u);
    EXPECT_EQ(stats.negative_infinity_count, 2u);
}

TEST(BinStats, NothingFiniteIsNothingAndNotZero) {
    BinStats stats;
    stats.add(kInf);
    stats.add(std::nan(""));
    EXPECT_FALSE(stats.has_finite());
    EXPECT_TRUE(std::isnan(stats.mean()));
    EXPECT_TRUE(std::isnan(stats.last));
}

/// Values with a pyramid as SegmentSearch asks for them. `old` has nodes as older versions wrote
/// them, which took infinities for extremes.
class Nodes {
  public:
    Nodes(std::vector<double> values, bool old) : values_(std::move(values)) {
        pyramid_.extend(values_);
        levels_ = pyramid_.levels();
        for (unsigned level = 0; old && level < levels_.size(); ++level) {
            for (std::uint64_t node = 0; node < levels_[level].nodes(); ++node) {
                const std::uint64_t size = node_points(level);
                for (std::uint64_t i = node * size; i < (node + 1) * size; ++i) {
                    levels_[level].min[node] = std::fmin(levels_[level].min[node], values_[i]);
                    levels_[level].max[node] = std::fmax(levels_[level].max[node], values_[i]);
                }
            }
        }
    }

    [[nodiscard]] std::uint64_t points() const { return values_.size(); }

    [[nodiscard]] unsigned levels() const { return static_cast<unsigned>(levels_.size()); }

    [[nodiscard]] double point_value(std::uint64_t i) {
        ++reads;
        return values_[i];
    }

    [[nodiscard]] double node_last(unsigned level, std::uint64_t node) const {
        return values_[(node + 1) * node_points(level) - 1];
    }

    [[nodiscard]] std::span<const SpecialTotals> specials() const { return pyramid_.specials(); }

    void add_nodes(unsigned level, std::uint64_t first, std::uint64_t last, BinStats& stats) const {
        for (std::uint64_t node = first; node < last; ++node) {
            stats.min = std::min(stats.min, levels_[level].min[node]);
            stats.max = std::max(stats.max, levels_[level].max[node]);
            stats.sum += levels_[level].sum[node];
        }
        stats.count += (last - first) * node_points(level);
    }

    std::size_t reads = 0;

  private:
    std::vector<double> values_;
    Pyramid pyramid_;
    std::vector<PyramidLevel> levels_;
};

BinStats through_nodes(Nodes& nodes, std::uint64_t first, std::uint64_t last) {
    const std::uint64_t ends[] = {first, last};
    BinStats stats;
    SegmentSearch<Nodes>(nodes).accumulate(ends, {&stats, 1});
    return stats;
}

TEST(BinStats, NodesOfEveryVersionAddUpToThem) {
    std::mt19937 random(7);
    const auto pick = [&](std::uint64_t high) {
        return std::uniform_int_distribution<std::uint64_t>(0, high)(random);
    };
    for (int trial = 0; trial < 60; ++trial) {
        std::vector<double> values;
        const std::uint64_t odd = std::uint64_t{1} << pick(9);
        for (int i = 0; i < 5000; ++i) {
            const double others[] = {kInf, -kInf, std::nan("")};
            values.push_back(pick(odd) == 0 ? others[pick(2)] : static_cast<double>(pick(1000)));
        }
        for (const bool old : {false, true}) {
            Nodes nodes(values, old);
            const std::uint64_t first = pick(2000), last = first + pick(3000);
            const BinStats stats = through_nodes(nodes, first, last);
            BinStats plain;
            for (std::uint64_t i = first; i < last; ++i) {
                plain.add(values[i]);
            }
            ASSERT_EQ(stats.min, plain.min) << old;
            ASSERT_EQ(stats.max, plain.max) << old;
            ASSERT_EQ(stats.sum, plain.sum);
            ASSERT_TRUE(stats.last == plain.last || !plain.has_finite());
            ASSERT_EQ(stats.count, plain.count);
            ASSERT_EQ(stats.nan_count, plain.nan_count);
            ASSERT_EQ(stats.positive_infinity_count, plain.positive_infinity_count);
            ASSERT_EQ(stats.negative_infinity_count, plain.negative_infinity_count);
        }
    }
}

TEST(BinStats, OfARunThatDivergedAreNotReadPointByPoint) {
    std::vector<double> values(1u << 18, std::nan(""));
    values[100] = 5;
    Nodes nodes(std::move(values), false);
    EXPECT_EQ(through_nodes(nodes, 0, nodes.points()).last, 5);
    EXPECT_LE(nodes.reads, kBaseFanOut);
}

}  // namespace
}  // namespace taffrail::model
