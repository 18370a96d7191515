// Sums over lanes of numbers against a plain loop.
#include "model/number_sums.h"

#include "model/bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace taffrail::model {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Whole numbers, whose sum is the same in any order.
std::vector<double> numbers(std::size_t count) {
    std::mt19937 random(static_cast<unsigned>(count));
    std::vector<double> values(count);
    std::generate(values.begin(), values.end(),
                  [&] { return static_cast<double>(random() % 2001) - 1000; });
    return values;
}

TEST(NumberSums, AreThoseOfAPlainLoopWhateverTheLength) {
    for (std::size_t count = 1; count < 70; ++count) {
        const std::vector<double> values = numbers(count);
        const NumberSums sums = sums_of(values);
        EXPECT_EQ(sums.min, *std::ranges::min_element(values)) << count;
        EXPECT_EQ(sums.max, *std::ranges::max_element(values)) << count;
        EXPECT_EQ(sums.sum, std::accumulate(values.begin(), values.end(), 0.0)) << count;
        EXPECT_TRUE(sums.all_finite) << count;
    }
}

TEST(NumberSums, OfNothingAreNeutral) {
    const NumberSums sums = sums_of({});
    EXPECT_EQ(sums.min, kInfinite);
    EXPECT_EQ(sums.max, -kInfinite);
    EXPECT_EQ(sums.sum, 0);
    EXPECT_TRUE(sums.all_finite);
}

TEST(NumberSums, OneThatIsNotFiniteIsSeenWhereverItStands) {
    for (const double special : {kInfinite, -kInfinite, std::nan("")}) {
        for (std::size_t at = 0; at < 21; ++at) {
            std::vector<double> values = numbers(21);
            values[at] = special;
            EXPECT_FALSE(sums_of(values).all_finite) << special << " at " << at;
        }
    }
}

TEST(NumberSums, FiniteNumbersWhoseSumIsNotAreFinite) {
    const std::vector<double> values(12, std::numeric_limits<double>::max());
    EXPECT_TRUE(sums_of(values).all_finite);
}

TEST(Bins, OfSortedPlacesAreThoseOfALookAtEachPlace) {
    std::mt19937 random(3);
    for (const std::size_t count : {1u, 2u, 63u, 64u, 1000u}) {
        std::vector<double> x(count), y = numbers(count);
        for (double& place : x) {
            place = static_cast<double>(random() % 100);
        }
        std::ranges::sort(x);
        y[count / 2] = std::nan("");
        y[count / 3] = kInfinite;
        const std::vector<double> edges{3, 10, 10.5, 11, 40, 40, 90};
        const Bins bins = stats_on_edges(x, y, edges);
        ASSERT_EQ(bins.size(), 6u);
        for (std::size_t bin = 0; bin < 6; ++bin) {
            BinStats stats;
            for (std::size_t i = 0; i < count; ++i) {
                const bool closed = bin == 5 && x[i] == edges[6];
                if (x[i] >= edges[bin] && (x[i] < edges[bin + 1] || closed)) {
                    stats.add(y[i]);
                }
            }
            EXPECT_EQ(bins.count[bin], stats.count);
            EXPECT_EQ(bins.nan_count[bin], stats.nan_count);
            EXPECT_EQ(bins.positive_infinity_count[bin], stats.positive_infinity_count);
            if (stats.has_finite()) {
                EXPECT_EQ(bins.min[bin], stats.min);
                EXPECT_EQ(bins.max[bin], stats.max);
                EXPECT_EQ(bins.mean[bin], stats.mean());
                EXPECT_EQ(bins.last[bin], stats.last);
            } else {
                EXPECT_TRUE(std::isnan(bins.mean[bin]));
            }
        }
    }
}

}  // namespace
}  // namespace taffrail::model
