// What a chart shows: bins or points of every series on one axis.
#pragma once

#include <taffrail/value.h>

#include "query/chart/axis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::query {

/// One series of a chart. All vectors but `x` have one element per bin; empty ones are absent. min,
/// max, mean and last are those of the finite points, NaN where there is none.
struct ChartSeries {
    int run = -1;  ///< number in ChartAnswer::runs, -1 for a group
    int key = 0;
    int group = -1;
    std::int32_t rank = -1;   ///< the only one whose points these are; -1: no matter whose
    std::uint32_t ranks = 1;  ///< how many the mean is of
    std::uint32_t attempt = 0;
    bool current = true;
    bool raw = false;
    std::uint64_t points = 0, total = 0;
    std::optional<double> last_x;
    double last_value = 0;
    std::vector<double> x;  ///< bins + 1
    std::vector<double> min, max, mean, last, smooth, low, high;
    std::vector<std::uint32_t> count, runs;
    std::vector<std::uint32_t> nan, positive_infinity, negative_infinity;

    [[nodiscard]] std::size_t bins() const noexcept { return count.size(); }
};

struct ChartGroup {
    std::string label;
    std::vector<Cell> values;
    std::vector<std::string> runs;
};

struct ChartAnswer {
    AxisQuery x;  ///< with the range that was used
    std::vector<std::string> runs, keys;
    std::vector<ChartGroup> groups;
    bool grouped = false;
    std::vector<ChartSeries> series;
    std::uint64_t missing = 0, outside = 0;
    double query_ms = 0;
};

}  // namespace taffrail::query
