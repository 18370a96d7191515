#include "server/chart_query.h"

#include "base/clock.h"
#include "server/chart_parts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace taffrail::server {
namespace {

std::vector<Wanted> existing_pairs(Workspace& workspace, const ChartQuery& chart,
                                   const std::vector<std::string>& keys, std::uint64_t& missing) {
    std::vector<Wanted> pairs;
    for (std::size_t r = 0; r < chart.runs.size(); ++r) {
        const auto details = workspace.details(chart.runs[r]);
        for (std::size_t k = 0; k < keys.size(); ++k) {
            const KeyInfo* info =
                details && chart.expression.empty() ? details->key(keys[k]) : nullptr;
            if (!details ||
                (chart.expression.empty() && (info == nullptr || info->kind != Kind::Scalar))) {
                ++missing;
                continue;
            }
            pairs.push_back({static_cast<int>(r), static_cast<int>(k), details, info});
        }
    }
    return pairs;
}

/// The same pair once for each rank that logged it, where there are several and the chart tells
/// them apart.
std::vector<Wanted> by_rank(Workspace& workspace, const ChartQuery& chart,
                            std::vector<Wanted> pairs) {
    if (chart.ranks == Ranks::Together || chart.rank || chart.group || !chart.expression.empty()) {
        return pairs;
    }
    std::vector<Wanted> apart;
    for (const Wanted& wanted : pairs) {
        const std::vector<std::int32_t> ranks =
            wanted.details->info.world_size > 1
                ? workspace.ranks().of(workspace, *wanted.details, *wanted.info)
                : std::vector<std::int32_t>();
        for (const std::int32_t rank : ranks) {
            apart.push_back(wanted);
            apart.back().rank = rank;
        }
        if (ranks.empty()) {
            apart.push_back(wanted);
        }
    }
    return apart;
}

// A pyramid answers these; everything else needs the points. Overwritten points exist only where a
// run was resumed.
bool pyramid_can_answer(const ChartQuery& chart, const Wanted& wanted) {
    return chart.expression.empty() && !chart.group &&
           chart.smoothing.method == query::SmoothingMethod::None && !chart.rank && !wanted.rank &&
           chart.x.scale != AxisScale::Symlog && chart.x.axis != Axis::Metric &&
           (!chart.all_attempts || wanted.details->info.attempts <= 1);
}

void keep_fields(const ChartQuery& chart, Frame& frame) {
    if (chart.fields.empty()) {
        return;
    }
    const auto wanted = [&](std::string_view name) {
        return std::ranges::find(chart.fields, name) != chart.fields.end();
    };
    frame.with_counts = wanted("count");
    // A point is its own min and max.
    const bool spread = wanted("spread") && !std::ranges::all_of(frame.series, &FrameSeries::raw);
    for (FrameSeries& series : frame.series) {
        if (!wanted("min") && !spread) {
            series.min.clear();
        }
        if (!wanted("max") && !spread) {
            series.max.clear();
        }
        if (!wanted("mean") && !frame.grouped) {
            series.mean.clear();
        }
        if (!wanted("last")) {
            series.last.clear();
        }
        if (!wanted("smooth")) {
            series.smooth.clear();
        }
    }
}

}  // namespace

/// `bin` asks for a size instead of a number.
std::size_t width_for(const ChartQuery& chart, double from, double to) {
    if (!chart.bin) {
        return chart.width;
    }
    const double span = to_scale(chart.x.scale, to) - to_scale(chart.x.scale, from);
    return std::isfinite(span) && span > 0
               ? static_cast<std::size_t>(std::clamp(std::ceil(span / *chart.bin), 1.0, 8192.0))
               : 1;
}

Frame answer_chart(Workspace& workspace, const ChartQuery& chart) {
    const std::int64_t started = monotonic_ns();
    Frame frame;
    frame.chart = chart.id;
    frame.revision = workspace.revision();
    frame.runs = chart.runs;
    frame.keys = chart.expression.empty() ? chart.keys : std::vector<std::string>{chart.expression};
    frame.y_scale = chart.y_scale;
    frame.precision = chart.precision;
    frame.share_x = chart.share_x;
    if (!chart.expression.empty()) {
        [[maybe_unused]] const auto checked = parse_expression(chart.expression);
    }
    std::vector<Wanted> quick =
        by_rank(workspace, chart, existing_pairs(workspace, chart, frame.keys, frame.missing));
    const auto slow = std::stable_partition(quick.begin(), quick.end(), [&](const Wanted& wanted) {
        return pyramid_can_answer(chart, wanted);
    });
    const std::vector<Wanted> others(slow, quick.end());
    quick.erase(slow, quick.end());
    AxisQuery used = chart.x;
    if (!quick.empty()) {
        used = answer_from_pyramids(workspace, chart, quick, frame);
    }
    if (!others.empty() || quick.empty()) {
        answer_from_points(workspace, chart, others, used, frame);
    }
    if (!quick.empty() && !others.empty()) {
        std::ranges::stable_sort(frame.series, {}, [](const FrameSeries& series) {
            return std::tuple(series.run, series.key, series.rank);
        });
    }
    frame.x_json = axis_json(used);
    keep_fields(chart, frame);
    frame.query_ms = static_cast<double>(monotonic_ns() - started) * 1e-6;
    return frame;
}

}  // namespace taffrail::server
