// One chart of series:query: what is asked, and the frame that answers it.
#pragma once

#include "codec/json.h"
#include "query/groups.h"
#include "query/smoothing.h"
#include "server/frame.h"
#include "server/series_source.h"
#include "server/workspace.h"

#include <optional>
#include <string>
#include <vector>

namespace taffrail::server {

struct Grouping {
    std::vector<std::string> by;
    query::Centre centre = query::Centre::Mean;
    query::Band band = query::Band::None;
};

/// What becomes of a key that several ranks of a run logged.
enum class Ranks : std::uint8_t {
    Together,  ///< one line through all points
    Apart,     ///< a line each
    Mean       ///< their mean, with the standard deviation as a band
};

struct ChartQuery {
    std::string id;
    std::vector<std::string> runs, keys;
    std::string expression;
    AxisQuery x;
    std::size_t width = 600;
    std::optional<double> bin;
    std::optional<std::size_t> raw_limit;
    query::Smoothing smoothing;
    std::optional<Grouping> group;
    bool all_attempts = false;
    std::optional<std::int32_t> rank;
    Ranks ranks = Ranks::Together;
    std::vector<std::string> fields;
    bool share_x = false;
    AxisScale y_scale = AxisScale::Linear;
    Precision precision = Precision::Auto;
};

/// Reads members of the request; throws ApiError naming the wrong one.
ChartQuery parse_chart_query(const Json& json);
AxisQuery parse_axis(const Json* json);
query::Smoothing parse_smoothing(const Json* json);
std::string axis_json(const AxisQuery& axis);

/// Answers a chart. Series are computed on several threads.
Frame answer_chart(Workspace& workspace, const ChartQuery& chart);

/// The points of one series (a key, or an expression) on the axis, winning attempts only; nothing
/// when the run lacks it.
struct LoadedSeries {
    std::vector<Point> points;
    SeriesPoints on_axis;
};

std::optional<LoadedSeries> load_series(Workspace& workspace, const std::string& run,
                                        const std::string& key, const std::string& expression,
                                        const AxisQuery& axis, std::optional<std::int32_t> rank);

}  // namespace taffrail::server
