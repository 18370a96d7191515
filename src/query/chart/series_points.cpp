#include "query/chart/series_points.h"

#include "model/attempts.h"
#include "model/axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace taffrail::query {
std::vector<Point> winning_points(const RecordedRun& run, std::vector<Point> points) {
    const std::vector<bool> lost = run.superseded(points);
    return model::without_flagged(std::move(points), lost);
}

std::vector<std::pair<std::uint32_t, std::vector<Point>>> overwritten_points(
    const RecordedRun& run, const std::vector<Point>& points) {
    const std::vector<bool> flags = run.superseded(points);
    std::map<std::uint32_t, std::vector<Point>> lost;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i]) {
            lost[points[i].attempt].push_back(points[i]);
        }
    }
    return {std::make_move_iterator(lost.begin()), std::make_move_iterator(lost.end())};
}

double position_of(const Point& point, Axis axis, std::int64_t start_ns) noexcept {
    const double position = model::position_of(point, axis, start_ns);
    return axis == Axis::WallTime || axis == Axis::RelativeTime ? position * 1e-9 : position;
}

SeriesPoints on_axis(const std::vector<Point>& points, const AxisQuery& axis, std::int64_t start_ns,
                     const std::vector<Point>& metric) {
    const std::vector<double> on_metric =
        axis.axis == Axis::Metric ? model::metric_positions(points, metric) : std::vector<double>();
    SeriesPoints series;
    series.x.reserve(points.size());
    series.y.reserve(points.size());
    series.source.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x =
            on_metric.empty() ? position_of(points[i], axis.axis, start_ns) : on_metric[i];
        if (std::isfinite(x)) {
            series.x.push_back(x);
            series.y.push_back(points[i].value);
            series.source.push_back(static_cast<std::uint32_t>(i));
        }
    }
    if (!std::ranges::is_sorted(series.x)) {
        std::vector<std::uint32_t> order(series.x.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return series.x[i]; });
        SeriesPoints sorted;
        for (std::uint32_t i : order) {
            sorted.x.push_back(series.x[i]);
            sorted.y.push_back(series.y[i]);
            sorted.source.push_back(series.source[i]);
        }
        return sorted;
    }
    return series;
}

}  // namespace taffrail::query
