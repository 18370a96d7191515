#pragma once

#include <limits>

namespace taffrail::metrics {

/// Where a largest or a smallest value begins.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace taffrail::metrics
