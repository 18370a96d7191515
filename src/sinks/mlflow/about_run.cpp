#include "sinks/mlflow/about_run.h"

#include "base/bytes.h"
#include "base/names.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "codec/formats/mlflow/names.h"
#include "codec/json_writer.h"
#include "record/identity.h"

#include <cmath>
#include <cstdlib>

namespace taffrail::sinks::mlflow {

using formats::mlflow::escaped;
using formats::mlflow::kLongestName;

namespace {

std::string tag_name(std::string_view prefix, std::string_view name) {
    std::string whole = std::string(prefix) + escaped(name);
    if (whole.size() > kLongestName) {
        whole =
            cut_text(whole, kLongestName - 17) + "-" + to_hex(sha256(as_bytes(name))).substr(0, 16);
    }
    return whole;
}

void add_where_said(Pairs& tags, std::string name, const std::string& value) {
    if (!value.empty()) {
        tags.emplace_back(std::move(name), value);
    }
}

}  // namespace

std::string user_name() {
    for (const char* name : {"USER", "LOGNAME"}) {
        if (const char* user = std::getenv(name); user != nullptr && *user != '\0') {
            return user;
        }
    }
    return "unknown";
}

Pairs first_tags(const Options& options, const SinkContext& context, std::string_view own_id) {
    Pairs tags = {{"mlflow.user", user_name()},          {"mlflow.source.name", "taffrail"},
                  {"mlflow.source.type", "LOCAL"},       {"mlflow.runName", options.run_name},
                  {std::string(own_id), context.run_id}, {"taffrail.host", record::host_name()}};
    add_where_said(tags, "mlflow.parentRunId", options.parent_run_id);
    return tags;
}

Pairs later_tags(const Options& options, const SinkContext& context) {
    Pairs tags;
    add_where_said(tags, "mlflow.note.content", context.notes);
    add_where_said(tags, "taffrail.group", context.group);
    add_where_said(tags, "taffrail.job_type", context.job_type);
    if (context.attempt > 0) {
        tags.emplace_back("taffrail.attempts", std::to_string(context.attempt + 1));
    }
    for (const auto& list : {options.tags, context.tags}) {
        for (const std::string& tag : list) {
            tags.push_back(pair_of(tag));
        }
    }
    return tags;
}

std::pair<std::string, std::string> tag_of(const MetricDefinition& metric) {
    constexpr std::string_view kSummaries[] = {"last", "min", "max", "mean", "none"};
    constexpr std::string_view kGoals[] = {"none", "minimize", "maximize"};
    JsonWriter json;
    json.begin_object().member("step", metric.options.step);
    json.member("summary", kSummaries[static_cast<std::size_t>(metric.options.summary)]);
    json.member("goal", kGoals[static_cast<std::size_t>(metric.options.goal)]);
    json.member("hidden", metric.options.hidden).end_object();
    return {tag_name("taffrail.metric.", metric.pattern), json.text()};
}

std::pair<std::string, std::string> summary_tag(std::string_view name, const Cell& cell) {
    return {tag_name("taffrail.summary.", name), text_of(cell)};
}

std::pair<std::string, std::string> alert_tag(const Alert& alert, std::uint64_t number) {
    constexpr std::string_view kLevels[] = {"INFO", "WARN", "ERROR"};
    return {"taffrail.alert." + std::to_string(number),
            std::string(kLevels[static_cast<std::size_t>(alert.level)]) + " " + alert.title +
                (alert.text.empty() ? "" : ": " + alert.text)};
}

std::pair<std::string, std::string> pair_of(std::string_view tag) {
    const std::size_t equal = tag.find('=');
    return equal == std::string_view::npos
               ? std::pair(tag_name("", tag), std::string())
               : std::pair(tag_name("", tag.substr(0, equal)), std::string(tag.substr(equal + 1)));
}

std::string tables_tag(const std::vector<std::string>& paths) {
    JsonWriter json;
    json.begin_array();
    for (const std::string& path : paths) {
        json.begin_object().member("path", path).member("type", "table").end_object();
    }
    json.end_array();
    return std::move(json).take();
}

std::string text_of(const Cell& cell) {
    if (const auto* truth = std::get_if<bool>(&cell)) {
        return *truth ? "True" : "False";
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return std::to_string(*whole);
    }
    if (const auto* number = std::get_if<double>(&cell)) {
        if (!std::isfinite(*number)) {
            return std::isnan(*number) ? "nan" : *number > 0 ? "inf" : "-inf";
        }
        const std::string text = format_double(*number);
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return *text;
    }
    return "None";
}

std::string cut_text(const std::string& text, std::size_t longest) {
    if (text.size() <= longest) {
        return text;
    }
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    return text.substr(0, end);
}

std::string_view folder_of(Kind kind) {
    switch (kind) {
        case Kind::Histogram:
            return "histograms";
        case Kind::Image:
            return "pictures";
        case Kind::Audio:
            return "audio";
        case Kind::Video:
            return "videos";
        case Kind::Mesh:
            return "meshes";
        case Kind::Text:
            return "text";
        case Kind::Table:
            return "tables";
        case Kind::Figure:
            return "figures";
        case Kind::Graph:
            return "graphs";
        case Kind::PrCurve:
            return "pr_curves";
        case Kind::Embedding:
            return "embeddings";
        case Kind::Tensor:
            return "tensors";
        default:
            return "values";
    }
}

std::string uuid_of(std::string_view run_id, const Record& record, std::size_t index) {
    const std::string seed = std::string(run_id) + '\0' + std::string(record.key) + '\0' +
                             std::to_string(record.writer) + '\0' + std::to_string(record.seq) +
                             '\0' + std::to_string(index);
    std::string hex = to_hex(sha256(as_bytes(seed))).substr(0, 32);
    hex[12] = '4';
    hex[16] = 'a';
    return with_dashes(hex);
}

}  // namespace taffrail::sinks::mlflow
