// Raw points of a series in the shape a chart asks for: chosen axis, winning attempts, sorted by x.
#pragma once

#include <taffrail/reader.h>

#include "query/chart/axis.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace taffrail::query {

/// Points in x order (equal x in log order), non-finite positions left out.
struct SeriesPoints {
    std::vector<double> x, y;
    std::vector<std::uint32_t> source;  ///< number in the vector the points came from
};

/// Leaves out what a later attempt superseded. `points` are all of a series of `run`.
std::vector<Point> winning_points(const RecordedRun& run, std::vector<Point> points);
/// The points that were superseded, by attempt.
std::vector<std::pair<std::uint32_t, std::vector<Point>>> overwritten_points(
    const RecordedRun& run, const std::vector<Point>& points);

/// model::position_of() in the units of charts: seconds where that counts nanoseconds.
double position_of(const Point& point, Axis axis, std::int64_t start_ns) noexcept;

/// Positions of `points` on the axis. `start_ns` is the start of the run; `metric` holds the points
/// of the metric axis.
SeriesPoints on_axis(const std::vector<Point>& points, const AxisQuery& axis, std::int64_t start_ns,
                     const std::vector<Point>& metric);

}  // namespace taffrail::query
