// GET keys: the union of the keys of a project's runs, or those of one run.
#include "model/metric_meaning.h"
#include "server/api/api.h"

#include <algorithm>
#include <map>

namespace taffrail::server {
namespace {

struct KeyRow {
    std::uint64_t runs = 0, points = 0;
    Step first = INT64_MAX, last = INT64_MIN;
    double min = std::numeric_limits<double>::infinity(),
           max = -std::numeric_limits<double>::infinity();
    std::shared_ptr<const MetricOptions> definition;  ///< of the newest run that has one
};

void write_definition(JsonWriter& json, const MetricOptions* definition) {
    if (definition == nullptr) {
        return;
    }
    json.member("summary", model::name_of(definition->summary));
    if (definition->goal != Goal::None) {
        json.member("goal", model::name_of(definition->goal));
    }
    if (!definition->step.empty()) {
        json.member("step_metric", definition->step);
    }
    if (definition->hidden) {
        json.member("hidden", true);
    }
}

void add_run(std::map<std::pair<std::string_view, Kind>, KeyRow>& rows, const RunDetails& run) {
    for (const KeyInfo& key : run.keys) {
        KeyRow& row = rows[{key.key, key.kind}];
        if (row.definition == nullptr) {
            row.definition = key.definition;
        }
        ++row.runs;
        row.points += key.count;
        row.first = std::min(row.first, key.scalar.first_step);
        row.last = std::max(row.last, key.scalar.last_step);
        if (key.kind == Kind::Scalar && key.scalar.finite_count() > 0) {
            row.min = std::min(row.min, key.scalar.min);
            row.max = std::max(row.max, key.scalar.max);
        }
    }
}

Response keys(const ApiContext& context, const Request& request) {
    std::map<std::pair<std::string_view, Kind>, KeyRow> rows;
    RunList used;  // keeps the names alive
    if (const auto id = request.parameter("run")) {
        used.push_back(find_details(context, *id));
    } else {
        const auto project = request.parameter("project");
        const auto runs = context.workspace->runs();
        for (const auto& run : *runs) {
            if (!run->info.deleted && !run->info.archived &&
                (!project || run->info.project == *project)) {
                used.push_back(run);
            }
        }
    }
    for (const auto& run : used) {
        add_run(rows, *run);
    }
    JsonWriter json;
    json.begin_object()
        .member("revision", context.workspace->revision())
        .member("runs", used.size())
        .key("keys")
        .begin_array();
    for (const auto& [name, row] : rows) {
        json.begin_object()
            .member("key", name.first)
            .member("kind", to_string(name.second))
            .member("runs", row.runs)
            .member("points", row.points);
        json.member("first_step", row.first).member("last_step", row.last);
        if (name.second == Kind::Scalar && row.min <= row.max) {
            json.member("min", row.min).member("max", row.max);
        }
        write_definition(json, row.definition.get());
        json.end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_keys_routes(Router& router, const ApiContext& context) {
    router.get("keys",
               guarded([&context](const Request& request) { return keys(context, request); }));
}

}  // namespace taffrail::server
