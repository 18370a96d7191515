#include "query/chart/chart.h"

#include "base/clock.h"
#include "query/chart/parts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace taffrail::query {
namespace {

std::vector<Wanted> existing_pairs(RunSet& runs, const ChartQuery& chart,
                                   const std::vector<std::string>& keys, std::uint64_t& missing) {
    std::vector<Wanted> pairs;
    for (std::size_t r = 0; r < chart.runs.size(); ++r) {
        const auto details = runs.details(chart.runs[r]);
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
std::vector<Wanted> by_rank(RunSet& runs, const ChartQuery& chart, std::vector<Wanted> pairs) {
    if (chart.ranks == Ranks::Together || chart.rank || chart.group || !chart.expression.empty()) {
        return pairs;
    }
    std::vector<Wanted> apart;
    for (const Wanted& wanted : pairs) {
        const std::vector<std::int32_t> ranks =
            wanted.details->info.world_size > 1
                ? runs.ranks().of(runs, *wanted.details, *wanted.info)
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
           chart.smoothing.method == SmoothingMethod::None && !chart.rank && !wanted.rank &&
           chart.x.scale != AxisScale::Symlog && chart.x.axis != Axis::Metric &&
           (!chart.all_attempts || wanted.details->info.attempts <= 1);
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

ChartAnswer answer_chart(RunSet& runs, const ChartQuery& chart) {
    const std::int64_t started = monotonic_ns();
    ChartAnswer answer;
    answer.runs = chart.runs;
    answer.keys =
        chart.expression.empty() ? chart.keys : std::vector<std::string>{chart.expression};
    std::vector<Wanted> quick =
        by_rank(runs, chart, existing_pairs(runs, chart, answer.keys, answer.missing));
    const auto slow = std::stable_partition(quick.begin(), quick.end(), [&](const Wanted& wanted) {
        return pyramid_can_answer(chart, wanted);
    });
    const std::vector<Wanted> others(slow, quick.end());
    quick.erase(slow, quick.end());
    AxisQuery used = chart.x;
    if (!quick.empty()) {
        used = answer_from_pyramids(runs, chart, quick, answer);
    }
    if (!others.empty() || quick.empty()) {
        answer_from_points(runs, chart, others, used, answer);
    }
    if (!quick.empty() && !others.empty()) {
        std::ranges::stable_sort(answer.series, {}, [](const ChartSeries& series) {
            return std::tuple(series.run, series.key, series.rank);
        });
    }
    answer.x = std::move(used);
    answer.query_ms = static_cast<double>(monotonic_ns() - started) * 1e-6;
    return answer;
}

}  // namespace taffrail::query
