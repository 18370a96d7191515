// Where a point of a long series stands on other axes, found through bins. Points of a series that
// rises on two axes come in the same order on both: the point that is the hundredth by step is the
// hundredth by time.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace taffrail::query {

struct RankedPoint {
    double x = 0;
    std::optional<double> value;  ///< absent when many points share the place
};

/// How many points of the series lie before `x`; nothing when bins cannot tell.
std::optional<std::uint64_t> rank_by_bins(const RecordedRun& run, std::string_view key, Axis axis,
                                          double x);

/// The point that has `rank` points before it; nothing unless exactly `total` points have a place
/// on the axis.
std::optional<RankedPoint> point_by_rank(const RecordedRun& run, std::string_view key, Axis axis,
                                         std::uint64_t rank, std::uint64_t total);

}  // namespace taffrail::query
