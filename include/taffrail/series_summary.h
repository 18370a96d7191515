// What is known of a scalar series without its points.
#pragma once

#include <taffrail/api.h>
#include <taffrail/key.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace taffrail {

/// What is known about a scalar series without reading it: of the points that count, where later
/// attempts logged some steps again. min, max, sum and last are those of the finite points; NaN and
/// the infinities are counted apart. Ask the functions for a number to show or to sort by: they
/// give none where no point is finite, so that a run that diverged is not taken for one that did
/// well.
struct TAFFRAIL_API SeriesSummary {
    std::uint64_t count = 0;                    ///< all points, finite or not
    std::uint64_t nan_count = 0;                ///< NaN points
    std::uint64_t positive_infinity_count = 0;  ///< points that are +infinity
    std::uint64_t negative_infinity_count = 0;  ///< points that are -infinity
    /// NaN where no point is finite.
    double min = std::numeric_limits<double>::quiet_NaN(), max = min;
    double sum = 0;
    /// The newest finite point in log order; NaN where there is none.
    double last = std::numeric_limits<double>::quiet_NaN();
    Step first_step = 0, last_step = 0;  ///< the smallest and the largest, in whatever order
    std::int64_t first_time_ns = 0, last_time_ns = 0;

    [[nodiscard]] std::uint64_t infinity_count() const noexcept {
        return positive_infinity_count + negative_infinity_count;
    }

    [[nodiscard]] std::uint64_t finite_count() const noexcept {
        const std::uint64_t others = nan_count + infinity_count();
        return count > others ? count - others : 0;
    }

    [[nodiscard]] std::optional<double> smallest() const noexcept { return if_finite(min); }

    [[nodiscard]] std::optional<double> largest() const noexcept { return if_finite(max); }

    [[nodiscard]] std::optional<double> newest() const noexcept { return if_finite(last); }

    [[nodiscard]] std::optional<double> mean() const noexcept {
        return if_finite(sum / static_cast<double>(finite_count()));
    }

  private:
    [[nodiscard]] std::optional<double> if_finite(double number) const noexcept {
        return finite_count() > 0 ? std::optional(number) : std::nullopt;
    }
};

}  // namespace taffrail
