#include "cli/run_json.h"

#include "model/metric_meaning.h"

namespace taffrail::cli {

JsonWriter& begin_run(JsonWriter& json, const RunInfo& run) {
    return json.begin_object().member("id", run.id).member("name", run.name);
}

void write_run(JsonWriter& json, const RunInfo& run, const std::function<void()>& more) {
    json.begin_object()
        .member("id", run.id)
        .member("name", run.name)
        .member("project", run.project);
    json.member("group", run.group)
        .member("job_type", run.job_type)
        .member("state", to_string(run.state));
    json.member("start_time", run.start_time_ns)
        .member("end_time", run.end_time_ns)
        .member("notes", run.notes);
    json.key("tags").begin_array();
    for (const std::string& tag : run.tags) {
        json.value(tag);
    }
    json.end_array().member("attempts", run.attempts).member("world_size", run.world_size);
    json.member("location", run.location)
        .member("source", run.source)
        .member("archived", run.archived);
    json.member("deleted", run.deleted).member("message", run.message).key("config").begin_object();
    for (const auto& [name, cell] : run.config) {
        json.member(name, cell);
    }
    json.end_object().key("summary").begin_object();
    for (const auto& [name, cell] : run.summary) {
        json.member(name, cell);
    }
    json.end_object();
    if (more) {
        more();
    }
    json.end_object();
}

void write_key(JsonWriter& json, const KeyInfo& key) {
    json.begin_object()
        .member("key", key.key)
        .member("kind", to_string(key.kind))
        .member("count", key.count);
    if (key.kind == Kind::Scalar && key.scalar.count > 0) {
        const SeriesSummary& scalar = key.scalar;
        const auto cell = [](std::optional<double> number) {
            return number ? Cell(*number) : Cell();
        };
        json.member("last", cell(scalar.newest()))
            .member("min", cell(scalar.smallest()))
            .member("max", cell(scalar.largest()))
            .member("mean", cell(scalar.mean()))
            .member("sum", scalar.sum);
        json.member("nan_count", scalar.nan_count)
            .member("positive_infinity_count", scalar.positive_infinity_count)
            .member("negative_infinity_count", scalar.negative_infinity_count)
            .member("first_step", scalar.first_step);
        json.member("last_step", scalar.last_step);
        if (const auto best = model::best_of(key)) {
            json.member("best", *best);
        }
        json.member("first_time", scalar.first_time_ns).member("last_time", scalar.last_time_ns);
    }
    if (key.definition) {
        json.key("definition").begin_object();
        json.member("summary", model::name_of(key.definition->summary));
        if (key.definition->goal != Goal::None) {
            json.member("goal", model::name_of(key.definition->goal));
        }
        if (!key.definition->step.empty()) {
            json.member("step", key.definition->step);
        }
        json.member("hidden", key.definition->hidden).end_object();
    }
    json.end_object();
}

}  // namespace taffrail::cli
