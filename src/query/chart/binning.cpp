#include "query/chart/binning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::query {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Sums up one bin.
struct BinSum {
    double min = std::numeric_limits<double>::infinity(), max = -min, last = kNan;
    double sum = 0, smooth_sum = 0;
    std::uint32_t finite = 0, smooth_count = 0, count = 0, nan = 0, positive = 0, negative = 0;

    void add(double y, double smoothed) {
        ++count;
        if (std::isnan(y)) {
            ++nan;
        } else if (std::isinf(y)) {
            ++(y > 0 ? positive : negative);
        } else {
            ++finite;
            min = std::min(min, y);
            max = std::max(max, y);
            sum += y;
            last = y;
        }
        if (std::isfinite(smoothed)) {
            smooth_sum += smoothed;
            ++smooth_count;
        }
    }

    void push_to(ChartSeries& series, bool with_smooth) const {
        series.min.push_back(finite > 0 ? min : kNan);
        series.max.push_back(finite > 0 ? max : kNan);
        series.mean.push_back(finite > 0 ? std::clamp(sum / finite, min, max) : kNan);
        series.last.push_back(last);
        if (with_smooth) {
            series.smooth.push_back(smooth_count > 0 ? smooth_sum / smooth_count : kNan);
        }
        series.count.push_back(count);
        series.nan.push_back(nan);
        series.positive_infinity.push_back(positive);
        series.negative_infinity.push_back(negative);
    }
};

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

void bin_points(std::span<const double> x, std::span<const double> y,
                std::span<const double> smoothed, const ChartGrid& grid, std::size_t raw_limit,
                ChartSeries& series) {
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(x, grid.from) - x.begin());
    const auto last = static_cast<std::size_t>(std::ranges::upper_bound(x, grid.to) - x.begin());
    series.points = last > first ? last - first : 0;
    if (series.points == 0) {
        series.x.push_back(grid.from);
        return;
    }
    const bool with_smooth = !smoothed.empty();
    const auto smooth_at = [&](std::size_t i) { return with_smooth ? smoothed[i] : kNan; };
    if (series.points <= raw_limit) {
        series.raw = true;
        for (std::size_t i = first; i < last; ++i) {
            BinSum bin;
            bin.add(y[i], smooth_at(i));
            bin.push_to(series, with_smooth);
            series.x.push_back(x[i]);
        }
        series.x.push_back(x[last - 1]);
        return;
    }
    const std::vector<double> edges = grid.edges();
    const auto bin_of = [&](double at) {
        const auto after = std::ranges::upper_bound(edges, at) - edges.begin();
        return static_cast<std::size_t>(
            std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(grid.width) - 1));
    };
    const std::size_t first_bin = bin_of(x[first]), last_bin = bin_of(x[last - 1]);
    std::size_t i = first;
    for (std::size_t bin = first_bin; bin <= last_bin; ++bin) {
        BinSum sum;
        for (; i < last && (x[i] < edges[bin + 1] || bin == last_bin); ++i) {
            sum.add(y[i], smooth_at(i));
        }
        sum.push_to(series, with_smooth);
        series.x.push_back(edges[bin]);
    }
    series.x.push_back(edges[last_bin + 1]);
}

}  // namespace taffrail::query
