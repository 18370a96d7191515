#include "sources/wandb/run_part.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "codec/escaped_names.h"
#include "model/series_summary.h"
#include "sources/wandb/json_cells.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace taffrail::sources::wandb {

using namespace formats::wandb;

namespace {

constexpr std::size_t kMaxArtifactFiles = 10'000;

std::int64_t to_ns(double seconds) noexcept {
    return std::isfinite(seconds) && std::fabs(seconds) < 9e9
               ? static_cast<std::int64_t>(std::llround(seconds * 1e9))
               : 0;
}

/// Names of the tracker's own. The official program begins them with `_`.
bool is_internal(std::string_view name) {
    if (!name.starts_with('_')) {
        return false;
    }
    return name == "_step" || name == "_runtime" || name == "_timestamp" ||
           name.starts_with("_wandb");
}

/// Puts a leaf at its place in a tree of objects.
void put_leaf(Json::Object& tree, std::span<const std::string_view> path, Json leaf) {
    const auto found = std::ranges::find(
        tree, path.front(), [](const auto& member) { return std::string_view(member.first); });
    if (path.size() == 1) {
        if (found != tree.end()) {
            found->second = std::move(leaf);
        } else {
            tree.emplace_back(repair_utf8(path.front()), std::move(leaf));
        }
        return;
    }
    if (found == tree.end()) {
        Json::Object inner;
        put_leaf(inner, path.subspan(1), std::move(leaf));
        tree.emplace_back(repair_utf8(path.front()), Json(std::move(inner)));
    } else if (auto* inner = found->second.get_if<Json::Object>()) {
        put_leaf(*inner, path.subspan(1), std::move(leaf));
    }
}

}  // namespace

void RunPart::take(ByteSpan record) {
    const auto view = parse_record(record);
    if (!view) {
        ++unreadable_records;
        return;
    }
    const ByteSpan body = view->body;
    switch (view->type) {
        case RecordType::History:
            take_history(body);
            break;
        case RecordType::Summary:
            take_summary(body);
            break;
        case RecordType::Config:
            take_config(body);
            break;
        case RecordType::Run:
            take_run(body);
            break;
        case RecordType::Stats:
            take_stats(body);
            break;
        case RecordType::Output:
        case RecordType::OutputRaw:
        case RecordType::OutputLogger:
            take_output(body);
            break;
        case RecordType::Environment:
            take_environment(body);
            break;
        case RecordType::Alert:
            take_alert(body);
            break;
        case RecordType::Artifact: {
            const ArtifactView read = parse_artifact(body, kMaxArtifactFiles);
            if (read.type == "run_table") {
                break;  // the copy of a table that the history has
            }
            LoggedArtifact& made = artifacts.emplace_back();
            made.time_ns = last_time_ns;
            made.row = rows;
            made.name = repair_utf8(read.name);
            made.type = repair_utf8(read.type);
            made.metadata_json = read.metadata_json;
            for (const std::string_view alias : read.aliases) {
                made.aliases.push_back(repair_utf8(alias));
            }
            for (const ManifestEntryView& file : read.files) {
                made.files.push_back({repair_utf8(file.path), repair_utf8(file.reference),
                                      std::string(file.local_path)});
            }
            break;
        }
        case RecordType::Metric: {
            const MetricView metric = parse_metric(body);
            MetricDefinition definition;
            definition.pattern = repair_utf8(metric.glob.empty() ? metric.name : metric.glob);
            definition.options = {.step = repair_utf8(metric.step),
                                  .summary = metric.minimum   ? Summary::Min
                                             : metric.maximum ? Summary::Max
                                             : metric.mean    ? Summary::Mean
                                             : metric.none    ? Summary::None
                                                              : Summary::Last,
                                  .goal = metric.goal == 1   ? Goal::Minimize
                                          : metric.goal == 2 ? Goal::Maximize
                                                             : Goal::None,
                                  .hidden = metric.hidden};
            put_metric(metrics, std::move(definition));
            break;
        }
        case RecordType::Exit: {
            exit_code = 0;
            ProtoReader reader(body);
            WireField field;
            while (reader.next(field)) {
                if (field.is(1, WireType::Varint)) {
                    exit_code = field.as_int32();
                }
            }
            break;
        }
        case RecordType::Header: {
            ProtoReader reader(body);
            WireField field;
            while (reader.next(field)) {
                if (field.is(1, WireType::Length)) {
                    ProtoReader version(field.bytes);
                    while (version.next(field)) {
                        if (field.is(1, WireType::Length)) {
                            producer = repair_utf8(field.as_text());
                        }
                    }
                    break;
                }
            }
            break;
        }
        case RecordType::Files: {
            ProtoReader reader(body);
            WireField field;
            while (reader.next(field)) {
                if (!field.is(1, WireType::Length)) {
                    continue;
                }
                ProtoReader file(field.bytes);
                WireField part;
                while (file.next(part)) {
                    if (part.is(1, WireType::Length)) {
                        files.emplace_back(part.as_text());
                    }
                }
            }
            break;
        }
        default:
            break;
    }
}

std::string RunPart::key_of(const std::vector<std::string_view>& path) const {
    std::string key = joined(path, '.');
    return is_ours() ? unescape_name(key) : key;
}

void RunPart::add(std::string_view name_there, Step step, std::int64_t time_ns, double value) {
    Series* found = series_there_.find(name_there);
    if (found == nullptr) {
        found = &series_there_.add(name_there, series[key_of({name_there})]);
    }
    append(*found, step, time_ns, value);
}

void RunPart::add_number(const std::string& key, Step step, std::int64_t time_ns, double value) {
    append(series[key], step, time_ns, value);
}

void RunPart::append(Series& to, Step step, std::int64_t time_ns, double value) const {
    to.step.push_back(step);
    to.time_ns.push_back(time_ns);
    to.value.push_back(value);
    to.row.push_back(rows);
}

void RunPart::sum_up() {
    for (auto& [key, one] : series) {
        const auto from = static_cast<std::size_t>(one.summary.count);
        if (from == one.value.size()) {
            continue;
        }
        const auto [smallest, largest] = std::ranges::minmax(std::span(one.step).subspan(from));
        one.summary.first_time_ns = from == 0 ? one.time_ns.front() : one.summary.first_time_ns;
        one.summary.last_time_ns = one.time_ns.back();
        // Before the values: the first points set the range.
        model::add_steps(one.summary, smallest, largest);
        model::add_values(one.summary, std::span<const double>(one.value).subspan(from));
    }
}

void RunPart::add_json(const std::string& key, Step step, std::int64_t time_ns, const Json& json) {
    if (json.is_null()) {
        return;
    }
    const auto* members = json.object();
    if (members != nullptr && json.find("_type") == nullptr) {
        for (const auto& [member, value] : *members) {
            add_json(key + "." + member, step, time_ns, value);
        }
        return;
    }
    if (members == nullptr) {
        if (const auto number = json.number()) {
            add_number(key, step, time_ns, *number);
            return;
        }
        if (const auto truth = json.truth()) {
            add_number(key, step, time_ns, *truth ? 1 : 0);
            return;
        }
    } else if (is_ours()) {
        step = json.integer_or("step", step);
    }
    values[key].push_back({step, time_ns, rows, json.dump()});
}

void RunPart::take_history(ByteSpan body) {
    std::optional<Step> step, item_step, true_step;
    std::optional<double> timestamp, runtime;
    bool is_all_numbers = true;
    numbers_.clear();
    ProtoReader reader(body);
    WireField field;
    // Items come in any order: numbers wait for what holds for the whole row.
    while (reader.next(field)) {
        if (field.is(2, WireType::Length)) {
            step = step.value_or(0);
            ProtoReader number(field.bytes);
            WireField part;
            while (number.next(part)) {
                if (part.is(1, WireType::Varint)) {
                    step = part.as_int64();
                }
            }
        }
        if (!field.is(1, WireType::Length) || !parse_item(field.bytes, item_)) {
            continue;
        }
        const auto number = item_.path.size() == 1 ? number_of(item_.json) : std::nullopt;
        const std::string_view called = item_.path.front();
        if (!number) {
            is_all_numbers = false;
        } else if (!called.starts_with('_') && called != "step") {
            numbers_.push_back({called, *number});
        } else if (called == "_step") {
            if (std::isfinite(*number) && std::fabs(*number) < 9e18) {
                item_step = parse_int(item_.json).value_or(static_cast<Step>(*number));
            }
        } else if (called == "_timestamp") {
            timestamp = number;
        } else if (called == "_runtime") {
            runtime = number;
        } else if (called == "step" && is_ours()) {
            true_step = parse_int(item_.json);
        } else if (!is_internal(called)) {
            numbers_.push_back({called, *number});
        }
    }
    step = item_step ? item_step : step;
    const Step place = step ? *step : last_step_ && *last_step_ < INT64_MAX ? *last_step_ + 1 : 0;
    last_step_ = place;
    const Step at = true_step.value_or(place);
    const std::int64_t time_ns =
        timestamp ? to_ns(*timestamp) : start_time_ns + to_ns(runtime.value_or(0));
    last_time_ns = std::max(last_time_ns, time_ns);
    for (const RowNumber& number : numbers_) {
        add(number.name, at, time_ns, number.value);
    }
    if (is_all_numbers) {
        ++rows;
        return;
    }
    // Names in several parts: media of newer versions come as one item a member.
    Json::Object tree;
    for_each_item(body, 1, item_, [&](const ItemView& item) {
        const bool is_whole = item.path.size() == 1;
        if (is_internal(item.path.front()) || (is_whole && number_of(item.json))) {
            return;
        }
        auto json = item.json.empty() ? Result<Json>(Json()) : parse_json(item.json);
        if (!json.ok()) {
            ++unreadable_records;
        } else if (is_whole) {
            add_json(key_of(item.path), at, time_ns, *json);
        } else if (item.path.size() <= 64) {
            put_leaf(tree, item.path, *std::move(json));
        }
    });
    for (const auto& [member, json] : tree) {
        add_json(member, at, time_ns, json);
    }
    ++rows;
}

void RunPart::take_config(ByteSpan body) {
    for_each_item(body, kUpdate, item_, [&](const ItemView& item) {
        if (is_internal(item.path.front())) {
            return;
        }
        const std::string called = joined(item.path, '/');
        if (const auto json = parse_json(item.json); json.ok()) {
            flatten(is_ours() ? unescape_name(called) : called, *json, '/', config);
        } else {
            ++unreadable_records;
        }
    });
    for_each_item(body, kRemove, item_,
                  [&](const ItemView& item) { config.erase(joined(item.path, '/')); });
}

void RunPart::take_summary(ByteSpan body) {
    for_each_item(body, kUpdate, item_, [&](const ItemView& item) {
        if (is_internal(item.path.front())) {
            return;
        }
        const bool is_whole = item.path.size() == 1;
        if (std::string* known = is_whole ? summary_there_.find(item.path.front()) : nullptr) {
            *known = item.json;
            return;
        }
        std::string& made = summary_json[joined(item.path, '.')];
        made = item.json;
        if (is_whole) {
            summary_there_.add(item.path.front(), made);
        }
    });
    for_each_item(body, kRemove, item_, [&](const ItemView& item) {
        summary_json.erase(joined(item.path, '.'));
        summary_there_.clear();
    });
}

std::map<std::string, Cell> RunPart::summary() const {
    std::map<std::string, Cell> all;
    for (const auto& [called, text] : summary_json) {
        if (const auto json = parse_json(text); json.ok()) {
            flatten(is_ours() ? unescape_name(called) : called, *json, '.', all);
        }
    }
    return all;
}

}  // namespace taffrail::sources::wandb
