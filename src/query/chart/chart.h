// One chart: what is asked of a set of runs, and what answers it.
#pragma once

#include "query/chart/answer.h"
#include "query/chart/series_points.h"
#include "query/groups.h"
#include "query/run_set.h"
#include "query/smoothing.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace taffrail::query {

struct Grouping {
    std::vector<std::string> by;      ///< columns
    std::vector<std::string> labels;  ///< one per run of the chart; instead of columns
    Centre centre = Centre::Mean;
    Band band = Band::None;
};

/// What becomes of a key that several ranks of a run logged.
enum class Ranks : std::uint8_t {
    Together,  ///< one line through all points
    Apart,     ///< a line each
    Mean       ///< their mean, with the standard deviation as a band
};

struct ChartQuery {
    std::vector<std::string> runs, keys;
    std::string expression;  ///< instead of keys; one that does not parse has no points
    AxisQuery x;
    std::size_t width = 600;
    std::optional<double> bin;
    std::optional<std::size_t> raw_limit;
    Smoothing smoothing;
    std::optional<Grouping> group;
    bool all_attempts = false;
    std::optional<std::int32_t> rank;
    Ranks ranks = Ranks::Together;
    std::stop_token stop = {};  ///< who asks may go; the answer is then Cancelled
};

/// Answers a chart. Series are computed on several threads.
ChartAnswer answer_chart(RunSet& runs, const ChartQuery& chart);

/// The points of one series (a key, or an expression) on the axis, winning attempts only; nothing
/// when the run lacks it.
struct LoadedSeries {
    std::vector<Point> points;
    SeriesPoints on_axis;
};

std::optional<LoadedSeries> load_series(RunSet& runs, const std::string& run,
                                        const std::string& key, const std::string& expression,
                                        const AxisQuery& axis, std::optional<std::int32_t> rank);

}  // namespace taffrail::query
