#include "query/chart/range_stats.h"

#include "model/bin_stats.h"
#include "query/chart/nearest.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace taffrail::query {
namespace {

constexpr std::size_t kStatsBins = 1024;
constexpr int kStatsDepth = 8;
// Stretches of neighbouring points that tell how far points scatter within a bin.
constexpr std::size_t kSamples = 8;

enum class End { First, Last };

Result<Bins> bins_between(const RecordedRun& run, std::string_view key, Axis axis,
                          std::optional<double> from, std::optional<double> to) {
    BinRequest request;
    request.axis = axis;
    request.width = kStatsBins;
    request.from = from;
    request.to = to;
    return run.bins(key, request);
}

/// Bins of a stretch without the empty ends of it: a range far wider than the series would put
/// everything into one bin. Narrows `from` and `to` to what the bins cover.
Result<Bins> bins_around_points(const RecordedRun& run, std::string_view key, Axis axis,
                                std::optional<double>& from, std::optional<double>& to) {
    auto bins = bins_between(run, key, axis, from, to);
    for (int depth = 0; depth < kStatsDepth && bins && !bins->raw && bins->points > 0; ++depth) {
        const auto holds = [](std::uint64_t count) { return count > 0; };
        const auto& count = bins->count;
        const auto first =
            static_cast<std::size_t>(std::ranges::find_if(count, holds) - count.begin());
        const auto behind = static_cast<std::size_t>(
            count.rend() - std::find_if(count.rbegin(), count.rend(), holds));
        if (2 * (behind - first) >= bins->size() || !(bins->edges[first] < bins->edges[behind])) {
            break;
        }
        from = bins->edges[first];
        to = bins->edges[behind];
        bins = bins_between(run, key, axis, from, to);
    }
    return bins;
}

/// The points at one end of a stretch: ever narrower bins, until each point has its own.
std::optional<Bins> points_at(End end, const RecordedRun& run, std::string_view key, Axis axis,
                              std::optional<double> from, std::optional<double> to) {
    for (int depth = 0; depth < kStatsDepth; ++depth) {
        auto bins = bins_between(run, key, axis, from, to);
        if (!bins || bins->size() == 0) {
            return std::nullopt;
        }
        if (bins->raw) {
            return *std::move(bins);
        }
        const auto holds = [](std::uint64_t count) { return count > 0; };
        const auto& count = bins->count;
        const std::ptrdiff_t bin =
            end == End::First
                ? std::ranges::find_if(count, holds) - count.begin()
                : count.rend() - std::find_if(count.rbegin(), count.rend(), holds) - 1;
        if (bin < 0 || bin >= static_cast<std::ptrdiff_t>(bins->size())) {
            return std::nullopt;
        }
        from = bins->edges[static_cast<std::size_t>(bin)];
        to = bins->edges[static_cast<std::size_t>(bin) + 1];
        if (!(*from < *to)) {
            return std::nullopt;  // more points in one place than have bins
        }
    }
    return std::nullopt;
}

std::optional<double> finite_value_at(End end, const RecordedRun& run, std::string_view key,
                                      Axis axis, std::optional<double> from,
                                      std::optional<double> to) {
    const auto points = points_at(end, run, key, axis, from, to);
    for (std::size_t i = 0; points && i < points->size(); ++i) {
        const double value = raw_value(*points, end == End::First ? i : points->size() - 1 - i);
        if (std::isfinite(value)) {
            return value;
        }
    }
    return std::nullopt;
}

/// Mean square distance of neighbouring points from their own mean.
double scatter(const Bins& points) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < points.size(); ++i) {
        x.push_back(points.x[i]);
        y.push_back(raw_value(points, i));
    }
    const RangeStats stats = stats_of_points(x, y);
    return stats.count > 1 ? stats.deviation * stats.deviation : 0;
}

/// Of the bins that are sampled, the average; 0 where none can be.
double scatter_within_bins(const RecordedRun& run, std::string_view key, Axis axis,
                           const Bins& bins) {
    double sum = 0;
    std::size_t sampled = 0;
    for (std::size_t i = 0; i < kSamples; ++i) {
        const std::size_t bin = (2 * i + 1) * bins.size() / (2 * kSamples);
        if (bins.count[bin] == 0) {
            continue;
        }
        if (const auto points =
                points_at(End::First, run, key, axis, bins.edges[bin], bins.edges[bin + 1])) {
            sum += scatter(*points);
            ++sampled;
        }
    }
    return sampled > 0 ? sum / static_cast<double>(sampled) : 0;
}

/// Points of a bin stand for their mean, in the middle of it.
void estimate(RangeStats& stats, const Bins& bins, double within) {
    double mean_x = 0, total = 0;
    const auto weight = [&](std::size_t i) {
        return static_cast<double>(bins.count[i] - bins.nan_count[i]);
    };
    const auto middle = [&](std::size_t i) { return (bins.edges[i] + bins.edges[i + 1]) / 2; };
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (weight(i) > 0) {
            total += weight(i);
            mean_x += (middle(i) - mean_x) * weight(i) / total;
        }
    }
    double squares = 0, squares_x = 0, products = 0;
    for (std::size_t i = 0; i < bins.size(); ++i) {
        if (weight(i) > 0) {
            const double dx = middle(i) - mean_x, dy = bins.mean[i] - stats.mean;
            squares += weight(i) * dy * dy;
            squares_x += weight(i) * dx * dx;
            products += weight(i) * dx * dy;
        }
    }
    stats.deviation = total > 1 ? std::sqrt((squares + within * total) / (total - 1)) : 0;
    stats.slope = squares_x > 0 ? products / squares_x : RangeStats::kNone;
    stats.estimated = true;
}

}  // namespace

RangeStats stats_of_points(std::span<const double> x, std::span<const double> y) {
    RangeStats stats;
    model::BinStats all;
    double n = 0, mean = 0, mean_x = 0, squares = 0, squares_x = 0, products = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        all.add(y[i]);
        if (!std::isfinite(y[i])) {
            continue;
        }
        stats.first = n == 0 ? y[i] : stats.first;
        n += 1;
        // Welford's way: differences from the mean so far keep their digits where squares of the
        // values themselves would not.
        const double dx = x[i] - mean_x, dy = y[i] - mean;
        mean_x += dx / n;
        mean += dy / n;
        squares += dy * (y[i] - mean);
        squares_x += dx * (x[i] - mean_x);
        products += dx * (y[i] - mean);
    }
    stats.count = all.finite_count();
    stats.nan = all.count - stats.count;
    if (all.has_finite()) {
        stats.min = all.min;
        stats.max = all.max;
        stats.mean = mean;
        stats.last = all.last;
        stats.deviation = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
    }
    stats.slope = squares_x > 0 ? products / squares_x : RangeStats::kNone;
    return stats;
}

std::optional<RangeStats> stats_by_bins(const RecordedRun& run, std::string_view key, Axis axis,
                                        std::optional<double> from, std::optional<double> to) {
    const auto bins = bins_around_points(run, key, axis, from, to);
    if (!bins) {
        return std::nullopt;
    }
    RangeStats stats;
    double sum = 0;
    for (std::size_t i = 0; i < bins->size(); ++i) {
        if (bins->positive_infinity_count[i] + bins->negative_infinity_count[i] > 0) {
            return std::nullopt;
        }
        const std::uint64_t finite = bins->count[i] - bins->nan_count[i];
        stats.count += finite;
        stats.nan += bins->nan_count[i];
        if (finite > 0) {
            stats.min = std::fmin(stats.min, bins->min[i]);
            stats.max = std::fmax(stats.max, bins->max[i]);
            sum += bins->mean[i] * static_cast<double>(finite);
        }
    }
    if (stats.count == 0) {
        return stats;
    }
    stats.mean = sum / static_cast<double>(stats.count);
    const auto first = finite_value_at(End::First, run, key, axis, from, to),
               last = finite_value_at(End::Last, run, key, axis, from, to);
    if (!first || !last) {
        return std::nullopt;
    }
    stats.first = *first;
    stats.last = *last;
    if (bins->raw) {
        std::vector<double> y;
        for (std::size_t i = 0; i < bins->size(); ++i) {
            y.push_back(raw_value(*bins, i));
        }
        return stats_of_points(bins->x, y);
    }
    estimate(stats, *bins, scatter_within_bins(run, key, axis, *bins));
    return stats;
}

}  // namespace taffrail::query
