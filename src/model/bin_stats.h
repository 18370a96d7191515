// What a bin knows about its points, and how two such summaries become one.
//
// min and max start at the infinities of the wrong sign, so an empty summary is the neutral element
// and a real infinity needs no special case; whether there was anything to compare is told by the
// counts.
#pragma once

#include <cstdint>
#include <limits>

namespace taffrail::model {

struct BinStats {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0;  ///< of the finite values
    double last = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t count = 0, nan_count = 0, positive_infinity_count = 0,
                  negative_infinity_count = 0;

    /// Adds the next point in axis order.
    void add(double value) noexcept {
        ++count;
        last = value;
        if (value - value == 0) {
            sum += value;
        } else if (value != value) {
            ++nan_count;
            return;
        } else if (value > 0) {
            ++positive_infinity_count;
        } else {
            ++negative_infinity_count;
        }
        min = value < min ? value : min;
        max = value > max ? value : max;
    }

    [[nodiscard]] std::uint64_t finite_count() const noexcept {
        return count - nan_count - positive_infinity_count - negative_infinity_count;
    }

    [[nodiscard]] bool has_extremes() const noexcept { return count > nan_count; }

    /// Mean of the finite values, NaN when there is none.
    [[nodiscard]] double mean() const noexcept {
        return finite_count() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                   : sum / static_cast<double>(finite_count());
    }
};

}  // namespace taffrail::model
