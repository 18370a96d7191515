// A chart from the bins that runs keep: what it costs depends on its width, not on its points.
#include "model/axes.h"
#include "query/chart/parts.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace taffrail::query {
namespace {

std::uint32_t clamp_count(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
}

void take_bins(const Bins& bins, double unit, ChartSeries& series) {
    std::size_t first = 0, last = bins.size();
    while (first < last && bins.count[first] == 0) {
        ++first;
    }
    while (last > first && bins.count[last - 1] == 0) {
        --last;
    }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const std::size_t size = last - first;
    series.raw = bins.raw;
    series.points = bins.points;
    series.x.resize(size + 1, 0);
    series.min.resize(size);
    series.max.resize(size);
    series.mean.resize(size);
    series.last.resize(size);
    series.count.resize(size);
    const std::vector<double>& x = bins.raw ? bins.x : bins.edges;
    bool all_finite = true;
    for (std::size_t to = 0; to < size; ++to) {
        const std::size_t i = first + to;
        const std::uint64_t odd =
            bins.nan_count[i] + bins.positive_infinity_count[i] + bins.negative_infinity_count[i];
        const bool finite = bins.count[i] > odd;
        all_finite = all_finite && odd == 0;
        series.x[to] = x[i] * unit;
        series.min[to] = finite ? bins.min[i] : kNone;
        series.max[to] = finite ? bins.max[i] : kNone;
        series.mean[to] = finite ? bins.mean[i] : kNone;
        series.last[to] = std::isfinite(bins.last[i]) ? bins.last[i] : series.mean[to];
        series.count[to] = clamp_count(bins.count[i]);
    }
    if (size > 0) {
        series.x[size] = (bins.raw ? x[last - 1] : x[last]) * unit;
    }
    if (!all_finite) {
        const auto take = [&](const std::vector<std::uint64_t>& counts,
                              std::vector<std::uint32_t>& out) {
            out.resize(size);
            std::transform(counts.begin() + static_cast<std::ptrdiff_t>(first),
                           counts.begin() + static_cast<std::ptrdiff_t>(last), out.begin(),
                           clamp_count);
        };
        take(bins.nan_count, series.nan);
        take(bins.positive_infinity_count, series.positive_infinity);
        take(bins.negative_infinity_count, series.negative_infinity);
    }
}

/// Where a step and its time stand on the axis; not a number where only the points know.
double position(const RunDetails& run, const AxisQuery& axis, Step step, std::int64_t time_ns) {
    switch (axis.axis) {
        case Axis::Steps:
            return static_cast<double>(step);
        case Axis::WallTime:
            return static_cast<double>(time_ns) * 1e-9;
        case Axis::RelativeTime:
            return model::difference(time_ns, run.info.start_time_ns) * 1e-9;
        default:
            return std::nan("");
    }
}

double first_position(const Wanted& wanted, const AxisQuery& axis) {
    const SeriesSummary& summary = wanted.info->scalar;
    return position(*wanted.details, axis, summary.first_step, summary.first_time_ns);
}

double last_position(const Wanted& wanted, const AxisQuery& axis) {
    const SeriesSummary& summary = wanted.info->scalar;
    return position(*wanted.details, axis, summary.last_step, summary.last_time_ns);
}

}  // namespace

AxisQuery answer_from_pyramids(RunSet& runs, const ChartQuery& chart,
                               const std::vector<Wanted>& pairs, ChartAnswer& answer) {
    Extent extent;
    for (const Wanted& wanted : pairs) {
        const double first = first_position(wanted, chart.x);
        const double last = last_position(wanted, chart.x);
        extent.include(std::min(first, last), std::max(first, last));
    }
    const bool range_known = extent.known();
    BinRequest request;
    request.axis = chart.x.axis;
    request.scale = chart.x.scale == AxisScale::Log ? Scale::Log : Scale::Linear;
    AxisQuery used = chart.x;
    if (range_known) {
        used.from = chart.x.from.value_or(extent.from);
        used.to = chart.x.to.value_or(extent.to);
        if (chart.x.scale == AxisScale::Log && *used.from <= 0) {
            used.from = std::min(1.0, *used.to);
        }
        request.width = width_for(chart, *used.from, *used.to);
    } else {
        request.width = chart.width;
    }
    const double unit = chart.x.unit();
    std::atomic<std::uint64_t> outside = 0;
    answer.series.resize(pairs.size());
    RunSet::parallel(pairs.size(), [&](std::size_t i) {
        const Wanted& wanted = pairs[i];
        ChartSeries& series = answer.series[i];
        series.run = wanted.run;
        series.key = wanted.key;
        series.total = wanted.info->scalar.count;
        series.last_value = wanted.info->scalar.last;
        series.last_x = last_position(wanted, chart.x);
        auto run = runs.run(chart.runs[static_cast<std::size_t>(wanted.run)]);
        BinRequest own = request;
        // The whole range is asked for open-ended, so that points logged since the summary was
        // taken are there too.
        const double lower = chart.x.from ? *chart.x.from / unit : std::nan(""),
                     upper = chart.x.to ? *chart.x.to / unit : std::nan("");
        if (used.from && used.to && (chart.x.from || chart.x.to)) {
            own.from = std::isnan(lower) ? *used.from / unit : lower;
            own.to = std::isnan(upper) ? *used.to / unit : upper;
        }
        auto bins = run ? (*run)->bins(wanted.info->key, own) : Result<Bins>(run.error());
        if (bins) {
            take_bins(*bins, unit, series);
            outside += bins->outside;
            if (std::isnan(*series.last_x)) {
                series.last_x = series.x.empty() ? std::nan("") : series.x.back();
            }
        } else {
            series.x.push_back(0);
        }
    });
    // Only where a chart asks for all of an axis: what was logged since the summary was taken, or
    // by a version that noted the first step and not the smallest.
    if (!range_known || !chart.x.from || !chart.x.to) {
        for (const ChartSeries& series : answer.series) {
            if (series.bins() > 0) {
                extent.include(series.x.front(), series.x.back());
            }
        }
        if (extent.known()) {
            used.from = chart.x.from.value_or(extent.from);
            used.to = chart.x.to.value_or(extent.to);
        }
    }
    answer.outside = outside;
    return used;
}

}  // namespace taffrail::query
