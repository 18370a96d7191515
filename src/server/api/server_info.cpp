// GET server, GET projects.
#include <taffrail/version.h>

#include "base/clock.h"
#include "server/api/api.h"

#include <algorithm>
#include <map>

namespace taffrail::server {
namespace {

Response server_info(const ApiContext& context) {
    JsonWriter json;
    json.begin_object()
        .member("version", version())
        .member("api", 1)
        .member("assets", context.assets_version);
    json.member("instance", context.workspace->instance()).member("read_only", context.read_only);
    json.member("profiles", context.profiles && context.profiles->has_files());
    json.member("time_ms", to_ms(wall_time_ns())).key("roots").begin_array();
    for (const Workspace::Root& root : context.workspace->roots()) {
        json.begin_object().member("name", root.name).member("location", root.location);
        json.member("source", root.source.empty() ? "taffrail" : root.source)
            .member("read_only", context.read_only || root.read_only)
            .end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

struct ProjectRow {
    std::size_t runs = 0, running = 0, failed = 0;
    std::int64_t first_ns = INT64_MAX, last_ns = 0;
    std::vector<std::string> roots, recent;
};

Response projects(const ApiContext& context) {
    std::map<std::string, ProjectRow> rows;
    const auto runs = context.workspace->runs();
    for (const auto& run : *runs) {
        if (run->info.deleted || run->info.archived) {
            continue;
        }
        ProjectRow& row = rows[run->info.project];
        ++row.runs;
        row.running += run->info.state == RunState::Running ? 1u : 0u;
        row.failed +=
            run->info.state == RunState::Failed || run->info.state == RunState::Crashed ? 1u : 0u;
        row.first_ns = std::min(row.first_ns, run->info.start_time_ns);
        row.last_ns = std::max({row.last_ns, run->info.start_time_ns, run->info.end_time_ns});
        const std::string& root = context.workspace->roots()[run->root].name;
        if (std::ranges::find(row.roots, root) == row.roots.end()) {
            row.roots.push_back(root);
        }
        if (row.recent.size() < 5) {
            row.recent.push_back(run->info.name);
        }
    }
    std::vector<const std::pair<const std::string, ProjectRow>*> ordered;
    for (const auto& row : rows) {
        ordered.push_back(&row);
    }
    std::ranges::stable_sort(ordered, [](const auto* a, const auto* b) {
        return a->second.last_ns > b->second.last_ns;
    });
    JsonWriter json;
    json.begin_object()
        .member("revision", context.workspace->revision())
        .key("projects")
        .begin_array();
    for (const auto* entry : ordered) {
        const ProjectRow& row = entry->second;
        json.begin_object()
            .member("name", entry->first)
            .member("runs", row.runs)
            .member("running", row.running)
            .member("failed", row.failed);
        json.member("first_ms", to_ms(row.first_ns))
            .member("last_ms", to_ms(row.last_ns))
            .key("roots")
            .begin_array();
        for (const std::string& root : row.roots) {
            json.value(root);
        }
        json.end_array().key("recent").begin_array();
        for (const std::string& name : row.recent) {
            json.value(name);
        }
        json.end_array().end_object();
    }
    json.end_array().key("unreadable").begin_array();
    for (const Workspace::Root& root : context.workspace->roots()) {
        for (const UnreadableRun& run : root.catalogue->unreadable()) {
            json.begin_object()
                .member("location", run.location)
                .member("reason", run.reason)
                .end_object();
        }
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_server_routes(Router& router, const ApiContext& context) {
    router.get("server", [&context](const Request&) { return server_info(context); });
    router.get("projects", [&context](const Request&) { return projects(context); });
}

}  // namespace taffrail::server
