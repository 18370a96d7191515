#include "server/api/api.h"

#include "base/strings.h"

namespace taffrail::server {

Router make_router(const ApiContext& context) {
    Router router;
    add_server_routes(router, context);
    add_runs_routes(router, context);
    add_run_routes(router, context);
    add_keys_routes(router, context);
    add_entries_routes(router, context);
    add_media_routes(router, context);
    add_series_routes(router, context);
    add_points_routes(router, context);
    add_histogram_routes(router, context);
    add_export_routes(router, context);
    add_edit_routes(router, context);
    add_preference_routes(router, context);
    add_event_routes(router, context);
    add_profile_routes(router, context);
    return router;
}

Handler guarded(Handler handler) {
    return [handler = std::move(handler)](const Request& request) {
        try {
            return handler(request);
        } catch (const ApiError& error) {
            return Response::error(request, error.status, error.code, error.message, error.offset);
        } catch (const query::Cancelled& cancelled) {
            return Response::error(request, 499, "cancelled", cancelled.what());  // to nobody
        }
    };
}

void refuse(const Error& error) {
    switch (error.code) {
        case ErrorCode::NotFound:
            throw ApiError{404, "not_found", error.message, {}};
        case ErrorCode::PermissionDenied:
            throw ApiError{403, "forbidden", error.message, {}};
        case ErrorCode::InvalidArgument:
        case ErrorCode::Unsupported:
            throw ApiError{400, "invalid", error.message, {}};
        default:
            throw ApiError{404, "unavailable", error.message, {}};
    }
}

void refuse(int status, std::string code, std::string message) {
    throw ApiError{status, std::move(code), std::move(message), {}};
}

Json body_object(const Request& request) {
    auto parsed = parse_json(request.body);
    if (!parsed) {
        refuse(400, "invalid", "the body is not JSON: " + parsed.error().message);
    }
    if (!parsed->is_object()) {
        refuse(400, "invalid", "the body must be a JSON object");
    }
    return *std::move(parsed);
}

std::string required_parameter(const Request& request, std::string_view name) {
    const auto value = request.parameter(name);
    if (!value) {
        refuse(400, "invalid", "the parameter '" + std::string(name) + "' is missing");
    }
    return std::string(*value);
}

std::int64_t integer_parameter(const Request& request, std::string_view name,
                               std::int64_t fallback) {
    const auto value = request.parameter(name);
    if (!value) {
        return fallback;
    }
    const auto number = parse_int(*value);
    if (!number) {
        refuse(400, "invalid", "the parameter '" + std::string(name) + "' must be a whole number");
    }
    return *number;
}

std::vector<std::string> string_list(const Json& object, std::string_view name, std::size_t limit) {
    std::vector<std::string> list;
    const Json* member = object.find(name);
    if (member == nullptr || member->is_null()) {
        return list;
    }
    if (member->array() == nullptr) {
        refuse(400, "invalid", "'" + std::string(name) + "' must be a list of texts");
    }
    for (const Json& item : *member->array()) {
        if (item.string() == nullptr) {
            refuse(400, "invalid", "'" + std::string(name) + "' must hold texts only");
        }
        if (list.size() == limit) {
            refuse(
                413, "too_large",
                "'" + std::string(name) + "' may hold at most " + std::to_string(limit) + " items");
        }
        list.push_back(*item.string());
    }
    return list;
}

std::shared_ptr<const RunDetails> find_details(const ApiContext& context, std::string_view id) {
    auto details = context.workspace->details(id);
    if (!details) {
        refuse(404, "not_found", "there is no run '" + std::string(id.substr(0, 100)) + "'");
    }
    return details;
}

std::shared_ptr<RecordedRun> find_run(const ApiContext& context, std::string_view id) {
    auto run = context.workspace->run(id);
    if (!run) {
        refuse(run.error());
    }
    return *run;
}

void write_cell(JsonWriter& json, const Cell& cell) {
    static constexpr std::int64_t kExact = std::int64_t{1} << 53;
    if (const auto* whole = std::get_if<std::int64_t>(&cell);
        whole != nullptr && (*whole > kExact || *whole < -kExact)) {
        json.value(std::to_string(*whole));
    } else {
        json.value(cell);
    }
}

void write_named_cells(JsonWriter& json, const Hparams& cells) {
    json.begin_array();
    for (const auto& [name, cell] : cells) {
        json.begin_object().member("name", name).key("value");
        write_cell(json, cell);
        json.end_object();
    }
    json.end_array();
}

}  // namespace taffrail::server
