// Minimum, maximum and sum of many numbers in one pass over them.
#pragma once

#include <span>

namespace taffrail::model {

/// Those of no numbers are infinity, -infinity and 0. Where one is NaN or infinite nothing but
/// `all_finite` means anything: whoever needs to know then looks at each.
struct NumberSums {
    double min, max, sum;
    bool all_finite;
};

[[nodiscard]] NumberSums sums_of(std::span<const double> values) noexcept;

}  // namespace taffrail::model
