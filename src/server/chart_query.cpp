#include "server/chart_query.h"

#include "base/clock.h"
#include "query/expression.h"
#include "server/api/api.h"
#include "server/binning.h"
#include "server/columns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace taffrail::server {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A pair of run and key (or the expression) that exists.
struct Wanted {
    int run = 0, key = 0;
    std::shared_ptr<const RunDetails> details;
    const KeyInfo* info = nullptr;  ///< null for an expression
};

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

std::vector<Point> of_rank(std::vector<Point> points, std::optional<std::int32_t> rank) {
    if (rank) {
        std::erase_if(points, [&](const Point& point) { return point.rank != *rank; });
    }
    return points;
}

// Evaluated at the steps where every key has a point; the newest one of a step counts.
std::vector<Point> evaluate(const RecordedRun& run, const query::Expression& expression,
                            std::optional<std::int32_t> rank) {
    std::vector<std::unordered_map<Step, Point>> series;
    for (const std::string& key : expression.keys()) {
        auto points = run.points(key);
        if (!points) {
            return {};
        }
        auto& by_step = series.emplace_back();
        for (const Point& point : of_rank(winning_points(*points), rank)) {
            by_step.insert_or_assign(point.step, point);
        }
    }
    if (series.empty()) {
        return {};
    }
    std::vector<Point> result;
    std::vector<double> values(series.size());
    for (const auto& [step, first] : series.front()) {
        bool complete = true;
        for (std::size_t i = 0; i < series.size() && complete; ++i) {
            const auto found = series[i].find(step);
            complete = found != series[i].end();
            values[i] = complete ? found->second.value : 0;
        }
        if (complete) {
            Point point = first;
            point.value = expression.evaluate(values);
            result.push_back(point);
        }
    }
    std::ranges::sort(result, {}, [](const Point& point) { return point.step; });
    return result;
}

query::Expression parse_expression(const std::string& text) {
    auto parsed = query::Expression::parse(text);
    if (const auto* error = std::get_if<query::ExpressionError>(&parsed)) {
        throw ApiError{400, "invalid", "expression: " + error->message, error->offset};
    }
    return std::get<query::Expression>(std::move(parsed));
}

std::vector<Point> raw_points(Workspace& workspace, const std::string& run_id,
                              const std::string& key, const std::string& expression,
                              std::optional<std::int32_t> rank) {
    auto run = workspace.run(run_id);
    if (!run) {
        return {};
    }
    if (!expression.empty()) {
        return evaluate(**run, parse_expression(expression), rank);
    }
    auto points = (*run)->points(key);
    return points ? of_rank(*std::move(points), rank) : std::vector<Point>();
}

std::vector<Point> metric_points(Workspace& workspace, const std::string& run_id,
                                 const AxisQuery& axis, std::optional<std::int32_t> rank) {
    return axis.axis == Axis::Metric
               ? winning_points(raw_points(workspace, run_id, axis.metric, "", rank))
               : std::vector<Point>();
}

// A pyramid answers these; everything else needs the points. Overwritten points exist only where a
// run was resumed.
bool pyramid_can_answer(const ChartQuery& chart, const Wanted& wanted) {
    return chart.expression.empty() && !chart.group &&
           chart.smoothing.method == query::SmoothingMethod::None && !chart.rank &&
           chart.x.scale != AxisScale::Symlog && chart.x.axis != Axis::Metric &&
           (!chart.all_attempts || wanted.details->info.attempts <= 1);
}

/// The range the axis covers, from what is known without reading points.
void widen(double& from, double& to, double low, double high) {
    if (std::isfinite(low) && std::isfinite(high)) {
        from = std::min(from, low);
        to = std::max(to, high);
    }
}

std::uint32_t clamp_count(std::uint64_t count) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, UINT32_MAX));
}

void take_bins(const Bins& bins, double unit, FrameSeries& series) {
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

double last_position(const Wanted& wanted, const AxisQuery& axis) {
    const SeriesSummary& s = wanted.info->scalar;
    switch (axis.axis) {
        case Axis::Steps:
            return static_cast<double>(s.last_step);
        case Axis::WallTime:
            return static_cast<double>(s.last_time_ns) * 1e-9;
        case Axis::RelativeTime:
            return static_cast<double>(s.last_time_ns - wanted.details->info.start_time_ns) * 1e-9;
        default:
            return std::nan("");
    }
}

double first_position(const Wanted& wanted, const AxisQuery& axis) {
    const SeriesSummary& s = wanted.info->scalar;
    switch (axis.axis) {
        case Axis::Steps:
            return static_cast<double>(s.first_step);
        case Axis::WallTime:
            return static_cast<double>(s.first_time_ns) * 1e-9;
        case Axis::RelativeTime:
            return static_cast<double>(s.first_time_ns - wanted.details->info.start_time_ns) * 1e-9;
        default:
            return std::nan("");
    }
}

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

/// Returns the range that was used.
AxisQuery answer_from_pyramids(Workspace& workspace, const ChartQuery& chart,
                               const std::vector<Wanted>& pairs, Frame& frame) {
    double from = kInfinity, to = -kInfinity;
    for (const Wanted& wanted : pairs) {
        widen(from, to, std::min(first_position(wanted, chart.x), last_position(wanted, chart.x)),
              std::max(first_position(wanted, chart.x), last_position(wanted, chart.x)));
    }
    const bool range_known = from <= to;
    BinRequest request;
    request.axis = chart.x.axis;
    request.scale = chart.x.scale == AxisScale::Log ? Scale::Log : Scale::Linear;
    AxisQuery used = chart.x;
    if (range_known) {
        used.from = chart.x.from.value_or(from);
        used.to = chart.x.to.value_or(to);
        if (chart.x.scale == AxisScale::Log && *used.from <= 0) {
            used.from = std::min(1.0, *used.to);
        }
        request.width = width_for(chart, *used.from, *used.to);
    } else {
        request.width = chart.width;
    }
    const double unit = chart.x.unit();
    std::atomic<std::uint64_t> outside = 0;
    frame.series.resize(pairs.size());
    Workspace::parallel(pairs.size(), [&](std::size_t i) {
        const Wanted& wanted = pairs[i];
        FrameSeries& series = frame.series[i];
        series.run = wanted.run;
        series.key = wanted.key;
        series.total = wanted.info->scalar.count;
        series.last_value = wanted.info->scalar.last;
        series.last_x = last_position(wanted, chart.x);
        auto run = workspace.run(chart.runs[static_cast<std::size_t>(wanted.run)]);
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
    if (!range_known) {
        for (const FrameSeries& series : frame.series) {
            if (series.bins() > 0) {
                widen(from, to, series.x.front(), series.x.back());
            }
        }
        if (from <= to) {
            used.from = chart.x.from.value_or(from);
            used.to = chart.x.to.value_or(to);
        }
    }
    frame.outside = outside;
    return used;
}

/// Points of one line of the chart before they are binned.
struct Line {
    FrameSeries head;
    std::vector<double> x, y, smoothed;
};

std::vector<Line> load_lines(Workspace& workspace, const ChartQuery& chart,
                             const std::vector<Wanted>& pairs,
                             const std::vector<std::string>& keys) {
    std::vector<std::vector<Line>> loaded(pairs.size());
    Workspace::parallel(pairs.size(), [&](std::size_t i) {
        const Wanted& wanted = pairs[i];
        const std::string& id = chart.runs[static_cast<std::size_t>(wanted.run)];
        const std::vector<Point> all =
            raw_points(workspace, id, keys[static_cast<std::size_t>(wanted.key)], chart.expression,
                       chart.rank);
        const std::vector<Point> metric = metric_points(workspace, id, chart.x, chart.rank);
        const auto add = [&](const std::vector<Point>& points, std::uint32_t attempt,
                             bool current) {
            SeriesPoints series =
                on_axis(points, chart.x, wanted.details->info.start_time_ns, metric);
            Line& line = loaded[i].emplace_back();
            line.head.run = wanted.run;
            line.head.key = wanted.key;
            line.head.attempt = attempt;
            line.head.current = current;
            line.head.total = series.x.size();
            line.head.last_value = points.empty() ? std::nan("") : points.back().value;
            line.head.last_x = series.x.empty() ? std::nan("") : series.x.back();
            if (chart.smoothing.method != query::SmoothingMethod::None) {
                line.smoothed = query::smooth(series.x, series.y, chart.smoothing);
            }
            line.x = std::move(series.x);
            line.y = std::move(series.y);
        };
        const std::vector<Point> winning = winning_points(all);
        add(winning, winning.empty() ? 0 : winning.back().attempt, true);
        if (chart.all_attempts) {
            for (const auto& [attempt, points] : overwritten_points(all)) {
                add(points, attempt, false);
            }
        }
    });
    std::vector<Line> lines;
    for (auto& some : loaded) {
        std::move(some.begin(), some.end(), std::back_inserter(lines));
    }
    return lines;
}

ChartGrid grid_of(const ChartQuery& chart, const std::vector<Line>& lines, std::uint64_t& outside) {
    double from = kInfinity, to = -kInfinity;
    for (const Line& line : lines) {
        if (line.x.empty()) {
            continue;
        }
        auto first = line.x.begin();
        if (chart.x.scale == AxisScale::Log) {
            first = std::ranges::upper_bound(line.x, 0.0);
            outside += static_cast<std::uint64_t>(first - line.x.begin());
        }
        if (first != line.x.end()) {
            widen(from, to, *first, line.x.back());
        }
    }
    ChartGrid grid;
    grid.scale = chart.x.scale;
    grid.from = chart.x.from.value_or(from <= to ? from : 0);
    grid.to = chart.x.to.value_or(from <= to ? to : 1);
    if (grid.scale == AxisScale::Log && grid.from <= 0) {
        grid.from = from > 0 && std::isfinite(from) ? from : 1;
    }
    grid.to = std::max(grid.from, grid.to);
    grid.width = width_for(chart, grid.from, grid.to);
    return grid;
}

std::string group_label(const std::vector<Cell>& values) {
    std::string label;
    for (const Cell& value : values) {
        label += (label.empty() ? "" : " · ") + cell_label(value);
    }
    return label.empty() ? "all runs" : label;
}

/// One sample per run and bin: the mean of its (smoothed) points there.
void join_group(const ChartQuery& chart, const ChartGrid& grid,
                const std::vector<const Line*>& members, FrameSeries& series) {
    std::vector<double> distinct;
    for (const Line* line : members) {
        for (double x : line->x) {
            if (x >= grid.from && x <= grid.to) {
                distinct.push_back(x);
            }
        }
    }
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const bool raw = distinct.size() <= grid.width;
    const std::vector<double> edges = raw ? distinct : grid.edges();
    const std::size_t bins = raw ? distinct.size() : grid.width;
    std::vector<std::vector<double>> sums(members.size(), std::vector<double>(bins, 0));
    std::vector<std::vector<std::uint32_t>> counts(members.size(),
                                                   std::vector<std::uint32_t>(bins, 0));
    std::vector<std::uint32_t> points(bins, 0);
    for (std::size_t m = 0; m < members.size(); ++m) {
        const Line& line = *members[m];
        const std::vector<double>& values = line.smoothed.empty() ? line.y : line.smoothed;
        for (std::size_t i = 0; i < line.x.size(); ++i) {
            if (line.x[i] < grid.from || line.x[i] > grid.to) {
                continue;
            }
            const auto after = std::ranges::upper_bound(edges, line.x[i]) - edges.begin();
            const auto bin = static_cast<std::size_t>(
                std::clamp<std::ptrdiff_t>(after - 1, 0, static_cast<std::ptrdiff_t>(bins) - 1));
            ++points[bin];
            ++series.points;
            if (std::isfinite(values[i])) {
                sums[m][bin] += values[i];
                ++counts[m][bin];
            }
        }
    }
    series.raw = raw;
    std::vector<double> samples(members.size());
    for (std::size_t b = 0; b < bins; ++b) {
        for (std::size_t m = 0; m < members.size(); ++m) {
            samples[m] = counts[m][b] > 0 ? sums[m][b] / counts[m][b] : std::nan("");
        }
        const query::GroupPoint point =
            query::join(samples, chart.group->centre, chart.group->band);
        series.x.push_back(edges[b]);
        series.mean.push_back(point.centre);
        series.low.push_back(point.low);
        series.high.push_back(point.high);
        series.runs.push_back(point.samples);
        series.count.push_back(points[b]);
    }
    series.x.push_back(bins == 0 ? grid.from : raw ? edges.back() : edges[bins]);
}

void answer_groups(Workspace& workspace, const ChartQuery& chart, const std::vector<Line>& lines,
                   const ChartGrid& grid, Frame& frame) {
    frame.grouped = true;
    std::map<std::pair<int, std::string>, std::size_t> known;
    std::vector<std::vector<const Line*>> members;
    std::map<std::string, int> labels;
    for (const Line& line : lines) {
        if (!line.head.current) {
            continue;
        }
        const std::string& id = chart.runs[static_cast<std::size_t>(line.head.run)];
        const auto details = workspace.details(id);
        std::vector<Cell> values;
        for (const std::string& column : chart.group->by) {
            values.push_back(details ? column_value(*details, column) : Cell());
        }
        const std::string label = group_label(values);
        const auto [entry, added] =
            labels.try_emplace(label, static_cast<int>(frame.groups.size()));
        if (added) {
            frame.groups.push_back({label, values, {}});
        }
        auto& listed = frame.groups[static_cast<std::size_t>(entry->second)].runs;
        if (std::ranges::find(listed, id) == listed.end()) {
            listed.push_back(id);
        }
        const auto [slot, fresh] = known.try_emplace({line.head.key, label}, members.size());
        if (fresh) {
            FrameSeries series;
            series.key = line.head.key;
            series.group = entry->second;
            frame.series.push_back(std::move(series));
            members.emplace_back();
        }
        members[slot->second].push_back(&line);
        frame.series[slot->second].total += line.head.total;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        join_group(chart, grid, members[i], frame.series[i]);
        FrameSeries& series = frame.series[i];
        series.last_x = series.bins() > 0 ? series.x.back() : std::nan("");
        series.last_value = series.bins() > 0 ? series.mean.back() : std::nan("");
    }
}

/// Adds the series of `pairs`. `used` holds the range of those that are there already, and takes in
/// that of these.
void answer_from_points(Workspace& workspace, const ChartQuery& chart,
                        const std::vector<Wanted>& pairs, AxisQuery& used, Frame& frame) {
    std::vector<Line> lines = load_lines(workspace, chart, pairs, frame.keys);
    ChartGrid grid = grid_of(chart, lines, frame.outside);
    if (!frame.series.empty() && used.from && used.to) {
        grid.from = chart.x.from.value_or(std::min(grid.from, *used.from));
        grid.to = chart.x.to.value_or(std::max(grid.to, *used.to));
        grid.width = width_for(chart, grid.from, grid.to);
    }
    used.from = grid.from;
    used.to = grid.to;
    if (chart.group) {
        answer_groups(workspace, chart, lines, grid, frame);
        return;
    }
    const std::size_t raw_limit = chart.raw_limit.value_or(grid.width);
    Workspace::parallel(lines.size(), [&](std::size_t i) {
        bin_points(lines[i].x, lines[i].y, lines[i].smoothed, grid, raw_limit, lines[i].head);
    });
    for (Line& line : lines) {
        frame.series.push_back(std::move(line.head));
    }
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

std::optional<LoadedSeries> load_series(Workspace& workspace, const std::string& run,
                                        const std::string& key, const std::string& expression,
                                        const AxisQuery& axis, std::optional<std::int32_t> rank) {
    const auto details = workspace.details(run);
    if (!details) {
        return std::nullopt;
    }
    const bool is_key = details->key(key) != nullptr;
    LoadedSeries loaded;
    loaded.points = winning_points(raw_points(workspace, run, key, is_key ? "" : expression, rank));
    if (loaded.points.empty()) {
        return std::nullopt;
    }
    loaded.on_axis = on_axis(loaded.points, axis, details->info.start_time_ns,
                             metric_points(workspace, run, axis, rank));
    return loaded;
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
    std::vector<Wanted> quick = existing_pairs(workspace, chart, frame.keys, frame.missing);
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
            return std::pair(series.run, series.key);
        });
    }
    frame.x_json = axis_json(used);
    keep_fields(chart, frame);
    frame.query_ms = static_cast<double>(monotonic_ns() - started) * 1e-6;
    return frame;
}

}  // namespace taffrail::server
