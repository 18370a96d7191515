// Series laid side by side: one row a step, rank and attempt, one column a key.
#pragma once

#include "taffrail/reader.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace taffrail::query {

/// What a row stands for. A key logged again at the same step by the same process gets a row of
/// its own, so that no point is lost: `repeat` counts them.
struct WideRow {
    Step step = 0;
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    std::uint32_t repeat = 0;

    auto operator<=>(const WideRow&) const = default;
};

class WideTable {
  public:
    /// Values of a row by column, columns rising.
    using Rows = std::map<WideRow, std::vector<std::pair<std::size_t, double>>>;

    /// Columns come in rising order, the points of each as they were logged.
    void add(std::size_t column, std::span<const Point> points);

    [[nodiscard]] const Rows& rows() const { return rows_; }

  private:
    Rows rows_;
};

}  // namespace taffrail::query
