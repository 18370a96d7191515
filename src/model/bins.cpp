#include "model/bins.h"

#include "base/strings.h"
#include "base/try.h"
#include "model/number_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace taffrail::model {

namespace {

/// The first place from `at` on that is not `inside`, as all behind it are not. Steps that grow
/// find it without a look at most places before it.
template <typename Inside>
std::size_t first_behind(std::span<const double> x, std::size_t at, Inside inside) {
    std::size_t step = 1;
    while (step <= x.size() - at && inside(x[at + step - 1])) {
        at += step;
        step *= 2;
    }
    const auto rest = x.subspan(at, std::min(step, x.size() - at));
    return at + static_cast<std::size_t>(std::ranges::partition_point(rest, inside) - rest.begin());
}

/// Of points that lie side by side. Numbers of which each is finite, as they mostly are, are summed
/// up several at a time.
BinStats stats_of(std::span<const double> values) {
    BinStats stats;
    const NumberSums sums = sums_of(values);
    if (!values.empty() && sums.all_finite) {
        stats.min = sums.min;
        stats.max = sums.max;
        stats.sum = sums.sum;
        stats.last = values.back();
        stats.count = values.size();
        return stats;
    }
    for (const double value : values) {
        stats.add(value);
    }
    return stats;
}

}  // namespace

Result<void> check(const BinRequest& request) {
    if (request.width == 0 || request.width > kMaxBins) {
        return Error{ErrorCode::InvalidArgument, "cannot make " + std::to_string(request.width) +
                                                     " bins: the width must be 1 to " +
                                                     std::to_string(kMaxBins)};
    }
    for (const auto& end : {request.from, request.to}) {
        if (end && !std::isfinite(*end)) {
            return Error{ErrorCode::InvalidArgument, "the range of bins ends at " +
                                                         format_double(*end) +
                                                         ": leave an open end out instead"};
        }
    }
    if (request.from && request.to && *request.from > *request.to) {
        return Error{ErrorCode::InvalidArgument, "the range of bins runs backwards, from " +
                                                     format_double(*request.from) + " to " +
                                                     format_double(*request.to)};
    }
    return {};
}

bool has_place(double x, Scale scale) noexcept {
    return std::isfinite(x) && (scale == Scale::Linear || x > 0);
}

BinGrid make_grid(const BinRequest& request, double first_x, double last_x) {
    double from = request.from.value_or(first_x);
    double to = request.to.value_or(last_x);
    // A log axis cannot begin at or before zero; it begins where the data does.
    if (request.scale == Scale::Log && from <= 0) {
        from = first_x;
    }
    to = std::max(from, to);
    const std::size_t width = from < to ? request.width : 1;

    BinGrid grid;
    grid.boundary.resize(width + 1);
    grid.earliest.resize(width + 1);
    grid.latest.resize(width + 1);
    const bool log = request.scale == Scale::Log;
    const double low = log ? std::log(from) : from;
    const double high = log ? std::log(to) : to;
    // Weighted sum instead of low + span * share: the span of the widest axis overflows a double.
    const auto position = [&](double index) {
        const double share = index / static_cast<double>(width);
        const double on_axis = low * (1 - share) + high * share;
        return log ? std::exp(on_axis) : on_axis;
    };
    for (std::size_t i = 0; i <= width; ++i) {
        const auto index = static_cast<double>(i);
        grid.boundary[i] = i == 0 ? from : i == width ? to : position(index);
        grid.earliest[i] = position(index - 0.5);
        grid.latest[i] = position(index + 0.5);
    }
    // Rounding must not let boundaries cross when bins are as narrow as the numbers allow.
    for (std::size_t i = 1; i <= width; ++i) {
        grid.boundary[i] = std::clamp(grid.boundary[i], grid.boundary[i - 1], to);
        grid.latest[i - 1] = std::clamp(grid.latest[i - 1], grid.boundary[i - 1], grid.boundary[i]);
        grid.earliest[i] = std::clamp(grid.earliest[i], grid.latest[i - 1], grid.boundary[i]);
    }
    grid.earliest.front() = std::min(grid.earliest.front(), from);
    grid.latest.back() = std::max(grid.latest.back(), to);
    return grid;
}

void reserve_bins(Bins& bins, std::size_t count) {
    for (auto* column : {&bins.min, &bins.max, &bins.mean, &bins.last}) {
        column->reserve(count);
    }
    for (auto* column : {&bins.count, &bins.nan_count, &bins.positive_infinity_count,
                         &bins.negative_infinity_count}) {
        column->reserve(count);
    }
}

void push_bin(Bins& bins, const BinStats& stats) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    bins.min.push_back(stats.has_finite() ? stats.min : kNothing);
    bins.max.push_back(stats.has_finite() ? stats.max : kNothing);
    bins.mean.push_back(stats.mean());
    bins.last.push_back(stats.last);
    bins.count.push_back(stats.count);
    bins.nan_count.push_back(stats.nan_count);
    bins.positive_infinity_count.push_back(stats.positive_infinity_count);
    bins.negative_infinity_count.push_back(stats.negative_infinity_count);
    bins.points += stats.count;
}

Bins stats_on_edges(std::span<const double> x, std::span<const double> value,
                    std::vector<double> edges) {
    Bins bins;
    const std::size_t count = edges.empty() ? 0 : edges.size() - 1;
    auto at = static_cast<std::size_t>(
        count == 0 ? 0 : std::lower_bound(x.begin(), x.end(), edges.front()) - x.begin());
    reserve_bins(bins, count);
    for (std::size_t bin = 0; bin < count; ++bin) {
        const bool closed = bin + 1 == count;
        const std::size_t end = first_behind(x, at, [&](double place) {
            return place < edges[bin + 1] || (closed && place == edges[bin + 1]);
        });
        push_bin(bins, stats_of(value.subspan(at, end - at)));
        at = end;
    }
    bins.edges = std::move(edges);
    return bins;
}

Bins raw_bins(std::vector<double> x, std::span<const double> value) {
    Bins bins;
    reserve_bins(bins, value.size());
    for (const double each : value) {
        BinStats stats;
        stats.add(each);
        push_bin(bins, stats);
    }
    bins.edges.reserve(x.size() + 1);
    bins.edges = x;
    if (!x.empty()) {
        bins.edges.push_back(x.back());
    }
    bins.x = std::move(x);
    bins.raw = true;
    return bins;
}

Result<Bins> bins_of_points(std::span<const double> x, std::span<const double> value,
                            const BinRequest& request) {
    TAFFRAIL_TRY(check(request));
    std::vector<std::size_t> order;
    order.reserve(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (has_place(x[i], request.scale)) {
            order.push_back(i);
        }
    }
    const std::uint64_t outside = x.size() - order.size();
    const auto earlier = [&](std::size_t a, std::size_t b) { return x[a] < x[b]; };
    if (!std::is_sorted(order.begin(), order.end(), earlier)) {
        std::stable_sort(order.begin(), order.end(), earlier);
    }
    std::vector<double> sorted_x, sorted_value;
    for (const std::size_t i : order) {
        if ((!request.from || x[i] >= *request.from) && (!request.to || x[i] <= *request.to)) {
            sorted_x.push_back(x[i]);
            sorted_value.push_back(value[i]);
        }
    }
    Bins bins;
    if (sorted_x.size() <= kRawPointsPerBin * request.width) {
        bins = raw_bins(std::move(sorted_x), sorted_value);
    } else {
        BinGrid grid = make_grid(request, sorted_x.front(), sorted_x.back());
        bins = stats_on_edges(sorted_x, sorted_value, std::move(grid.boundary));
    }
    bins.outside = outside;
    return bins;
}

}  // namespace taffrail::model
