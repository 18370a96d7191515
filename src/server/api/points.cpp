// POST series:points and series:stats: exact numbers, from raw points where those are few.
#include "server/api/api.h"
#include "server/chart_query.h"
#include "server/nearest.h"
#include "server/point_rank.h"
#include "server/range_stats.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace taffrail::server {
namespace {

struct SeriesRef {
    std::string run, key;
    std::optional<std::int32_t> rank;  ///< all of them where it is absent
};

/// Steps that a JavaScript number holds exactly.
constexpr std::int64_t kLargestExactStep = std::int64_t{1} << 53;

/// The step as a number and, where a reader's numbers may not hold it, as text too.
void write_step(JsonWriter& json, std::int64_t step) {
    json.member("step", step);
    if (step > kLargestExactStep || step < -kLargestExactStep) {
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

constexpr std::uint64_t kLongSeries = 100'000;
// A point in memory takes 80 bytes.
constexpr std::uint64_t kReadForStats = 500'000;

bool same_value(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Long series are not read for one point: bins find it, and where it stands on the other axes.
/// Nothing when they cannot tell, as where steps and times do not rise together.
std::optional<std::string> nearest_of_long_series(const ApiContext& context, const SeriesRef& ref,
                                                  const AxisQuery& axis, double at) {
    const auto details = context.workspace->details(ref.run);
    const KeyInfo* key = details ? details->key(ref.key) : nullptr;
    // Bins know places as doubles, which do not tell steps beyond 2^53 apart.
    if (key == nullptr || key->kind != Kind::Scalar || key->count <= kLongSeries ||
        details->info.attempts > 1 || axis.axis == Axis::Metric || ref.rank ||
        key->scalar.last_step > kLargestExactStep || key->scalar.first_step < -kLargestExactStep) {
        return std::nullopt;
    }
    const auto run = context.workspace->run(ref.run);
    const auto found =
        run ? nearest_by_bins(**run, ref.key, axis.axis, at / axis.unit()) : std::nullopt;
    const auto rank = found ? rank_by_bins(**run, ref.key, axis.axis, found->x) : std::nullopt;
    if (!rank) {
        return std::nullopt;
    }
    const auto on = [&](Axis other) -> std::optional<double> {
        if (other == axis.axis) {
            return found->x;
        }
        const auto point = point_by_rank(**run, ref.key, other, *rank, key->count);
        return point && (!point->value || same_value(*point->value, found->value))
                   ? std::optional(point->x)
                   : std::nullopt;
    };
    const auto step = on(Axis::Steps), time_ns = on(Axis::WallTime), epoch = on(Axis::Epoch),
               samples = on(Axis::Samples);
    if (!step || !time_ns) {
        return std::nullopt;
    }
    JsonWriter json;
    json.begin_object()
        .member("step", static_cast<std::int64_t>(*step))
        .member("time_ms", to_ms(static_cast<std::int64_t>(*time_ns)));
    json.member("x", found->x * axis.unit()).member("value", found->value);
    if (epoch) {
        json.member("epoch", *epoch);
    }
    if (samples) {
        json.member("samples", static_cast<std::int64_t>(*samples));
    }
    json.member("attempt", details->info.attempts - 1);
    if (details->info.world_size <= 1) {
        json.member("rank", 0);
    }
    json.end_object();
    return std::move(json).take();
}

std::string nearest_point(const ApiContext& context, const SeriesRef& ref, const AxisQuery& axis,
                          double at, const query::Smoothing& smoothing) {
    if (smoothing.method == query::SmoothingMethod::None) {
        if (auto known = nearest_of_long_series(context, ref, axis, at)) {
            return *std::move(known);
        }
    }
    const auto loaded = load_series(*context.workspace, ref.run, ref.key, ref.key, axis, ref.rank);
    if (!loaded || loaded->on_axis.x.empty()) {
        return "null";
    }
    const auto& x = loaded->on_axis.x;
    auto index = static_cast<std::size_t>(std::ranges::lower_bound(x, at) - x.begin());
    if (index == x.size() || (index > 0 && at - x[index - 1] <= x[index] - at)) {
        index -= 1;
        // Of points at the same place the earlier one is taken.
        while (index > 0 && x[index - 1] == x[index]) {
            --index;
        }
    }
    const Point& point = loaded->points[loaded->on_axis.source[index]];
    JsonWriter json;
    json.begin_object();
    write_step(json, point.step);
    json.member("time_ms", to_ms(point.time_ns)).member("x", x[index]).member("value", point.value);
    if (smoothing.method != query::SmoothingMethod::None) {
        json.member("smooth", query::smooth(x, loaded->on_axis.y, smoothing)[index]);
    }
    if (std::isfinite(point.epoch)) {
        json.member("epoch", point.epoch);
    }
    if (point.samples != INT64_MIN) {
        json.member("samples", point.samples);
    }
    json.member("attempt", point.attempt).member("rank", point.rank).end_object();
    return std::move(json).take();
}

Response points(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const auto series = series_list(body);
    const AxisQuery axis = parse_axis(body.find("x"));
    const query::Smoothing smoothing = parse_smoothing(body.find("smoothing"));
    const Json* at = body.find("at");
    if (at == nullptr || !at->number()) {
        refuse(400, "invalid", "'at' must be a number");
    }
    std::vector<std::string> found(series.size());
    Workspace::parallel(series.size(), [&](std::size_t i) {
        try {
            found[i] = nearest_point(context, series[i], axis, *at->number(), smoothing);
        } catch (const ApiError&) {
            found[i] = "null";
        }
    });
    JsonWriter json;
    json.begin_object().key("points").begin_array();
    for (const std::string& point : found) {
        json.raw(point);
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

/// Of the points themselves where they are few enough to be read for this, else of bins.
std::optional<RangeStats> range_stats(const ApiContext& context, const SeriesRef& ref,
                                      const AxisQuery& axis) {
    const auto details = context.workspace->details(ref.run);
    const KeyInfo* key = details ? details->key(ref.key) : nullptr;
    if (key != nullptr && key->kind == Kind::Scalar && key->count > kReadForStats &&
        details->info.attempts <= 1 && axis.axis != Axis::Metric && !ref.rank) {
        const auto inside = [&](const std::optional<double>& place) {
            return place ? std::optional(*place / axis.unit()) : std::nullopt;
        };
        const auto run = context.workspace->run(ref.run);
        auto known =
            run ? stats_by_bins(**run, ref.key, axis.axis, inside(axis.from), inside(axis.to))
                : std::nullopt;
        if (known) {
            known->slope /= axis.unit();
            return known;
        }
    }
    const auto loaded = load_series(*context.workspace, ref.run, ref.key, ref.key, axis, ref.rank);
    if (!loaded) {
        return std::nullopt;
    }
    const std::span<const double> x = loaded->on_axis.x, y = loaded->on_axis.y;
    const auto first = axis.from ? std::ranges::lower_bound(x, *axis.from) : x.begin();
    const auto end = axis.to ? std::ranges::upper_bound(x, *axis.to) : x.end();
    const auto begin = static_cast<std::size_t>(first - x.begin());
    const auto count = static_cast<std::size_t>(std::max<std::ptrdiff_t>(end - first, 0));
    return stats_of_points(x.subspan(begin, count), y.subspan(begin, count));
}

std::string stats_json(const std::optional<RangeStats>& stats) {
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
    const AxisQuery axis = parse_axis(body.find("x"));
    std::vector<std::string> found(series.size());
    Workspace::parallel(series.size(), [&](std::size_t i) {
        try {
            found[i] = stats_json(range_stats(context, series[i], axis));
        } catch (const ApiError&) {
            found[i] = "null";
        }
    });
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
