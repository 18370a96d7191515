// Questions about one series: the point nearest to a place, and what is known of a range. Exact
// numbers, from the points themselves where those are few, through bins where they are many.
#pragma once

#include "query/chart/chart.h"
#include "query/chart/range_stats.h"

#include <cstdint>
#include <optional>
#include <string>

namespace taffrail::query {

struct SeriesRef {
    std::string run, key;              ///< a key, or an expression where no key has the name
    std::optional<std::int32_t> rank;  ///< all of them where it is absent
};

/// Steps that a double holds exactly.
inline constexpr std::int64_t kLargestExactStep = std::int64_t{1} << 53;

/// Absent: unknown.
struct FoundPoint {
    Step step = 0;
    std::int64_t time_ns = 0;
    double x = 0;  ///< in the units of the axis
    double value = 0;
    std::optional<double> smooth, epoch;
    std::optional<std::int64_t> samples;
    std::uint32_t attempt = 0;
    std::optional<std::int32_t> rank;
};

/// Of points equally near the earlier one; nothing where the series has no point on the axis.
std::optional<FoundPoint> nearest_point(RunSet& runs, const SeriesRef& series,
                                        const AxisQuery& axis, double at,
                                        const Smoothing& smoothing);

/// Of the points between the ends of the axis; nothing where the run lacks the series.
std::optional<RangeStats> range_stats(RunSet& runs, const SeriesRef& series, const AxisQuery& axis);

}  // namespace taffrail::query
