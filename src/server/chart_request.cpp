#include "server/chart_request.h"

#include "query/expression.h"
#include "server/api/api.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace taffrail::server {
namespace {

constexpr std::pair<std::string_view, Axis> kAxes[] = {
    {"step", Axis::Steps},  {"relative", Axis::RelativeTime}, {"wall", Axis::WallTime},
    {"epoch", Axis::Epoch}, {"samples", Axis::Samples},       {"metric", Axis::Metric}};

query::AxisScale parse_scale(const Json& json, std::string_view name) {
    const auto scale = query::scale_named(json.string_or(name, "linear"));
    if (!scale) {
        refuse(400, "invalid", "'" + std::string(name) + "' is linear, log or symlog");
    }
    return *scale;
}

std::optional<double> optional_number(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    if (member == nullptr || member->is_null()) {
        return std::nullopt;
    }
    if (!member->number()) {
        refuse(400, "invalid", "'" + std::string(name) + "' must be a number");
    }
    return member->number();
}

query::Grouping parse_group(const Json& json, std::size_t runs) {
    query::Grouping group;
    group.by = string_list(json, "by", 16);
    group.labels = string_list(json, "labels", 10'000);
    if (!group.labels.empty() && group.labels.size() != runs) {
        refuse(400, "invalid", "'labels' of a group must hold one text per run");
    }
    const auto centre = query::centre_named(json.string_or("center", "mean"));
    const auto band = query::band_named(json.string_or("band", "none"));
    if (!centre || !band) {
        refuse(400, "invalid",
               "a group has 'center' mean, median, min or max and 'band' none, std, sem, ci95 or "
               "minmax");
    }
    group.centre = *centre;
    group.band = *band;
    return group;
}

void keep_fields(const std::vector<std::string>& fields, Frame& frame) {
    if (fields.empty()) {
        return;
    }
    const auto wanted = [&](std::string_view name) {
        return std::ranges::find(fields, name) != fields.end();
    };
    frame.with_counts = wanted("count");
    // A point is its own min and max.
    const bool spread =
        wanted("spread") && !std::ranges::all_of(frame.series, &query::ChartSeries::raw);
    for (query::ChartSeries& series : frame.series) {
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

query::AxisQuery parse_axis(const Json* json) {
    query::AxisQuery axis;
    if (json == nullptr || json->is_null()) {
        return axis;
    }
    if (!json->is_object()) {
        refuse(400, "invalid", "'x' must be an object such as {\"axis\": \"step\"}");
    }
    const std::string name = json->string_or("axis", "step");
    const auto found = std::ranges::find(kAxes, name, [](const auto& row) { return row.first; });
    if (found == std::end(kAxes)) {
        refuse(400, "invalid", "'axis' is step, relative, wall, epoch, samples or metric");
    }
    axis.axis = found->second;
    axis.metric = json->string_or("metric", "");
    if (axis.axis == Axis::Metric && axis.metric.empty()) {
        refuse(400, "invalid", "axis metric needs 'metric'");
    }
    axis.scale = parse_scale(*json, "scale");
    axis.from = optional_number(*json, "from");
    axis.to = optional_number(*json, "to");
    if (axis.from && axis.to && *axis.from > *axis.to) {
        refuse(400, "invalid", "'from' lies behind 'to'");
    }
    return axis;
}

query::Smoothing parse_smoothing(const Json* json) {
    query::Smoothing smoothing;
    if (json == nullptr || json->is_null()) {
        return smoothing;
    }
    const auto method = query::smoothing_method(json->string_or("method", "none"));
    if (!method) {
        refuse(400, "invalid",
               "smoothing 'method' is none, ema, time_ema, gaussian, mean or median");
    }
    smoothing.method = *method;
    smoothing.amount = json->number_or("amount", 0);
    return smoothing;
}

std::string axis_json(const query::AxisQuery& axis) {
    JsonWriter json;
    const auto found =
        std::ranges::find(kAxes, axis.axis, [](const auto& row) { return row.second; });
    json.begin_object().member("axis", found->first);
    if (axis.axis == Axis::Metric) {
        json.member("metric", axis.metric);
    }
    json.member("scale", to_string(axis.scale));
    if (axis.from) {
        json.member("from", *axis.from);
    }
    if (axis.to) {
        json.member("to", *axis.to);
    }
    json.end_object();
    return std::move(json).take();
}

ChartRequest parse_chart_request(const Json& json) {
    if (!json.is_object()) {
        refuse(400, "invalid", "every chart is an object");
    }
    ChartRequest request;
    query::ChartQuery& chart = request.chart;
    request.id = json.string_or("id", "");
    chart.runs = string_list(json, "runs", 10'000);
    chart.keys = string_list(json, "keys", 1000);
    chart.expression = json.string_or("expression", "");
    chart.x = parse_axis(json.find("x"));
    const std::int64_t width = json.integer_or("width", 600);
    if (width < 1 || width > 8192) {
        refuse(400, "invalid", "'width' must be between 1 and 8192");
    }
    chart.width = static_cast<std::size_t>(width);
    chart.bin = optional_number(json, "bin");
    if (chart.bin && !(*chart.bin > 0)) {
        refuse(400, "invalid", "'bin' must be positive");
    }
    if (const Json* limit = json.find("raw_limit"); limit != nullptr && limit->integer()) {
        chart.raw_limit =
            static_cast<std::size_t>(std::clamp<std::int64_t>(*limit->integer(), 0, 100'000));
    }
    chart.smoothing = parse_smoothing(json.find("smoothing"));
    if (const Json* group = json.find("group"); group != nullptr && group->is_object()) {
        chart.group = parse_group(*group, chart.runs.size());
    }
    const std::string attempts = json.string_or("attempts", "winning");
    if (attempts != "winning" && attempts != "all") {
        refuse(400, "invalid", "'attempts' is winning or all");
    }
    chart.all_attempts = attempts == "all";
    if (const Json* rank = json.find("rank"); rank != nullptr && rank->integer()) {
        chart.rank = static_cast<std::int32_t>(*rank->integer());
    }
    const std::string ranks = json.string_or("ranks", "together");
    if (ranks != "together" && ranks != "apart" && ranks != "mean") {
        refuse(400, "invalid", "'ranks' is together, apart or mean");
    }
    chart.ranks = ranks == "apart"  ? query::Ranks::Apart
                  : ranks == "mean" ? query::Ranks::Mean
                                    : query::Ranks::Together;
    request.fields = string_list(json, "fields", 16);
    request.share_x = json.truth_or("share_x", false);
    request.y_scale = parse_scale(json, "y_scale");
    const std::string precision = json.string_or("precision", "auto");
    request.precision = precision == "f32"   ? Precision::F32
                        : precision == "q16" ? Precision::Q16
                                             : Precision::Auto;
    if (chart.runs.size() * std::max<std::size_t>(1, chart.keys.size()) > 20'000) {
        refuse(413, "too_large", "a chart may have at most 20,000 series");
    }
    return request;
}

void check_expression(const std::string& text) {
    const auto parsed = query::Expression::parse(text);
    if (const auto* error = std::get_if<query::ExpressionError>(&parsed)) {
        throw ApiError{400, "invalid", "expression: " + error->message, error->offset};
    }
}

Frame make_frame(const ChartRequest& request, query::ChartAnswer answer, std::uint64_t revision) {
    Frame frame{std::move(answer)};
    frame.chart = request.id;
    frame.revision = revision;
    frame.y_scale = request.y_scale;
    frame.precision = request.precision;
    frame.share_x = request.share_x;
    keep_fields(request.fields, frame);
    return frame;
}

}  // namespace taffrail::server
