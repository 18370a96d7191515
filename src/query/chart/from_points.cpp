// A chart from every point: smoothed, grouped, of one rank, on an axis that pyramids lack.
#include "model/positions.h"
#include "model/series_cursor.h"
#include "query/chart/binning.h"
#include "query/chart/parts.h"
#include "query/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>

namespace taffrail::query {
namespace {

/// One line of the chart before it is binned.
struct Line {
    ChartSeries head;
    AxisLines owner;
    std::span<const double> x, y;      ///< of the owner
    UnwrittenVector<double> smoothed;  ///< empty where that is done while binning
};

AxisLine on_axis_of(const ChartQuery& chart, const Wanted& wanted, const std::vector<Point>& points,
                    const std::vector<Point>& metric) {
    const SeriesPoints series =
        on_axis(points, chart.x, wanted.details->info.start_time_ns, metric);
    AxisLine line;
    line.last_value = points.empty() ? std::nan("") : points.back().value;
    line.x.assign(series.x.begin(), series.x.end());
    line.y.assign(series.y.begin(), series.y.end());
    return line;
}

/// Everything that the points of a line depend on but the revision of its run. Names come with
/// their lengths, since any character may stand in them.
std::string name_of(const ChartQuery& chart, std::optional<std::int32_t> rank,
                    const std::string& run, const std::string& key) {
    return fmt::format("{} {} {} {} {} {} {}{}{}{}", run.size(), key.size(),
                       chart.expression.size(), static_cast<int>(chart.x.axis), chart.all_attempts,
                       rank ? std::to_string(*rank) : "all", run, key, chart.expression,
                       chart.x.metric);
}

/// The points that count in the order of the axis, without what else is known of them.
std::optional<AxisLine> plain_line(RunSet& runs, const ChartQuery& chart,
                                   std::optional<std::int32_t> rank, const Wanted& wanted,
                                   const std::string& key) {
    if (!chart.expression.empty() || chart.all_attempts || chart.x.axis == Axis::Metric) {
        return std::nullopt;
    }
    const auto run = runs.run(chart.runs[static_cast<std::size_t>(wanted.run)]);
    if (!run) {
        return std::nullopt;
    }
    ReadRequest request;
    request.axis = chart.x.axis;
    request.columns = model::columns_of(chart.x.axis) | Columns{Column::Value} |
                      (rank ? Columns{Column::Rank} : Columns()) |
                      (wanted.details->info.attempts > 1 ? Columns{Column::Attempt} : Columns());
    const auto cursor = (*run)->read(key, request);
    if (!cursor) {
        return std::nullopt;
    }
    AxisLine line;
    if (wanted.info != nullptr) {
        line.x.reserve(wanted.info->scalar.count);
        line.y.reserve(wanted.info->scalar.count);
    }
    const model::Positions positions(chart.x.axis, wanted.details->info.start_time_ns);
    const double unit = chart.x.unit();
    const auto read = model::for_each_chunk(**cursor, [&](const Chunk& chunk) {
        const std::size_t before = line.x.size();
        line.x.resize(before + chunk.rows());
        positions.fill(chunk, unit, std::span(line.x).subspan(before));
        line.y.resize(before + chunk.rows());
        std::ranges::copy(chunk.value(), line.y.begin() + static_cast<std::ptrdiff_t>(before));
        if (rank) {
            std::size_t kept = before;
            for (std::size_t row = 0; row < chunk.rows(); ++row) {
                line.x[kept] = line.x[before + row];
                line.y[kept] = line.y[before + row];
                kept += chunk.rank()[row] == *rank ? 1 : 0;
            }
            line.x.resize(kept);
            line.y.resize(kept);
        }
        for (const std::uint32_t attempt : chunk.attempt()) {
            line.attempt = std::max(line.attempt, attempt);
        }
        return Result<void>();
    });
    if (!read.ok()) {
        return std::nullopt;
    }
    line.last_value = line.y.empty() ? std::nan("") : line.y.back();
    return line;
}

AxisLines axis_lines(RunSet& runs, const ChartQuery& chart, const Wanted& wanted,
                     const std::string& key) {
    const std::string& id = chart.runs[static_cast<std::size_t>(wanted.run)];
    const auto rank = wanted.rank ? wanted.rank : chart.rank;
    const std::string name = name_of(chart, rank, id, key);
    const auto now = LineCache::Clock::now();
    if (AxisLines kept = runs.lines().find(name, wanted.details->revision, now)) {
        return kept;
    }
    auto lines = std::make_shared<std::vector<AxisLine>>();
    if (auto line = plain_line(runs, chart, rank, wanted, key)) {
        lines->push_back(*std::move(line));
        lines->back().current = true;
        runs.lines().keep(name, wanted.details->revision, lines, now);
        return lines;
    }
    const ChosenPoints chosen =
        chosen_points(runs, id, key, chart.expression, rank,
                      chart.all_attempts ? Attempts::All : Attempts::Winning);
    const std::vector<Point> metric = metric_points(runs, id, chart.x, rank);
    lines->push_back(on_axis_of(chart, wanted, chosen.winning, metric));
    lines->back().attempt = chosen.winning.empty() ? 0 : chosen.winning.back().attempt;
    lines->back().current = true;
    for (const auto& [attempt, points] : chosen.superseded) {
        lines->push_back(on_axis_of(chart, wanted, points, metric));
        lines->back().attempt = attempt;
    }
    runs.lines().keep(name, wanted.details->revision, lines, now);
    return lines;
}

/// Whether smoothed values are needed more than once, or cannot be had one after the other.
bool keeps_smoothed(const ChartQuery& chart) {
    const SmoothingMethod method = chart.smoothing.method;
    return method != SmoothingMethod::None &&
           (!is_running(method) || chart.group || chart.ranks == Ranks::Mean);
}

std::vector<Line> load_lines(RunSet& runs, const ChartQuery& chart,
                             const std::vector<Wanted>& pairs,
                             const std::vector<std::string>& keys) {
    std::vector<std::vector<Line>> loaded(pairs.size());
    RunSet::parallel(
        pairs.size(),
        [&](std::size_t i) {
            const Wanted& wanted = pairs[i];
            const AxisLines owner =
                axis_lines(runs, chart, wanted, keys[static_cast<std::size_t>(wanted.key)]);
            for (const AxisLine& points : *owner) {
                Line& line = loaded[i].emplace_back();
                line.owner = owner;
                line.x = points.x;
                line.y = points.y;
                line.head.run = wanted.run;
                line.head.key = wanted.key;
                line.head.rank = wanted.rank.value_or(-1);
                line.head.attempt = points.attempt;
                line.head.current = points.current;
                line.head.total = points.x.size();
                line.head.last_value = points.last_value;
                line.head.last_x = points.x.empty() ? std::nan("") : points.x.back();
                if (keeps_smoothed(chart)) {
                    line.smoothed = smooth(points.x, points.y, chart.smoothing);
                }
            }
        },
        chart.stop);
    std::vector<Line> lines;
    for (auto& some : loaded) {
        std::move(some.begin(), some.end(), std::back_inserter(lines));
    }
    return lines;
}

ChartGrid grid_of(const ChartQuery& chart, const std::vector<Line>& lines, std::uint64_t& outside) {
    Extent extent;
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
            extent.include(*first, line.x.back());
        }
    }
    ChartGrid grid;
    grid.scale = chart.x.scale;
    grid.from = chart.x.from.value_or(extent.known() ? extent.from : 0);
    grid.to = chart.x.to.value_or(extent.known() ? extent.to : 1);
    if (grid.scale == AxisScale::Log && grid.from <= 0) {
        grid.from = extent.known() && extent.from > 0 ? extent.from : 1;
    }
    grid.to = std::max(grid.from, grid.to);
    grid.width = width_for(chart, grid.from, grid.to);
    return grid;
}

std::vector<Cell> group_values(RunSet& runs, const Grouping& group, const std::string& id,
                               std::size_t number) {
    if (!group.labels.empty()) {
        return {group.labels[number]};
    }
    const auto details = runs.details(id);
    std::vector<Cell> values;
    for (const std::string& column : group.by) {
        values.push_back(details ? column_value(*details, column) : Cell());
    }
    return values;
}

std::string group_label(const std::vector<Cell>& values) {
    std::string label;
    for (const Cell& value : values) {
        label += (label.empty() ? "" : " · ") + cell_label(value);
    }
    return label.empty() ? "all runs" : label;
}

/// One sample per line and bin: the mean of its (smoothed) points there.
void join_group(const Grouping& group, const ChartGrid& grid,
                const std::vector<const Line*>& members, ChartSeries& series) {
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
    // A place of its own is a bin from there to the next; the last one is closed.
    std::vector<double> edges = raw ? std::move(distinct) : grid.edges();
    if (raw && !edges.empty()) {
        edges.push_back(edges.back());
    }
    const std::size_t bins = edges.empty() ? 0 : edges.size() - 1;
    std::vector<std::vector<double>> means;
    std::vector<std::uint64_t> points(bins, 0);
    for (const Line* line : members) {
        Bins own = model::stats_on_edges(
            line->x, line->smoothed.empty() ? line->y : std::span<const double>(line->smoothed),
            edges);
        std::ranges::transform(own.count, points, points.begin(), std::plus());
        means.push_back(std::move(own.mean));
        series.points += own.points;
    }
    series.raw = raw;
    std::vector<double> samples(members.size());
    for (std::size_t b = 0; b < bins; ++b) {
        for (std::size_t m = 0; m < members.size(); ++m) {
            samples[m] = means[m][b];
        }
        const GroupPoint point = join(samples, group.centre, group.band);
        series.x.push_back(edges[b]);
        series.mean.push_back(point.centre);
        series.low.push_back(point.low);
        series.high.push_back(point.high);
        series.runs.push_back(point.samples);
        series.count.push_back(static_cast<std::uint32_t>(points[b]));
    }
    series.x.push_back(bins == 0 ? grid.from : edges.back());
}

void answer_groups(RunSet& runs, const ChartQuery& chart, const std::vector<Line>& lines,
                   const ChartGrid& grid, ChartAnswer& answer) {
    answer.grouped = true;
    std::map<std::pair<int, std::string>, std::size_t> known;
    std::vector<std::vector<const Line*>> members;
    std::map<std::string, int> labels;
    for (const Line& line : lines) {
        if (!line.head.current) {
            continue;
        }
        const auto number = static_cast<std::size_t>(line.head.run);
        const std::string& id = chart.runs[number];
        const std::vector<Cell> values = group_values(runs, *chart.group, id, number);
        const std::string label = group_label(values);
        const auto [entry, added] =
            labels.try_emplace(label, static_cast<int>(answer.groups.size()));
        if (added) {
            answer.groups.push_back({label, values, {}});
        }
        auto& listed = answer.groups[static_cast<std::size_t>(entry->second)].runs;
        if (std::ranges::find(listed, id) == listed.end()) {
            listed.push_back(id);
        }
        const auto [slot, fresh] = known.try_emplace({line.head.key, label}, members.size());
        if (fresh) {
            ChartSeries series;
            series.key = line.head.key;
            series.group = entry->second;
            answer.series.push_back(std::move(series));
            members.emplace_back();
        }
        members[slot->second].push_back(&line);
        answer.series[slot->second].total += line.head.total;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        join_group(*chart.group, grid, members[i], answer.series[i]);
        ChartSeries& series = answer.series[i];
        series.last_x = series.bins() > 0 ? series.x.back() : std::nan("");
        series.last_value = series.bins() > 0 ? series.mean.back() : std::nan("");
    }
}

/// One series for the ranks of each run and key: their mean and how far they spread.
void answer_rank_means(const std::vector<Line>& lines, const ChartGrid& grid, ChartAnswer& answer) {
    std::map<std::pair<int, int>, std::vector<const Line*>> members;
    for (const Line& line : lines) {
        if (line.head.rank >= 0 && line.head.current) {
            members[{line.head.run, line.head.key}].push_back(&line);
        }
    }
    const Grouping spread{
        .by = {}, .labels = {}, .centre = Centre::Mean, .band = Band::StandardDeviation};
    for (const auto& [place, list] : members) {
        ChartSeries& series = answer.series.emplace_back();
        series.run = place.first;
        series.key = place.second;
        series.ranks = static_cast<std::uint32_t>(list.size());
        for (const Line* line : list) {
            series.total += line->head.total;
            series.attempt = std::max(series.attempt, line->head.attempt);
        }
        join_group(spread, grid, list, series);
        series.last_x = series.bins() > 0 ? series.x.back() : std::nan("");
        series.last_value = series.bins() > 0 ? series.mean.back() : std::nan("");
    }
}

}  // namespace

void answer_from_points(RunSet& runs, const ChartQuery& chart, const std::vector<Wanted>& pairs,
                        AxisQuery& used, ChartAnswer& answer) {
    std::vector<Line> lines = load_lines(runs, chart, pairs, answer.keys);
    ChartGrid grid = grid_of(chart, lines, answer.outside);
    if (!answer.series.empty() && used.from && used.to) {
        grid.from = chart.x.from.value_or(std::min(grid.from, *used.from));
        grid.to = chart.x.to.value_or(std::max(grid.to, *used.to));
        grid.width = width_for(chart, grid.from, grid.to);
    }
    used.from = grid.from;
    used.to = grid.to;
    if (chart.group) {
        answer_groups(runs, chart, lines, grid, answer);
        return;
    }
    if (chart.ranks == Ranks::Mean) {
        answer_rank_means(lines, grid, answer);
        std::erase_if(lines, [](const Line& line) { return line.head.rank >= 0; });
    }
    const std::size_t raw_limit = chart.raw_limit.value_or(grid.width);
    RunSet::parallel(
        lines.size(),
        [&](std::size_t i) {
            const Line& line = lines[i];
            bin_points(line.x, line.y, line.smoothed, chart.smoothing, grid, raw_limit,
                       lines[i].head);
        },
        chart.stop);
    for (Line& line : lines) {
        answer.series.push_back(std::move(line.head));
    }
}

}  // namespace taffrail::query
