#include "model/axes.h"

#include "model/pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace taffrail::model {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

bool is_absent(double value) {
    return std::isnan(value);
}

bool is_absent(std::int64_t value) {
    return value == INT64_MIN;
}

/// `may_be_absent` tells samples (INT64_MIN = none) from steps and times, where that number is a
/// position like any other.
template <typename T>
void extend(AxisColumn<T>& column, std::span<const T> added, bool may_be_absent) {
    for (const T value : added) {
        if (!column.values.empty() &&
            !(static_cast<double>(value) >= static_cast<double>(column.values.back()))) {
            column.rising = false;
        }
        if ((may_be_absent && is_absent(value)) || !std::isfinite(static_cast<double>(value))) {
            column.rising = false;
        }
        if (column.values.size() % node_points(1) == 0) {
            column.coarse.push_back(value);
        }
        column.smallest = column.values.empty() ? value : std::min(column.smallest, value);
        column.largest = column.values.empty() ? value : std::max(column.largest, value);
        column.values.push_back(value);
    }
}

/// Columns that most runs never use stay empty until a value appears; then the past is filled with
/// `absent`.
template <typename T>
void extend_rare(AxisColumn<T>& column, std::span<const T> added, T absent, std::uint64_t before,
                 std::size_t count) {
    bool any = false;
    for (const T value : added) {
        any = any || !is_absent(value);
    }
    if (!any && column.values.empty()) {
        return;
    }
    const std::vector<T> filler(column.values.empty() ? before : 0, absent);
    extend(column, std::span<const T>(filler), true);
    const std::vector<T> missing(added.empty() ? count : 0, absent);
    extend(column, added.empty() ? std::span<const T>(missing) : added, true);
}

template <typename T>
std::vector<double> as_doubles(const PackedColumn<T>& values, std::uint64_t count, T absent,
                               bool may_be_absent) {
    std::vector<double> doubles(count, kAbsent);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!may_be_absent || values[i] != absent) {
            doubles[i] = static_cast<double>(values[i]);
        }
    }
    return doubles;
}

}  // namespace

void AxisTable::append(const AxisSpans& spans) {
    const std::uint64_t before = points();
    const std::size_t count = spans.step.size();
    extend(step_, spans.step, false);
    extend(time_, spans.time_ns, false);
    extend_rare(epoch_, spans.epoch, kAbsent, before, count);
    extend_rare(samples_, spans.samples, std::int64_t{INT64_MIN}, before, count);
}

std::vector<double> AxisTable::positions(Axis axis, std::int64_t origin_ns) const {
    switch (axis) {
        case Axis::Steps:
            return as_doubles(step_.values, points(), std::int64_t{0}, false);
        case Axis::Epoch:
            return as_doubles(epoch_.values, points(), kAbsent, true);
        case Axis::Samples:
            return as_doubles(samples_.values, points(), std::int64_t{INT64_MIN}, true);
        case Axis::WallTime:
            return as_doubles(time_.values, points(), std::int64_t{0}, false);
        case Axis::RelativeTime: {
            std::vector<double> relative(points());
            for (std::size_t i = 0; i < relative.size(); ++i) {
                relative[i] = difference(time_.values[i], origin_ns);
            }
            return relative;
        }
        case Axis::Metric:
            break;
    }
    return std::vector<double>(points(), kAbsent);
}

double position_of(const Point& point, Axis axis, std::int64_t origin_ns) noexcept {
    switch (axis) {
        case Axis::Steps:
            return static_cast<double>(point.step);
        case Axis::WallTime:
            return static_cast<double>(point.time_ns);
        case Axis::RelativeTime:
            return difference(point.time_ns, origin_ns);
        case Axis::Epoch:
            return point.epoch;
        case Axis::Samples:
            return point.samples == INT64_MIN ? kAbsent : static_cast<double>(point.samples);
        case Axis::Metric:
            break;
    }
    return kAbsent;
}

namespace {

using WriterAndNumber = std::pair<std::uint64_t, std::uint64_t>;

struct PairHash {
    std::size_t operator()(const WriterAndNumber& pair) const noexcept {
        return std::hash<std::uint64_t>{}(pair.first * 0x9E3779B97F4A7C15u ^ pair.second);
    }
};

/// Where the metric was at a step; asked for points that share no row with it.
class MetricAtSteps {
  public:
    explicit MetricAtSteps(std::span<const Point> metric) {
        for (const Point& point : metric) {
            of_writer_[{point.writer, static_cast<std::uint64_t>(point.step)}] = point.value;
            of_all_[point.step] = point.value;
        }
    }

    [[nodiscard]] double at(const Point& point) const {
        if (const auto own =
                of_writer_.find({point.writer, static_cast<std::uint64_t>(point.step)});
            own != of_writer_.end()) {
            return own->second;
        }
        const auto any = of_all_.find(point.step);
        return any != of_all_.end() ? any->second : kAbsent;
    }

  private:
    std::unordered_map<WriterAndNumber, double, PairHash> of_writer_;
    std::unordered_map<Step, double> of_all_;
};

}  // namespace

std::vector<double> metric_positions(std::span<const Point> series, std::span<const Point> metric) {
    std::unordered_map<WriterAndNumber, const Point*, PairHash> rows;
    rows.reserve(metric.size());
    for (const Point& point : metric) {
        rows[{point.writer, point.seq}] = &point;
    }
    std::optional<MetricAtSteps> steps;
    std::vector<double> positions;
    positions.reserve(series.size());
    for (const Point& point : series) {
        // Sources without rows number the points of each series by itself: that such a number is
        // met at another step says nothing.
        const auto row = rows.find({point.writer, point.seq});
        if (row != rows.end() && row->second->step == point.step) {
            positions.push_back(row->second->value);
            continue;
        }
        if (!steps) {
            steps.emplace(metric);
        }
        positions.push_back(steps->at(point));
    }
    return positions;
}

}  // namespace taffrail::model
