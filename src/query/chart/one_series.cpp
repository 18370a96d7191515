#include "query/chart/one_series.h"

#include "query/chart/nearest.h"
#include "query/chart/point_rank.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace taffrail::query {
namespace {

constexpr std::uint64_t kLongSeries = 100'000;
// A point in memory takes 80 bytes.
constexpr std::uint64_t kReadForStats = 500'000;

bool same_value(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Long series are not read for one point: bins find it, and where it stands on the other axes.
/// Nothing when they cannot tell, as where steps and times do not rise together.
std::optional<FoundPoint> nearest_of_long_series(const RunSet& runs, const SeriesRef& ref,
                                                 const AxisQuery& axis, double at) {
    const auto details = runs.details(ref.run);
    const KeyInfo* key = details ? details->key(ref.key) : nullptr;
    // Bins know places as doubles, which do not tell steps beyond 2^53 apart.
    if (key == nullptr || key->kind != Kind::Scalar || key->count <= kLongSeries ||
        details->info.attempts > 1 || axis.axis == Axis::Metric || ref.rank ||
        key->scalar.last_step > kLargestExactStep || key->scalar.first_step < -kLargestExactStep) {
        return std::nullopt;
    }
    const auto run = runs.run(ref.run);
    const auto found =
        run ? nearest_by_bins(**run, ref.key, axis.axis, at / axis.unit()) : std::nullopt;
    const auto rank = found ? rank_by_bins(**run, ref.key, axis.axis, found->x) : std::nullopt;
    if (!rank) {
        return std::nullopt;
    }
    const auto on = [&](Axis other) -> std::optional<double> {
        if (other == axis.axis) {
            return found->x;
        }
        const auto point = point_by_rank(**run, ref.key, other, *rank, key->count);
        return point && (!point->value || same_value(*point->value, found->value))
                   ? std::optional(point->x)
                   : std::nullopt;
    };
    const auto step = on(Axis::Steps), time_ns = on(Axis::WallTime), samples = on(Axis::Samples);
    if (!step || !time_ns) {
        return std::nullopt;
    }
    FoundPoint point;
    point.step = static_cast<Step>(*step);
    point.time_ns = static_cast<std::int64_t>(*time_ns);
    point.x = found->x * axis.unit();
    point.value = found->value;
    point.epoch = on(Axis::Epoch);
    if (samples) {
        point.samples = static_cast<std::int64_t>(*samples);
    }
    point.attempt = details->info.attempts - 1;
    if (details->info.world_size <= 1) {
        point.rank = 0;
    }
    return point;
}

}  // namespace

std::optional<FoundPoint> nearest_point(RunSet& runs, const SeriesRef& ref, const AxisQuery& axis,
                                        double at, const Smoothing& smoothing) {
    if (smoothing.method == SmoothingMethod::None) {
        if (auto known = nearest_of_long_series(runs, ref, axis, at)) {
            return known;
        }
    }
    const auto loaded = load_series(runs, ref.run, ref.key, ref.key, axis, ref.rank);
    if (!loaded || loaded->on_axis.x.empty()) {
        return std::nullopt;
    }
    const auto& x = loaded->on_axis.x;
    auto index = static_cast<std::size_t>(std::ranges::lower_bound(x, at) - x.begin());
    if (index == x.size() || (index > 0 && at - x[index - 1] <= x[index] - at)) {
        index -= 1;
        // Of points at the same place the earlier one is taken.
        while (index > 0 && x[index - 1] == x[index]) {
            --index;
        }
    }
    const Point& point = loaded->points[loaded->on_axis.source[index]];
    FoundPoint found;
    found.step = point.step;
    found.time_ns = point.time_ns;
    found.x = x[index];
    found.value = point.value;
    if (smoothing.method != SmoothingMethod::None) {
        found.smooth = smooth(x, loaded->on_axis.y, smoothing)[index];
    }
    if (std::isfinite(point.epoch)) {
        found.epoch = point.epoch;
    }
    if (point.samples != INT64_MIN) {
        found.samples = point.samples;
    }
    found.attempt = point.attempt;
    found.rank = point.rank;
    return found;
}

std::optional<RangeStats> range_stats(RunSet& runs, const SeriesRef& ref, const AxisQuery& axis) {
    const auto details = runs.details(ref.run);
    const KeyInfo* key = details ? details->key(ref.key) : nullptr;
    if (key != nullptr && key->kind == Kind::Scalar && key->count > kReadForStats &&
        details->info.attempts <= 1 && axis.axis != Axis::Metric && !ref.rank) {
        const auto inside = [&](const std::optional<double>& place) {
            return place ? std::optional(*place / axis.unit()) : std::nullopt;
        };
        const auto run = runs.run(ref.run);
        auto known =
            run ? stats_by_bins(**run, ref.key, axis.axis, inside(axis.from), inside(axis.to))
                : std::nullopt;
        if (known) {
            known->slope /= axis.unit();
            return known;
        }
    }
    const auto loaded = load_series(runs, ref.run, ref.key, ref.key, axis, ref.rank);
    if (!loaded) {
        return std::nullopt;
    }
    const std::span<const double> x = loaded->on_axis.x, y = loaded->on_axis.y;
    const auto first = axis.from ? std::ranges::lower_bound(x, *axis.from) : x.begin();
    const auto end = axis.to ? std::ranges::upper_bound(x, *axis.to) : x.end();
    const auto begin = static_cast<std::size_t>(first - x.begin());
    const auto count = static_cast<std::size_t>(std::max<std::ptrdiff_t>(end - first, 0));
    return stats_of_points(x.subspan(begin, count), y.subspan(begin, count));
}

}  // namespace taffrail::query
