// The resources below api/v1/. Each file of this folder adds the routes of one resource.
#pragma once

#include "codec/json.h"
#include "codec/json_writer.h"
#include "server/entry_cache.h"
#include "server/http.h"
#include "server/profiles.h"
#include "server/router.h"
#include "server/state_store.h"
#include "server/workspace.h"

#include <memory>
#include <string>
#include <string_view>

namespace taffrail::server {

/// What every resource works with. Outlives the router.
struct ApiContext {
    std::shared_ptr<Workspace> workspace;
    std::shared_ptr<StateStore> state;
    std::shared_ptr<Profiles> profiles = {};
    bool read_only = false;
    std::string assets_version;
    std::shared_ptr<EntryCache> entries = std::make_shared<EntryCache>();
};

void add_server_routes(Router& router, const ApiContext& context);
void add_runs_routes(Router& router, const ApiContext& context);
void add_run_routes(Router& router, const ApiContext& context);
void add_keys_routes(Router& router, const ApiContext& context);
void add_entries_routes(Router& router, const ApiContext& context);
void add_media_routes(Router& router, const ApiContext& context);
void add_series_routes(Router& router, const ApiContext& context);
void add_points_routes(Router& router, const ApiContext& context);
void add_histogram_routes(Router& router, const ApiContext& context);
void add_export_routes(Router& router, const ApiContext& context);
void add_edit_routes(Router& router, const ApiContext& context);
void add_preference_routes(Router& router, const ApiContext& context);
void add_event_routes(Router& router, const ApiContext& context);
void add_profile_routes(Router& router, const ApiContext& context);

/// All of them.
Router make_router(const ApiContext& context);

/// A request that cannot be answered; thrown inside handlers, turned into a response by `guarded`.
struct ApiError {
    int status = 400;
    std::string code = "invalid";
    std::string message;
    std::optional<std::size_t> offset;
};

/// Wraps a handler: ApiError becomes its response.
Handler guarded(Handler handler);

[[noreturn]] void refuse(const Error& error);
[[noreturn]] void refuse(int status, std::string code, std::string message);

/// The body as a JSON object.
Json body_object(const Request& request);
/// Query parameters; refuse with 400 when malformed.
std::string required_parameter(const Request& request, std::string_view name);
std::int64_t integer_parameter(const Request& request, std::string_view name,
                               std::int64_t fallback);
/// Members of a body.
std::vector<std::string> string_list(const Json& object, std::string_view name, std::size_t limit);

std::shared_ptr<const RunDetails> find_details(const ApiContext& context, std::string_view id);
std::shared_ptr<RecordedRun> find_run(const ApiContext& context, std::string_view id);

/// Milliseconds since 1970 with the fraction kept.
inline double to_ms(std::int64_t time_ns) {
    return static_cast<double>(time_ns) / 1e6;
}

/// A cell; whole numbers beyond 2^53 travel as text.
void write_cell(JsonWriter& json, const Cell& cell);
void write_named_cells(JsonWriter& json, const Hparams& cells);

}  // namespace taffrail::server
