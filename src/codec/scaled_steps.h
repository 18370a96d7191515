// Fractional steps, which only other programs have, as whole ones: multiplied by a power of ten
// that is the same for the whole run and kept beside it.
#pragma once

#include <cmath>
#include <cstdint>

namespace taffrail {

/// Sees every step of a run first, then gives their whole numbers.
class ScaledSteps {
  public:
    /// Six digits behind the point are looked at; finer ones are rounded.
    void see(double step) noexcept {
        while (factor_ < 1'000'000 && std::isfinite(step) && !is_whole(step * double(factor_))) {
            factor_ *= 10;
        }
        if (std::isfinite(step) && std::fabs(step) > largest_) {
            largest_ = std::fabs(step);
        }
    }

    /// 1 where all steps are whole, or where scaled ones would not fit.
    [[nodiscard]] std::int64_t factor() const noexcept {
        return largest_ * double(factor_) < 9e18 ? factor_ : 1;
    }

    /// The whole number for `step`; the nearest there is for those that have none.
    [[nodiscard]] std::int64_t whole(double step) const noexcept {
        const double scaled = std::nearbyint(step * double(factor()));
        return std::isnan(scaled)      ? 0
               : scaled >= 9.22337e18  ? INT64_MAX
               : scaled <= -9.22337e18 ? INT64_MIN
                                       : static_cast<std::int64_t>(scaled);
    }

  private:
    static bool is_whole(double value) noexcept {
        // What decimal fractions lose in binary is not a fraction.
        return std::fabs(value - std::nearbyint(value)) <= 1e-9 * std::fmax(1.0, std::fabs(value));
    }

    std::int64_t factor_ = 1;
    double largest_ = 0;
};

}  // namespace taffrail
