#include "query/smoothing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace taffrail::query {
namespace {

constexpr SmoothingMethod kMethods[] = {SmoothingMethod::Ema, SmoothingMethod::TimeEma,
                                        SmoothingMethod::Gaussian, SmoothingMethod::Mean,
                                        SmoothingMethod::Median};

Smoothing typical(SmoothingMethod method) {
    return {method,
            method == SmoothingMethod::Ema || method == SmoothingMethod::TimeEma ? 0.9 : 15};
}

std::vector<double> noisy(std::size_t count) {
    std::mt19937 random(3);
    std::normal_distribution<double> noise;
    std::vector<double> y(count);
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = 1 / (1 + 0.01 * static_cast<double>(i)) + 0.1 * noise(random);
    }
    return y;
}

std::vector<double> steps(std::size_t count) {
    std::vector<double> x(count);
    std::iota(x.begin(), x.end(), 0.0);
    return x;
}

TEST(Smoothing, EmaIsTheDebiasedAverageWrittenPlainly) {
    const auto y = noisy(500), x = steps(500);
    const auto smoothed = smooth(x, y, {SmoothingMethod::Ema, 0.97});
    double m = 0, w = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        m = 0.97 * m + 0.03 * y[i];
        w = 0.97 * w + 0.03;
        ASSERT_NEAR(smoothed[i], m / w, 1e-12);
    }
}

TEST(Smoothing, WindowsEqualThePlainDefinition) {
    const auto y = noisy(200), x = steps(200);
    const auto mean = smooth(x, y, {SmoothingMethod::Mean, 8}),
               median = smooth(x, y, {SmoothingMethod::Median, 8});
    for (int i = 0; i < 200; ++i) {
        std::vector<double> window;
        for (int j = std::max(0, i - 4); j <= std::min(199, i + 4); ++j) {
            window.push_back(y[static_cast<std::size_t>(j)]);
        }
        const double sum = std::accumulate(window.begin(), window.end(), 0.0);
        ASSERT_NEAR(mean[static_cast<std::size_t>(i)], sum / static_cast<double>(window.size()),
                    1e-12);
        std::ranges::sort(window);
        const std::size_t half = window.size() / 2;
        const double middle =
            window.size() % 2 == 1 ? window[half] : (window[half - 1] + window[half]) / 2;
        ASSERT_NEAR(median[static_cast<std::size_t>(i)], middle, 1e-12);
    }
}

TEST(Smoothing, ConstantSeriesComeBackBitForBit) {
    const std::vector<double> y(300, 0.1);
    for (SmoothingMethod method : kMethods) {
        EXPECT_THAT(smooth(steps(300), y, typical(method)), testing::Each(testing::Eq(0.1)));
    }
}

TEST(Smoothing, NonFinitePointsKeepTheirValueAndDisturbNobody) {
    auto y = noisy(100);
    auto without = y;
    y.insert(y.begin() + 50, std::numeric_limits<double>::quiet_NaN());
    for (SmoothingMethod method : {SmoothingMethod::Ema, SmoothingMethod::Gaussian,
                                   SmoothingMethod::Mean, SmoothingMethod::Median}) {
        const auto smoothed = smooth(steps(101), y, typical(method)),
                   reference = smooth(steps(100), without, typical(method));
        EXPECT_TRUE(std::isnan(smoothed[50]));
        EXPECT_EQ(smoothed[49], reference[49]);
        EXPECT_EQ(smoothed[51], reference[50]);
    }
}

TEST(Smoothing, ExtremeAmountsStayFinite) {
    const auto y = noisy(50);
    for (double amount : {0.0, 0.999, 1.0, 5.0, 1e12, -3.0}) {
        for (SmoothingMethod method : kMethods) {
            EXPECT_THAT(smooth(steps(50), y, {method, amount}),
                        testing::Each(testing::Truly([](double v) { return std::isfinite(v); })));
        }
    }
    EXPECT_TRUE(smooth({}, {}, {SmoothingMethod::Ema, 0.9}).empty());
}

}  // namespace
}  // namespace taffrail::query
