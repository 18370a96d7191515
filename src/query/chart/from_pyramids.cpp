// A chart from the bins that runs keep: what it costs depends on its width, not on its points.
#include "query/chart/binning.h"
#include "query/chart/parts.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace taffrail::query {
namespace {

/// Where a step and its time stand on the axis; not a number where only the points know.
double position(const RunDetails& run, const AxisQuery& axis, Step step, std::int64_t time_ns) {
    Point place;
    place.step = step;
    place.time_ns = time_ns;
    return position_of(place, axis.axis, run.info.start_time_ns);
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
    RunSet::parallel(
        pairs.size(),
        [&](std::size_t i) {
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
                outside += bins->outside;
                take_bins(*std::move(bins), unit, series);
                if (std::isnan(*series.last_x)) {
                    series.last_x = series.x.empty() ? std::nan("") : series.x.back();
                }
            } else {
                series.x.push_back(0);
            }
        },
        chart.stop);
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
