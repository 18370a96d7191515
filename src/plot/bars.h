// A metric with one value a run: sorted bars, where a line chart would be dots above each other.
#pragma once

#include "plot/chart.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace taffrail::plot {

struct Bar {
    std::string label;
    Color color;
    std::string text;         ///< its value
    double from = 0, to = 0;  ///< of the room for bars, 0 to 1
};

/// The best first; none unless every line of the chart is a single value.
std::vector<Bar> bars_of(const Chart& chart);

/// How many of them fit in so many rows, the last of which says how many more there are.
struct BarRows {
    std::size_t shown = 0, more = 0;
};

BarRows rows_of(std::size_t bars, std::size_t room);

/// Where bars stand in the place of a chart, in pixels of a page.
struct BarPlace {
    double top, height;
    double label, from, to, value;  ///< x of a name, of both ends of the bars, of a value's end

    BarPlace(double left, double its_top, double width, double its_height)
        : top(its_top),
          height(its_height),
          label(left + 24),
          from(left + 190),
          to(left + width - 100),
          value(left + width - 24) {}

    [[nodiscard]] std::size_t rows() const {
        return static_cast<std::size_t>(std::max(1.0, (height - 50) / kRow));
    }

    /// The middle of a row.
    [[nodiscard]] double row(std::size_t number) const {
        return top + 46 + kRow * static_cast<double>(number);
    }

    [[nodiscard]] double across(double share) const { return from + (to - from) * share; }

  private:
    static constexpr double kRow = 20;
};

}  // namespace taffrail::plot
