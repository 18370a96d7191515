#include "query/chart/binning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace taffrail::query {
namespace {

TEST(Binning, EqualsBruteForceOnItsOwnEdges) {
    std::mt19937 random(5);
    std::normal_distribution<double> noise;
    std::vector<double> x, y;
    for (int i = 0; i < 5000; ++i) {
        x.push_back(i * 0.7);
        y.push_back(i % 97 == 0    ? std::nan("")
                    : i % 101 == 0 ? std::numeric_limits<double>::infinity()
                                   : noise(random));
    }
    for (AxisScale scale : {AxisScale::Linear, AxisScale::Symlog}) {
        ChartSeries series;
        bin_points(x, y, {}, {}, {scale, 100, 3000, 37}, 10, series);
        ASSERT_FALSE(series.raw);
        ASSERT_EQ(series.x.size(), series.bins() + 1);
        std::uint64_t counted = 0;
        for (std::size_t b = 0; b < series.bins(); ++b) {
            double min = 1e300, max = -1e300, sum = 0;
            std::uint32_t count = 0, finite = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const bool inside =
                    x[i] >= series.x[b] &&
                    (b + 1 == series.bins() ? x[i] <= series.x[b + 1] : x[i] < series.x[b + 1]);
                if (!inside) {
                    continue;
                }
                ++count;
                if (std::isfinite(y[i])) {
                    ++finite;
                    min = std::min(min, y[i]);
                    max = std::max(max, y[i]);
                    sum += y[i];
                }
            }
            ASSERT_EQ(series.count[b], count);
            ASSERT_EQ(series.min[b], min);
            ASSERT_EQ(series.max[b], max);
            ASSERT_NEAR(series.mean[b], sum / finite, 1e-12);
            counted += count;
        }
        EXPECT_EQ(counted, series.points);
    }
}

TEST(Binning, FewPointsComeRaw) {
    const std::vector<double> x{1, 2, 2, 9}, y{5, 6, 7, 8};
    ChartSeries series;
    bin_points(x, y, y, {}, {AxisScale::Linear, 1.5, 10, 100}, 100, series);
    EXPECT_TRUE(series.raw);
    EXPECT_EQ(series.points, 3u);
    EXPECT_EQ(series.x, (std::vector<double>{2, 2, 9, 9}));
    EXPECT_EQ(series.smooth, (std::vector<double>{6, 7, 8}));
}

TEST(Binning, SmoothedOnTheWayIsWhatAllSmoothedValuesGive) {
    std::mt19937 random(11);
    std::normal_distribution<double> noise;
    std::vector<double> x, y;
    for (int i = 0; i < 20000; ++i) {
        x.push_back(i + (i % 3 == 0 ? 0.25 : 0));
        y.push_back(i % 89 == 0 ? std::nan("") : noise(random));
    }
    for (const SmoothingMethod method : {SmoothingMethod::Ema, SmoothingMethod::TimeEma}) {
        const Smoothing smoothing{method, 0.97};
        const auto smoothed = smooth(x, y, smoothing);
        // All, a stretch far from the beginning, one bin with everything, and points as they are.
        for (const ChartGrid& grid : {ChartGrid{AxisScale::Linear, 0, 20000, 100},
                                      ChartGrid{AxisScale::Linear, 9000.5, 9800, 64},
                                      ChartGrid{AxisScale::Linear, 0, 20000, 1},
                                      ChartGrid{AxisScale::Linear, 15000, 15010, 100}}) {
            ChartSeries kept, running;
            bin_points(x, y, smoothed, {}, grid, grid.width, kept);
            bin_points(x, y, {}, smoothing, grid, grid.width, running);
            ASSERT_GT(kept.smooth.size(), 0u);
            EXPECT_EQ(running.smooth, kept.smooth);
            EXPECT_EQ(running.count, kept.count);
        }
    }
}

TEST(Binning, NothingInRangeIsAnEmptySeries) {
    const std::vector<double> x{1}, y{5};
    ChartSeries series;
    bin_points(x, y, {}, {}, {AxisScale::Linear, 2, 3, 10}, 5, series);
    EXPECT_EQ(series.bins(), 0u);
    EXPECT_EQ(series.x.size(), 1u);
}

}  // namespace
}  // namespace taffrail::query
