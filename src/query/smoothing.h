// Smoothing of raw points, before any binning, so that a zoom never alters a smoothed line.
#pragma once

#include "base/unwritten_vector.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace taffrail::query {

enum class SmoothingMethod : std::uint8_t { None, Ema, TimeEma, Gaussian, Mean, Median };

struct Smoothing {
    SmoothingMethod method = SmoothingMethod::None;
    double amount = 0;  ///< Ema, TimeEma: weight 0…0.999; the others: window in points
};

std::optional<SmoothingMethod> smoothing_method(std::string_view name) noexcept;

/// The smoothed value of every point; `x` rises. Non-finite points keep their own value and do not
/// count for others. A constant series comes back bit for bit.
UnwrittenVector<double> smooth(std::span<const double> x, std::span<const double> y,
                               const Smoothing& smoothing);

/// Whether RunningSmoothing knows it: each value depends on those before it alone.
[[nodiscard]] bool is_running(SmoothingMethod method) noexcept;

/// The values of smooth() piece by piece, for those who look at each one once: millions of them
/// need no memory.
class RunningSmoothing {
  public:
    /// Of all points, which have to live as long as this.
    RunningSmoothing(std::span<const double> x, std::span<const double> y,
                     const Smoothing& smoothing);

    /// Of the next points, as many as `to` has room for; there have to be that many.
    void next(std::span<double> to);

  private:
    std::span<const double> x_, y_;
    double weight_, unit_;
    bool is_by_distance_;
    std::size_t at_ = 0;
    double sum_ = 0, total_ = 0, previous_x_;
    double distance_ = std::numeric_limits<double>::quiet_NaN(), power_;
};

}  // namespace taffrail::query
