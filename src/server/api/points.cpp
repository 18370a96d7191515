// POST series:points and series:stats: exact numbers, from raw points where those are few.
#include "query/chart/one_series.h"
#include "server/api/api.h"
#include "server/chart_request.h"

namespace taffrail::server {
namespace {

using query::SeriesRef;

/// The step as a number and, where a reader's numbers may not hold it, as text too.
void write_step(JsonWriter& json, std::int64_t step) {
    json.member("step", step);
    if (step > query::kLargestExactStep || step < -query::kLargestExactStep) {
        json.member("step_text", std::to_string(step));
    }
}

std::vector<SeriesRef> series_list(const Json& body) {
    const Json* list = body.find("series");
    if (list == nullptr || list->array() == nullptr) {
        refuse(400, "invalid", "'series' must be a list of {run, key}");
    }
    if (list->array()->size() > 1000) {
        refuse(413, "too_large", "at most 1,000 series in one request");
    }
    std::vector<SeriesRef> series;
    for (const Json& item : *list->array()) {
        const Json* run = item.find("run");
        const Json* key = item.find("key");
        if (run == nullptr || key == nullptr || run->string() == nullptr ||
            key->string() == nullptr) {
            refuse(400, "invalid", "every item of 'series' has 'run' and 'key'");
        }
        const Json* rank = item.find("rank");
        series.push_back({*run->string(), *key->string(),
                          rank != nullptr && rank->integer()
                              ? std::optional(static_cast<std::int32_t>(*rank->integer()))
                              : std::nullopt});
    }
    return series;
}

std::string point_json(const std::optional<query::FoundPoint>& point) {
    if (!point) {
        return "null";
    }
    JsonWriter json;
    json.begin_object();
    write_step(json, point->step);
    json.member("time_ms", to_ms(point->time_ns)).member("x", point->x);
    json.member("value", point->value);
    const auto known = [&](std::string_view name, const auto& value) {
        if (value) {
            json.member(name, *value);
        }
    };
    known("smooth", point->smooth);
    known("epoch", point->epoch);
    known("samples", point->samples);
    json.member("attempt", point->attempt);
    known("rank", point->rank);
    json.end_object();
    return std::move(json).take();
}

Response points(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const auto series = series_list(body);
    const query::AxisQuery axis = parse_axis(body.find("x"));
    const query::Smoothing smoothing = parse_smoothing(body.find("smoothing"));
    const Json* at = body.find("at");
    if (at == nullptr || !at->number()) {
        refuse(400, "invalid", "'at' must be a number");
    }
    std::vector<std::string> found(series.size());
    Workspace::parallel(
        series.size(),
        [&](std::size_t i) {
            found[i] = point_json(query::nearest_point(*context.workspace, series[i], axis,
                                                       *at->number(), smoothing));
        },
        request.stop);
    JsonWriter json;
    json.begin_object().key("points").begin_array();
    for (const std::string& point : found) {
        json.raw(point);
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

std::string stats_json(const std::optional<query::RangeStats>& stats) {
    if (!stats || stats->count + stats->nan == 0) {
        return "null";
    }
    JsonWriter json;
    json.begin_object()
        .member("count", stats->count)
        .member("nan", stats->nan)
        .member("min", stats->min)
        .member("max", stats->max)
        .member("mean", stats->mean)
        .member("std", stats->deviation)
        .member("first", stats->first)
        .member("last", stats->last)
        .member("slope", stats->slope);
    if (stats->estimated) {
        json.key("estimated").begin_array().value("std").value("slope").end_array();
    }
    json.end_object();
    return std::move(json).take();
}

Response stats(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const auto series = series_list(body);
    const query::AxisQuery axis = parse_axis(body.find("x"));
    std::vector<std::string> found(series.size());
    Workspace::parallel(
        series.size(),
        [&](std::size_t i) {
            found[i] = stats_json(query::range_stats(*context.workspace, series[i], axis));
        },
        request.stop);
    JsonWriter json;
    json.begin_object().key("stats").begin_array();
    for (const std::string& item : found) {
        json.raw(item);
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_points_routes(Router& router, const ApiContext& context) {
    router.post("series:points", RouteKind::Read,
                guarded([&context](const Request& request) { return points(context, request); }));
    router.post("series:stats", RouteKind::Read,
                guarded([&context](const Request& request) { return stats(context, request); }));
}

}  // namespace taffrail::server
