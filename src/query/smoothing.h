// Smoothing of raw points, before any binning, so that a zoom never alters a smoothed line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace taffrail::query {

enum class SmoothingMethod : std::uint8_t { None, Ema, TimeEma, Gaussian, Mean, Median };

struct Smoothing {
    SmoothingMethod method = SmoothingMethod::None;
    double amount = 0;  ///< Ema, TimeEma: weight 0…0.999; the others: window in points
};

std::optional<SmoothingMethod> smoothing_method(std::string_view name) noexcept;

/// The smoothed value of every point; `x` rises. Non-finite points keep their own value and do not
/// count for others. A constant series comes back bit for bit.
std::vector<double> smooth(std::span<const double> x, std::span<const double> y,
                           const Smoothing& smoothing);

}  // namespace taffrail::query
