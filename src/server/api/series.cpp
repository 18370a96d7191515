// POST series:query: one frame per chart, sent as soon as it is ready.
#include "server/api/api.h"
#include "server/chart_request.h"

namespace taffrail::server {
namespace {

constexpr std::size_t kChartLimit = 64;

Frame error_frame(const Request& request, const std::string& chart, const ApiError& error) {
    Frame frame;
    frame.chart = chart;
    JsonWriter json;
    json.begin_object()
        .member("code", error.code)
        .member("message", error.message)
        .member("request_id", request.id);
    if (error.offset) {
        json.member("offset", *error.offset);
    }
    json.end_object();
    frame.error_json = std::move(json).take();
    return frame;
}

Response series_query(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const Json* charts = body.find("charts");
    if (charts == nullptr || charts->array() == nullptr) {
        refuse(400, "invalid", "'charts' must be a list");
    }
    if (charts->array()->size() > kChartLimit) {
        refuse(413, "too_large", "at most 64 charts in one request");
    }
    std::vector<ChartRequest> queries;
    for (const Json& chart : *charts->array()) {
        queries.push_back(parse_chart_request(chart));
    }
    Response response;
    response.headers = {{"Content-Type", "application/vnd.taffrail.frames"},
                        {"Cache-Control", "no-store"}};
    // One chart a piece: while a client takes its time, nothing is computed for it.
    response.stream = [&context, request, queries = std::move(queries),
                       next = std::size_t{0}](ResponseStream& stream) mutable {
        if (next == queries.size()) {
            return false;
        }
        ChartRequest& chart = queries[next++];
        chart.chart.stop = request.stop;
        Frame frame;
        try {
            if (!chart.chart.expression.empty()) {
                check_expression(chart.chart.expression);
            }
            const std::uint64_t revision = context.workspace->revision();
            frame =
                make_frame(chart, query::answer_chart(*context.workspace, chart.chart), revision);
        } catch (const ApiError& error) {
            frame = error_frame(request, chart.id, error);
        } catch (const query::Cancelled&) {
            return false;
        }
        return stream.write(encode_frame(frame)) && next < queries.size();
    };
    return response;
}

}  // namespace

void add_series_routes(Router& router, const ApiContext& context) {
    router.post("series:query", RouteKind::Read, guarded([&context](const Request& request) {
                    return series_query(context, request);
                }));
}

}  // namespace taffrail::server
