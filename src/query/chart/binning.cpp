#include "query/chart/binning.h"

#include "model/bin_stats.h"
#include "model/number_sums.h"

#include <algorithm>
#include <utility>

namespace taffrail::query {
namespace {

std::uint32_t clamp_count(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
}

/// Of the finite ones; NaN where there are none.
double finite_mean(std::span<const double> values) {
    const model::NumberSums sums = model::sums_of(values);
    if (sums.all_finite && !values.empty()) {
        return sums.sum / static_cast<double>(values.size());
    }
    model::BinStats stats;
    for (const double value : values) {
        stats.add(value);
    }
    return stats.mean();
}

/// How many points each bin has is known already: the same ones are averaged.
std::vector<double> smooth_means(const ChartSeries& series, std::span<const double> smoothed) {
    std::vector<double> means;
    means.reserve(series.bins());
    std::size_t at = 0;
    for (const std::uint32_t count : series.count) {
        means.push_back(finite_mean(smoothed.subspan(at, count)));
        at += count;
    }
    return means;
}

/// A smoothing that runs along needs the points before the first bin as well: they are what it
/// remembers.
/// The same without all smoothed values at once. `first` points lie before the first bin.
std::vector<double> smooth_means(const ChartSeries& series, RunningSmoothing smoothing,
                                 std::size_t first) {
    constexpr std::size_t kSkipped = 4096;
    std::size_t most = kSkipped;
    for (const std::uint32_t count : series.count) {
        most = std::max<std::size_t>(most, count);
    }
    UnwrittenVector<double> some(most);
    for (std::size_t left = first; left > 0;) {
        const std::size_t count = std::min(left, kSkipped);
        smoothing.next(std::span(some).first(count));
        left -= count;
    }
    std::vector<double> means;
    means.reserve(series.bins());
    for (const std::uint32_t count : series.count) {
        const std::span<double> values = std::span(some).first(count);
        smoothing.next(values);
        means.push_back(finite_mean(values));
    }
    return means;
}

}  // namespace

std::vector<double> ChartGrid::edges() const {
    std::vector<double> boundaries(width + 1);
    const double low = to_scale(scale, from), high = to_scale(scale, to);
    for (std::size_t i = 0; i <= width; ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(width);
        boundaries[i] = from_scale(scale, low * (1 - t) + high * t);
    }
    boundaries.front() = from;
    boundaries.back() = to;
    return boundaries;
}

void take_bins(Bins bins, double unit, ChartSeries& series) {
    std::size_t first = 0, last = bins.size();
    while (first < last && bins.count[first] == 0) {
        ++first;
    }
    while (last > first && bins.count[last - 1] == 0) {
        --last;
    }
    const std::size_t size = last - first;
    series.raw = bins.raw;
    series.points = bins.points;
    const auto taken = [&](std::vector<double>& column) {
        return size == bins.size()
                   ? std::move(column)
                   : std::vector(column.begin() + static_cast<std::ptrdiff_t>(first),
                                 column.begin() + static_cast<std::ptrdiff_t>(last));
    };
    series.min = taken(bins.min);
    series.max = taken(bins.max);
    series.mean = taken(bins.mean);
    series.last = taken(bins.last);
    const std::vector<double>& x = bins.raw ? bins.x : bins.edges;
    series.x.resize(size + 1, 0);
    series.count.resize(size);
    bool all_finite = true;
    for (std::size_t to = 0; to < size; ++to) {
        const std::size_t i = first + to;
        all_finite = all_finite && bins.nan_count[i] + bins.positive_infinity_count[i] +
                                           bins.negative_infinity_count[i] ==
                                       0;
        series.x[to] = x[i] * unit;
        series.count[to] = clamp_count(bins.count[i]);
    }
    if (size > 0) {
        series.x[size] = (bins.raw ? x[last - 1] : x[last]) * unit;
    }
    if (!all_finite) {
        const auto marks = [&](const std::vector<std::uint64_t>& counts) {
            std::vector<std::uint32_t> out(size);
            std::transform(counts.begin() + static_cast<std::ptrdiff_t>(first),
                           counts.begin() + static_cast<std::ptrdiff_t>(last), out.begin(),
                           clamp_count);
            return out;
        };
        series.nan = marks(bins.nan_count);
        series.positive_infinity = marks(bins.positive_infinity_count);
        series.negative_infinity = marks(bins.negative_infinity_count);
    }
}

void bin_points(std::span<const double> x, std::span<const double> y,
                std::span<const double> smoothed, const Smoothing& smoothing, const ChartGrid& grid,
                std::size_t raw_limit, ChartSeries& series) {
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(x, grid.from) - x.begin());
    const auto behind = static_cast<std::size_t>(std::ranges::upper_bound(x, grid.to) - x.begin());
    if (behind <= first) {
        series.points = 0;
        series.x.push_back(grid.from);
        return;
    }
    const std::size_t count = behind - first;
    const std::span<const double> places = x.subspan(first, count);
    const std::span<const double> values = y.subspan(first, count);
    take_bins(count <= raw_limit
                  ? model::raw_bins(std::vector(places.begin(), places.end()), values)
                  : model::stats_on_edges(places, values, grid.edges()),
              1, series);
    if (!smoothed.empty()) {
        series.smooth = smooth_means(series, smoothed.subspan(first, count));
    } else if (is_running(smoothing.method)) {
        series.smooth = smooth_means(series, RunningSmoothing(x, y, smoothing), first);
    }
}

}  // namespace taffrail::query
