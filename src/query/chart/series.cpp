// Points of one series of a chart: a key or an expression, on the axis that is asked for.
#include "query/chart/parts.h"
#include "query/expression.h"

#include <algorithm>
#include <unordered_map>
#include <variant>

namespace taffrail::query {
namespace {

std::vector<Point> of_rank(std::vector<Point> points, std::optional<std::int32_t> rank) {
    if (rank) {
        std::erase_if(points, [&](const Point& point) { return point.rank != *rank; });
    }
    return points;
}

// Evaluated at the steps where every key has a point; the newest one of a step counts.
std::vector<Point> evaluate(const RecordedRun& run, const Expression& expression,
                            std::optional<std::int32_t> rank) {
    std::vector<std::unordered_map<Step, Point>> series;
    for (const std::string& key : expression.keys()) {
        auto points = run.points(key);
        if (!points) {
            return {};
        }
        auto& by_step = series.emplace_back();
        for (const Point& point : of_rank(winning_points(run, *std::move(points)), rank)) {
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

}  // namespace

// Ranks are told apart last: the ones a later attempt lacks are superseded by its rank 0.
ChosenPoints chosen_points(RunSet& runs, const std::string& run_id, const std::string& key,
                           const std::string& expression, std::optional<std::int32_t> rank,
                           Attempts attempts) {
    ChosenPoints chosen;
    auto run = runs.run(run_id);
    if (!run) {
        return chosen;
    }
    if (!expression.empty()) {
        const auto parsed = Expression::parse(expression);
        if (const auto* found = std::get_if<Expression>(&parsed)) {
            chosen.winning = evaluate(**run, *found, rank);
        }
        return chosen;
    }
    auto points = (*run)->points(key);
    if (!points) {
        return chosen;
    }
    if (attempts == Attempts::All) {
        chosen.superseded = overwritten_points(**run, *points);
        for (auto& [attempt, lost] : chosen.superseded) {
            lost = of_rank(std::move(lost), rank);
        }
        std::erase_if(chosen.superseded, [](const auto& each) { return each.second.empty(); });
    }
    chosen.winning = of_rank(winning_points(**run, *std::move(points)), rank);
    return chosen;
}

std::vector<Point> metric_points(RunSet& runs, const std::string& run_id, const AxisQuery& axis,
                                 std::optional<std::int32_t> rank) {
    return axis.axis == Axis::Metric
               ? chosen_points(runs, run_id, axis.metric, "", rank, Attempts::Winning).winning
               : std::vector<Point>();
}

std::optional<LoadedSeries> load_series(RunSet& runs, const std::string& run,
                                        const std::string& key, const std::string& expression,
                                        const AxisQuery& axis, std::optional<std::int32_t> rank) {
    const auto details = runs.details(run);
    if (!details) {
        return std::nullopt;
    }
    const bool is_key = details->key(key) != nullptr;
    LoadedSeries loaded;
    loaded.points =
        chosen_points(runs, run, key, is_key ? "" : expression, rank, Attempts::Winning).winning;
    if (loaded.points.empty()) {
        return std::nullopt;
    }
    loaded.on_axis = on_axis(loaded.points, axis, details->info.start_time_ns,
                             metric_points(runs, run, axis, rank));
    return loaded;
}

}  // namespace taffrail::query
