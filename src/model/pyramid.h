// Minimum, maximum and sum of the finite ones of every 64 points, of every 512, of every 4096, …:
// what a zoom reads instead of points.
//
// Only whole nodes exist; the points behind the last whole node are read one by one. A node needs
// no count (its size is known), no `last` (that is the value at its end) and no axis (that is the
// axis at its ends). NaN and infinities are rare, so they are kept as a sorted list with running
// totals.
#pragma once

#include "model/number_sums.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::model {

inline constexpr std::uint64_t kBaseFanOut = 64;
inline constexpr std::uint64_t kFanOut = 8;
inline constexpr unsigned kMaxLevels = 20;

/// Points under one node of `level` (0 = the finest): 64, 512, 4096, …
constexpr std::uint64_t node_points(unsigned level) noexcept {
    return kBaseFanOut << (3 * level);
}

/// How many levels a series of `points` has.
constexpr unsigned level_count(std::uint64_t points) noexcept {
    unsigned levels = 0;
    while (levels < kMaxLevels && points >= node_points(levels)) {
        ++levels;
    }
    return levels;
}

/// How many of the first points were not finite, up to and including base node `node`.
struct SpecialTotals {
    std::uint64_t node = 0;
    std::uint64_t nan_count = 0, positive_infinity_count = 0, negative_infinity_count = 0;
};

/// One level, column by column.
struct PyramidLevel {
    std::vector<double> min, max, sum;

    [[nodiscard]] std::uint64_t nodes() const noexcept { return min.size(); }
};

/// Grows with its series. Reading is safe from any number of threads; append() must be alone.
class Pyramid {
  public:
    /// Takes in the values behind those it knows: `all` is the whole series so far. About 300 M
    /// points/s.
    void extend(std::span<const double> all);
    /// Adds the node of the next 64 points, for series that are never whole in memory. Returns what
    /// it says of them.
    NumberSums add_block(std::span<const double, kBaseFanOut> values);

    [[nodiscard]] const std::vector<PyramidLevel>& levels() const noexcept { return levels_; }

    [[nodiscard]] const std::vector<SpecialTotals>& specials() const noexcept { return specials_; }

  private:
    NumberSums add_base_node(const double* values);
    void add_parents();

    std::vector<PyramidLevel> levels_;
    std::vector<SpecialTotals> specials_;
};

/// Totals over the base nodes before `node`; `specials` as Pyramid keeps them.
SpecialTotals specials_before(std::span<const SpecialTotals> specials, std::uint64_t node) noexcept;

}  // namespace taffrail::model
