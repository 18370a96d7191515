#include "query/chart/series_points.h"

#include "model/attempts.h"
#include "model/axes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

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
    switch (axis) {
        case Axis::Steps:
            return static_cast<double>(point.step);
        case Axis::WallTime:
            return static_cast<double>(point.time_ns) * 1e-9;
        case Axis::RelativeTime:
            return model::difference(point.time_ns, start_ns) * 1e-9;
        case Axis::Epoch:
            return point.epoch;
        case Axis::Samples:
            return point.samples == INT64_MIN ? std::nan("") : static_cast<double>(point.samples);
        case Axis::Metric:
            break;
    }
    return std::nan("");
}

SeriesPoints on_axis(const std::vector<Point>& points, const AxisQuery& axis, std::int64_t start_ns,
                     const std::vector<Point>& metric) {
    std::unordered_map<Step, double> by_step;
    if (axis.axis == Axis::Metric) {
        for (const Point& point : metric) {
            by_step[point.step] = point.value;  // log order: the newest one of a step stays
        }
    }
    SeriesPoints series;
    series.x.reserve(points.size());
    series.y.reserve(points.size());
    series.source.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& point = points[i];
        double x = position_of(point, axis.axis, start_ns);
        if (axis.axis == Axis::Metric) {
            const auto found = by_step.find(point.step);
            x = found != by_step.end() ? found->second : std::nan("");
        }
        if (std::isfinite(x)) {
            series.x.push_back(x);
            series.y.push_back(point.value);
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
