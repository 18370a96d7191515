// What is known of a series between two places of its axis: how many points, how low and high,
// where it is going.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace taffrail::query {

struct RangeStats {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    std::uint64_t count = 0;  ///< finite points
    std::uint64_t nan = 0;    ///< the others
    double min = kNone, max = kNone, mean = kNone, first = kNone, last = kNone;
    double deviation = kNone;  ///< sample standard deviation
    double slope = kNone;      ///< least squares, per unit of x
    bool estimated = false;    ///< deviation and slope come from bins and samples
};

/// Of points in the order of the axis.
RangeStats stats_of_points(std::span<const double> x, std::span<const double> y);

/// Of a long series, from its bins: exact but for deviation and slope, which are estimated. The
/// cost is that of a few charts, whatever the length. Nothing where bins cannot tell (infinities,
/// hundreds of points in one place). `from`, `to` and x are in the units of BinRequest.
std::optional<RangeStats> stats_by_bins(const RecordedRun& run, std::string_view key, Axis axis,
                                        std::optional<double> from, std::optional<double> to);

}  // namespace taffrail::query
