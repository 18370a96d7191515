#include "codec/formats/comet/messages.h"

#include "codec/escaped_names.h"
#include "codec/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace taffrail::formats::comet {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

template <typename Number>
void append_number(std::string& to, Number number) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number);
    to.append(text.data(), end.ptr);
}

JsonWriter begin(std::string_view type, std::int64_t number) {
    JsonWriter json;
    json.begin_object().member("type", type).key("payload").begin_object();
    json.member("message_id", number);
    return json;
}

std::string end(JsonWriter json) {
    json.end_object().end_object();
    return std::move(json).take() + "\n";
}

void put_step(JsonWriter& json, const std::optional<Step>& step) {
    json.key("step");
    if (step) {
        json.value(*step);
    } else {
        json.null();
    }
}

}  // namespace

std::string metric_prefix(std::string_view name) {
    std::string prefix = R"({"type":"metric_msg","payload":{"metric":{"metricName":)";
    append_json_string(prefix, name);
    return prefix + R"(,"metricValue":)";
}

void append_metric(std::string& to, std::string_view prefix, double value, Step step,
                   const std::optional<double>& epoch, std::int64_t time_ns, std::int64_t number) {
    to += prefix;
    if (std::isfinite(value)) {
        append_number(to, value);
    } else {
        to += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
    to += ",\"step\":";
    append_number(to, step);
    if (epoch && std::isfinite(*epoch)) {
        to += ",\"epoch\":";
        append_number(to, *epoch);
    }
    to += "},\"local_timestamp\":";
    append_number(to, time_ns / kMillisecond);
    to += ",\"message_id\":";
    append_number(to, number);
    to += "}}\n";
}

std::string parameter_line(std::string_view name, const Cell& value, std::int64_t time_ns,
                           std::int64_t number) {
    JsonWriter json = begin("parameter_msg", number);
    json.member("local_timestamp", time_ns / kMillisecond).key("param").begin_object();
    json.member("paramName", name).member("paramValue", value).key("step").null();
    json.member("source", "manual").end_object();
    return end(std::move(json));
}

std::string other_line(std::string_view key, const Cell& value, std::int64_t number) {
    JsonWriter json = begin("log_other", number);
    json.member("key", key).member("value", value);
    return end(std::move(json));
}

std::string output_line(std::string_view text, bool is_error, std::int64_t time_ns,
                        std::int64_t number) {
    JsonWriter json = begin("standard_output", number);
    json.member("output", text).member("stderr", is_error);
    json.member("local_timestamp", time_ns / kMillisecond);
    return end(std::move(json));
}

std::string graph_line(std::string_view graph, std::int64_t number) {
    JsonWriter json = begin("graph", number);
    json.member("graph", graph);
    return end(std::move(json));
}

std::string upload_line(const Upload& upload, std::int64_t number) {
    const bool is_picture = upload.type == "visualization";
    JsonWriter json = begin("file_upload", number);
    json.member("local_timestamp", upload.time_ns / kMillisecond);
    json.member("file_path", upload.path).member("upload_type", upload.type);
    json.key("additional_params").begin_object().key("context").null();
    put_step(json, upload.step);
    json.member(is_picture ? "figName" : "fileName", upload.name);
    json.member(is_picture ? "imageId" : "assetId", upload.id);
    json.member("overwrite", false).key("runId").null();
    if (is_picture) {
        json.member("figCounter", 0);
    } else if (upload.type != "asset") {
        json.member("type", upload.type);
    }
    if (!upload.ending.empty()) {
        json.member("extension", upload.ending);
    }
    json.end_object().key("metadata").raw(upload.metadata_json).member("clean", true);
    return end(std::move(json));
}

std::string points_line(const PointCloud& cloud, std::int64_t number) {
    JsonWriter json = begin("3d-image", number);
    json.member("name", cloud.name).member("upload_type", "asset-item");
    put_step(json, cloud.step);
    json.key("items").begin_array().begin_object().member("file_path", cloud.points_path);
    json.member("file_name", "points.jsonl").member("type", "points").end_object().end_array();
    json.member("thumbnail_path", cloud.thumbnail_path).key("metadata").raw(cloud.metadata_json);
    json.key("asset_id").null();
    return end(std::move(json));
}

std::string experiment_document(const Experiment& experiment) {
    JsonWriter json;
    json.begin_object().member("offline_id", experiment.key);
    json.member("project_name", experiment.project).key("workspace");
    if (experiment.workspace.empty()) {
        json.null();
    } else {
        json.value(experiment.workspace);
    }
    json.member("start_time", experiment.start_ms).member("stop_time", experiment.stop_ms);
    json.key("tags").begin_array();
    for (const std::string& tag : experiment.tags) {
        json.value(tag);
    }
    json.end_array();
    json.member("resume_strategy", experiment.is_further_part ? "get_or_create" : "create");
    json.member("customer_error_reported", experiment.has_failed).key("customer_error_message");
    if (experiment.error.empty()) {
        json.null();
    } else {
        json.value(experiment.error);
    }
    json.member("user_provided_experiment_key", true).member("comet_start_sourced", false);
    json.end_object();
    return std::move(json).take();
}

std::string parameter_name(std::string_view name) {
    std::string made =
        escape_name(name, [](std::string_view all, std::size_t i) { return all[i] == '|'; });
    std::ranges::replace(made, '/', '|');
    return made;
}

std::string from_parameter_name(std::string_view name) {
    std::string made(name);
    std::ranges::replace(made, '|', '/');
    return unescape_name(made);
}

}  // namespace taffrail::formats::comet
