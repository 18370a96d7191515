// The point of a series nearest to a place on the axis, found through bins: reading ten million
// points for one would take seconds.
#pragma once

#include <taffrail/reader.h>

#include <optional>
#include <string_view>

namespace taffrail::query {

struct NearestPoint {
    double x = 0, value = 0;
};

/// The value of a point that has bin `i` to itself.
double raw_value(const Bins& bins, std::size_t i);

/// `at` and the answer are in the axis units of BinRequest. Of points equally near the earlier one
/// is taken. Nothing when there is no point, or when bins cannot tell points apart (hundreds of
/// them in one place); then the points themselves have to be read.
std::optional<NearestPoint> nearest_by_bins(const RecordedRun& run, std::string_view key, Axis axis,
                                            double at);

}  // namespace taffrail::query
