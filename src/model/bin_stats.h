// What is known of some points of a series: the one place that says what a value that is not finite
// counts as. Bins and charts have it as it is; what is known of a whole series (series_summary.h)
// and of a range (query/chart/range_stats.h) adds its values here.
//
// min, max, sum and last are those of the finite points; NaN and the infinities are counted apart.
// min and max start at the infinities of the wrong sign, so an empty summary is the neutral
// element; whether there was anything finite is told by the counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace taffrail::model {

struct BinStats {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0;
    double last = std::numeric_limits<double>::quiet_NaN();
    /// All points, and the ones that are not finite among them.
    std::uint64_t count = 0, nan_count = 0, positive_infinity_count = 0,
                  negative_infinity_count = 0;

    /// Adds the next point in axis order.
    void add(double value) noexcept {
        ++count;
        if (value - value == 0) {
            sum += value;
            last = value;
            min = value < min ? value : min;
            max = value > max ? value : max;
        } else if (value != value) {
            ++nan_count;
        } else if (value > 0) {
            ++positive_infinity_count;
        } else {
            ++negative_infinity_count;
        }
    }

    [[nodiscard]] std::uint64_t finite_count() const noexcept {
        return count - nan_count - positive_infinity_count - negative_infinity_count;
    }

    /// Nothing finite: min, max, mean and last are absent.
    [[nodiscard]] bool has_finite() const noexcept { return finite_count() > 0; }

    /// NaN when nothing is finite. Rounding does not carry it beyond the points it is the mean of.
    [[nodiscard]] double mean() const noexcept {
        return has_finite()
                   ? std::min(std::max(sum / static_cast<double>(finite_count()), min), max)
                   : std::numeric_limits<double>::quiet_NaN();
    }
};

}  // namespace taffrail::model
