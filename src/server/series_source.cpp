#include "server/series_source.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

namespace taffrail::server {
namespace {

// First step each attempt of a rank logged, for the attempts that exist.
std::map<std::int32_t, std::map<std::uint32_t, Step>> attempt_starts(
    const std::vector<Point>& points) {
    std::map<std::int32_t, std::map<std::uint32_t, Step>> starts;
    for (const Point& point : points) {
        auto [entry, added] = starts[point.rank].try_emplace(point.attempt, point.step);
        entry->second = std::min(entry->second, point.step);
    }
    return starts;
}

bool of_one_attempt(const std::vector<Point>& points) {
    return std::ranges::all_of(
        points, [&](const Point& point) { return point.attempt == points.front().attempt; });
}

bool is_overwritten(const Point& point, const std::map<std::uint32_t, Step>& starts) {
    for (auto later = starts.upper_bound(point.attempt); later != starts.end(); ++later) {
        if (later->second <= point.step) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<Point> winning_points(std::vector<Point> points) {
    if (!of_one_attempt(points)) {
        const auto starts = attempt_starts(points);
        std::erase_if(points, [&](const Point& point) {
            return is_overwritten(point, starts.at(point.rank));
        });
    }
    return points;
}

std::vector<std::pair<std::uint32_t, std::vector<Point>>> overwritten_points(
    const std::vector<Point>& points) {
    if (of_one_attempt(points)) {
        return {};
    }
    const auto starts = attempt_starts(points);
    std::map<std::uint32_t, std::vector<Point>> lost;
    for (const Point& point : points) {
        if (is_overwritten(point, starts.at(point.rank))) {
            lost[point.attempt].push_back(point);
        }
    }
    return {std::make_move_iterator(lost.begin()), std::make_move_iterator(lost.end())};
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
        double x = std::nan("");
        switch (axis.axis) {
            case Axis::Steps:
                x = static_cast<double>(point.step);
                break;
            case Axis::WallTime:
                x = static_cast<double>(point.time_ns) * 1e-9;
                break;
            case Axis::RelativeTime:
                x = static_cast<double>(point.time_ns - start_ns) * 1e-9;
                break;
            case Axis::Epoch:
                x = point.epoch;
                break;
            case Axis::Samples:
                x = point.samples == INT64_MIN ? std::nan("") : static_cast<double>(point.samples);
                break;
            case Axis::Metric:
                if (const auto found = by_step.find(point.step); found != by_step.end()) {
                    x = found->second;
                }
                break;
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

}  // namespace taffrail::server
