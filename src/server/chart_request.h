// Reading the members of a request that asks for series, and framing what answers it.
#pragma once

#include "codec/json.h"
#include "query/chart/chart.h"
#include "server/frame.h"

#include <string>
#include <vector>

namespace taffrail::server {

/// One chart of series:query: the question, and how its answer is to be sent.
struct ChartRequest {
    std::string id;
    query::ChartQuery chart;
    std::vector<std::string> fields;  ///< empty: all
    bool share_x = false;
    query::AxisScale y_scale = query::AxisScale::Linear;
    Precision precision = Precision::Auto;
};

/// Throw ApiError naming the wrong member.
ChartRequest parse_chart_request(const Json& json);
query::AxisQuery parse_axis(const Json* json);
query::Smoothing parse_smoothing(const Json* json);
/// Throws ApiError with the place of what is wrong.
void check_expression(const std::string& text);

std::string axis_json(const query::AxisQuery& axis);

/// The answer as it was asked for.
Frame make_frame(const ChartRequest& request, query::ChartAnswer answer, std::uint64_t revision);

}  // namespace taffrail::server
