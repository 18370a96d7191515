// GET events (stream), GET changes (the same for clients behind a proxy that holds streams back).
#include "base/strings.h"
#include "server/api/api.h"

namespace taffrail::server {
namespace {

std::string hello(const ApiContext& context) {
    JsonWriter json;
    json.begin_object()
        .member("instance", context.workspace->instance())
        .member("assets", context.assets_version);
    json.member("revision", context.workspace->revision()).end_object();
    return std::move(json).take();
}

Response events(const ApiContext& context, const Request& request) {
    std::string_view id = request.header("last-event-id");
    if (id.empty()) {
        id = request.parameter("since").value_or("");
    }
    std::optional<std::uint64_t> since;
    if (!id.empty()) {
        const auto number = parse_int(id);
        since = number && *number >= 0 ? static_cast<std::uint64_t>(*number) : UINT64_MAX;
    }
    Response response;
    response.headers = {{"Content-Type", "text/event-stream"},
                        {"Cache-Control", "no-store"},
                        {"X-Accel-Buffering", "no"}};
    response.take_over = [&context, since](std::shared_ptr<ResponseStream> stream) {
        context.workspace->events().subscribe(std::move(stream), since, hello(context));
    };
    return response;
}

Response changes(const ApiContext& context, const Request& request) {
    const std::int64_t since = integer_parameter(request, "since", 0);
    const auto backlog = context.workspace->events().after(
        since < 0 ? UINT64_MAX : static_cast<std::uint64_t>(since));
    JsonWriter json;
    json.begin_object()
        .member("next", backlog.next)
        .member("reset", backlog.reset)
        .key("events")
        .begin_array();
    for (const HubEvent& event : backlog.events) {
        json.begin_object()
            .member("id", event.id)
            .member("event", event.name)
            .key("data")
            .raw(event.data)
            .end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_event_routes(Router& router, const ApiContext& context) {
    router.get("events",
               guarded([&context](const Request& request) { return events(context, request); }));
    router.get("changes",
               guarded([&context](const Request& request) { return changes(context, request); }));
}

}  // namespace taffrail::server
