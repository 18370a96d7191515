#include "query/groups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace taffrail::query {
namespace {

// Regularised incomplete beta function by its continued fraction (Lentz), enough for t quantiles.
double incomplete_beta(double a, double b, double x) {
    if (x <= 0) {
        return 0;
    }
    if (x >= 1) {
        return 1;
    }
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                  a * std::log(x) + b * std::log1p(-x));
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - incomplete_beta(b, a, 1 - x);
    }
    static constexpr double kTiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (std::abs(d) < kTiny ? kTiny : d);
    double fraction = d;
    for (int m = 1; m <= 300; ++m) {
        for (int odd = 0; odd < 2; ++odd) {
            const double n = m;
            const double step = odd == 0
                                    ? n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n))
                                    : -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1));
            d = 1 + step * d;
            d = 1 / (std::abs(d) < kTiny ? kTiny : d);
            c = 1 + step / c;
            c = std::abs(c) < kTiny ? kTiny : c;
            fraction *= c * d;
            if (odd == 1 && std::abs(c * d - 1) < 1e-15) {
                return front * fraction / a;
            }
        }
    }
    return front * fraction / a;
}

double student_cdf(double t, double degrees) {
    return 1 - 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

}  // namespace

double student_t_975(std::uint32_t degrees) noexcept {
    if (degrees == 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    // Halved until nothing is left to halve. 13 lies above the quantile for one degree, 12.71, and
    // they fall from there.
    double low = 0, high = 13;
    for (int i = 0; i < 80; ++i) {
        const double middle = (low + high) / 2;
        (student_cdf(middle, degrees) < 0.975 ? low : high) = middle;
    }
    return (low + high) / 2;
}

std::optional<Centre> centre_named(std::string_view name) noexcept {
    static constexpr std::array<std::string_view, 4> kNames{"mean", "median", "min", "max"};
    const auto found = std::ranges::find(kNames, name);
    return found == kNames.end() ? std::nullopt
                                 : std::optional(static_cast<Centre>(found - kNames.begin()));
}

std::optional<Band> band_named(std::string_view name) noexcept {
    static constexpr std::array<std::string_view, 5> kNames{"none", "std", "sem", "ci95", "minmax"};
    const auto found = std::ranges::find(kNames, name);
    return found == kNames.end() ? std::nullopt
                                 : std::optional(static_cast<Band>(found - kNames.begin()));
}

GroupPoint join(std::span<const double> samples, Centre centre, Band band) {
    std::vector<double> values;
    std::ranges::copy_if(samples, std::back_inserter(values),
                         [](double value) { return !std::isnan(value); });
    const double nan = std::numeric_limits<double>::quiet_NaN();
    GroupPoint point{nan, nan, nan, static_cast<std::uint32_t>(values.size())};
    if (values.empty()) {
        return point;
    }
    std::ranges::sort(values);
    const auto n = static_cast<double>(values.size());
    // Differences from the smallest keep the digits that a sum of large, nearly equal numbers
    // loses.
    double mean = values.front();
    for (double value : values) {
        mean += (value - values.front()) / n;
    }
    double squares = 0;
    for (double value : values) {
        squares += (value - mean) * (value - mean);
    }
    const double deviation = values.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
    const std::size_t half = values.size() / 2;
    switch (centre) {
        case Centre::Mean:
            point.centre = mean;
            break;
        case Centre::Median:
            point.centre = values.size() % 2 == 1
                               ? values[half]
                               : values[half - 1] + (values[half] - values[half - 1]) / 2;
            break;
        case Centre::Min:
            point.centre = values.front();
            break;
        case Centre::Max:
            point.centre = values.back();
            break;
    }
    double reach = 0;
    switch (band) {
        case Band::None:
            break;
        case Band::StandardDeviation:
            reach = deviation;
            break;
        case Band::StandardError:
            reach = deviation / std::sqrt(n);
            break;
        case Band::Confidence95:
            reach = values.size() > 1
                        ? student_t_975(static_cast<std::uint32_t>(values.size() - 1)) * deviation /
                              std::sqrt(n)
                        : 0;
            break;
        case Band::MinMax:
            point.low = values.front();
            point.high = values.back();
            return point;
    }
    point.low = point.centre - reach;
    point.high = point.centre + reach;
    return point;
}

}  // namespace taffrail::query
