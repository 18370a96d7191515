#include "sources/comet/read_run.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "codec/escaped_names.h"
#include "codec/formats/comet/messages.h"
#include "codec/formats/comet/names.h"
#include "codec/json_cells.h"
#include "codec/value_files.h"
#include "io/files.h"
#include "sources/comet/read_uploads.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sources::comet {
namespace {

using model::GatheredContent;

constexpr std::uint64_t kMaxExperimentBytes = std::uint64_t{1} << 20;
constexpr std::int64_t kMillisecond = 1'000'000;

Cell repaired_cell(const Json& json) {
    const auto* text = json.string();
    return text != nullptr ? Cell(repair_utf8(*text)) : cell_of(json);
}

std::optional<double> number_of(const Json& json) {
    if (const auto* text = json.string()) {
        return parse_double(*text);
    }
    return json.number();
}

std::int64_t time_of(const Json& payload) {
    const std::int64_t ms = payload.integer_or("local_timestamp", 0);
    return std::abs(ms) < INT64_MAX / kMillisecond ? ms * kMillisecond : 0;
}

class PartReader {
  public:
    PartReader(const std::string& path, std::uint32_t attempt, GatheredContent& to)
        : path_(path), attempt_(attempt), to_(to) {}

    void read() {
        const auto opened = ArchiveFiles::open(path_);
        if (!opened.ok()) {
            to_.damaged(path_, opened.error().message);
            return;
        }
        files_ = *opened;
        uploads_.emplace(files_, attempt_, to_);
        describe();
        std::uint64_t too_long = 0;
        const auto done = files_->for_each_line(
            "messages.json",
            [&](std::string_view line, std::uint64_t offset) { take(line, offset); }, too_long);
        if (!done.ok()) {
            to_.damaged(path_, "messages.json: " + done.error().message);
        }
        if (too_long > 0) {
            to_.damaged(path_, std::to_string(too_long) + " messages of more than 64 MiB");
        }
        if (unknown_ > 0) {
            to_.damaged(path_, std::to_string(unknown_) +
                                   " messages of types that are not known (" + unknown_type_ +
                                   ", …)");
        }
        end_line();
    }

  private:
    void describe() {
        const auto bytes = files_->read("experiment.json", kMaxExperimentBytes);
        const auto json = bytes.ok() ? parse_json(as_text(*bytes)) : Result<Json>(bytes.error());
        if (!json.ok()) {
            to_.damaged(path_, "experiment.json: " + json.error().message);
            return;
        }
        RunInfo& info = to_.info;
        info.project = repair_utf8(json->string_or("project_name", info.project));
        const auto workspace = json->string_or("workspace", "");
        if (!workspace.empty()) {
            to_.environment.emplace_back("comet/workspace", repair_utf8(workspace));
        }
        const auto ms = [&](std::string_view name) {
            const std::int64_t value = json->integer_or(name, 0);
            return value > 0 && value < INT64_MAX / kMillisecond ? value * kMillisecond : 0;
        };
        info.start_time_ns = info.start_time_ns != 0 ? info.start_time_ns : ms("start_time");
        info.end_time_ns = std::max(info.end_time_ns, ms("stop_time"));
        info.state = json->truth_or("customer_error_reported", false) ? RunState::Failed
                                                                      : RunState::Finished;
        info.message = repair_utf8(json->string_or("customer_error_message", ""));
        if (const Json* tags = json->find("tags"); tags != nullptr && tags->array() != nullptr) {
            info.tags.clear();
            for (const Json& tag : *tags->array()) {
                if (tag.string() != nullptr) {
                    info.tags.push_back(repair_utf8(*tag.string()));
                }
            }
        }
    }

    void take(std::string_view line, std::uint64_t offset) {
        if (trim(line).empty()) {
            return;
        }
        const auto json = parse_json(line);
        const Json* payload = json.ok() ? json->find("payload") : nullptr;
        if (payload == nullptr || !payload->is_object()) {
            to_.damaged(path_, json.ok() ? "a message without payload" : json.error().message,
                        offset, line.size());
            return;
        }
        take(json->string_or("type", ""), *payload);
    }

    void take(const std::string& type, const Json& payload) {
        if (type == "metric_msg" || type == "ws_msg") {
            const Json* metric = payload.find("metric");
            if (metric != nullptr && metric->is_object()) {
                take_metric(payload, *metric);
            }
        }
        if (type == "parameter_msg" || type == "ws_msg") {
            for (const std::string_view name : {"param", "params"}) {
                if (const Json* parameter = payload.find(name); parameter != nullptr) {
                    take_parameter(*parameter);
                }
            }
        }
        if (type == "ws_msg") {
            if (const Json* other = payload.find("log_other"); other != nullptr) {
                take_other(other->string_or("key", ""), other->find("val"));
            }
            if (payload.find("stdout") != nullptr || payload.find("output") != nullptr) {
                take_output(payload);
            }
        } else if (type == "log_other") {
            take_other(payload.string_or("key", ""), payload.find("value"));
        } else if (type == "standard_output") {
            take_output(payload);
        } else if (type == "file_upload") {
            uploads_->take(payload);
        } else if (type == "3d-image") {
            uploads_->take_points(payload);
        } else if (type == "graph") {
            take_graph(payload.string_or("graph", ""));
        } else if (type == "remote_file") {
            to_.environment.emplace_back("comet/remote/" + std::to_string(remote_++),
                                         repair_utf8(payload.string_or("remote_uri", "")));
        } else if (type == "system_info") {
            if (const Json* pair = payload.find("system_info"); pair != nullptr) {
                const Json* value = pair->find("value");
                to_.environment.emplace_back("comet/" + pair->string_or("key", ""),
                                             value != nullptr ? repaired_cell(*value) : Cell());
            }
        } else if (type == "system_details" || type == "git_metadata" || type == "file_name" ||
                   type == "cloud_details" || type == "gpu_static_info" ||
                   type == "log_dependency" || type == "installed_packages" ||
                   type == "os_packages" || type == "html" || type == "htmlOverride") {
            flatten("comet/" + type, payload);
        } else if (type != "metric_msg" && type != "parameter_msg") {
            ++unknown_;
            unknown_type_ = repair_utf8(type.substr(0, 40));
        }
    }

    void take_metric(const Json& payload, const Json& metric) {
        const Json* held = metric.find("metricValue");
        const auto value = held != nullptr ? number_of(*held) : std::nullopt;
        const std::string name = metric.string_or("metricName", "");
        if (!value) {
            to_.damaged(path_, "metric '" + repair_utf8(name) + "' with a value that is no number");
            return;
        }
        const std::string context = payload.string_or("context", "");
        const auto system = formats::comet::from_comet(name);
        const auto renamed = keys_.find(name);
        std::string key = !system.name.empty()     ? system.name
                          : renamed != keys_.end() ? renamed->second
                                                   : unescape_name(name);
        if (!context.empty()) {
            key = context + "/" + key;
        }
        const Json* at = metric.find("step");
        const auto whole = at != nullptr ? at->integer() : std::nullopt;
        const double real = at != nullptr ? at->number().value_or(NAN) : NAN;
        model::GatheredSeries& series = to_.series[repair_utf8(key)];
        series.begin(attempt_);
        // Without a step: one more than the last.
        const Step step = whole ? *whole
                          : std::isfinite(real) && std::fabs(real) < 9e18
                              ? static_cast<Step>(std::llround(real))
                              : (series.step.empty() ? 0 : series.step.back() + 1);
        const Json* epoch = metric.find("epoch");
        const std::int64_t time_ns = time_of(payload);
        series.add(step, time_ns, *value * (system.name.empty() ? 1 : system.factor),
                   epoch != nullptr ? epoch->number().value_or(NAN) : NAN);
        if (!whole && std::isfinite(real) && real != std::nearbyint(real)) {
            to_.series[repair_utf8(key) + " (fractional step)"].add(step, time_ns, real);
        }
        to_.info.end_time_ns = std::max(to_.info.end_time_ns, time_ns);
    }

    void take_parameter(const Json& parameter) {
        const std::string name = parameter.string_or("paramName", "");
        const Json* value = parameter.find("paramValue");
        const bool is_counter = parameter.string_or("source", "") == "auto-logged" &&
                                (name == "curr_step" || name == "curr_epoch");
        if (value == nullptr || is_counter || name.empty()) {
            return;
        }
        const std::string key = repair_utf8(formats::comet::from_parameter_name(name));
        Hparams& config = to_.info.config;
        const auto known = std::ranges::find(config, key, &Hparams::value_type::first);
        if (known != config.end()) {
            known->second = repaired_cell(*value);
        } else {
            config.emplace_back(key, repaired_cell(*value));
        }
    }

    void take_other(const std::string& key, const Json* value) {
        if (value == nullptr || key == "offline_experiment" || key == "hasNestedParams") {
            return;
        }
        const Cell cell = repaired_cell(*value);
        const auto* text = std::get_if<std::string>(&cell);
        RunInfo& info = to_.info;
        const auto own = [&](std::string_view name) {
            return text != nullptr &&
                   key == std::string(formats::comet::kOwnOther) + std::string(name);
        };
        constexpr std::string_view kMetric = "taffrail.metric.", kKey = "taffrail.key.";
        if (key == "Name" && text != nullptr) {
            info.name = *text;
        } else if (own("group")) {
            info.group = *text;
        } else if (own("job_type")) {
            info.job_type = *text;
        } else if (own("notes")) {
            info.notes = *text;
        } else if (own("state")) {
            info.state = *text == "aborted"   ? RunState::Aborted
                         : *text == "crashed" ? RunState::Crashed
                                              : RunState::Failed;
        } else if (key.starts_with(kKey) && text != nullptr) {
            keys_[key.substr(kKey.size())] = *text;
        } else if (key.starts_with(kMetric) && text != nullptr) {
            take_definition(key.substr(kMetric.size()), *text);
        } else if (key == "taffrail.run_id" || key == "taffrail.attempts") {
            to_.environment.emplace_back(key, cell);
        } else if (!key.empty()) {
            info.summary.insert_or_assign(repair_utf8(key), cell);
        }
    }

    void take_definition(const std::string& pattern, const std::string& text) {
        const auto json = parse_json(text);
        if (!json.ok()) {
            return;
        }
        MetricDefinition metric{.pattern = pattern};
        metric.options.step = json->string_or("step", "");
        const std::string summary = json->string_or("summary", ""),
                          goal = json->string_or("goal", "");
        metric.options.summary = summary == "min"    ? Summary::Min
                                 : summary == "max"  ? Summary::Max
                                 : summary == "mean" ? Summary::Mean
                                 : summary == "none" ? Summary::None
                                                     : Summary::Last;
        metric.options.goal = goal == "minimize"   ? Goal::Minimize
                              : goal == "maximize" ? Goal::Maximize
                                                   : Goal::None;
        metric.options.hidden = json->truth_or("hidden", false);
        to_.metrics.push_back(std::move(metric));
    }

    void take_output(const Json& payload) {
        const bool is_error = payload.truth_or("stderr", false);
        const std::string text =
            repair_utf8(payload.string_or("output", payload.string_or("stdout", "")));
        std::string& rest = rest_[is_error ? 1 : 0];
        const auto pieces = split(std::string_view(text), '\n');
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            rest += pieces[i];
            if (i + 1 < pieces.size()) {
                to_.console.push_back({time_of(payload), is_error, 0, std::exchange(rest, {})});
            }
        }
    }

    void end_line() {
        for (std::size_t stream = 0; stream < 2; ++stream) {
            if (!rest_[stream].empty()) {
                to_.console.push_back(
                    {to_.info.end_time_ns, stream == 1, 0, std::exchange(rest_[stream], {})});
            }
        }
    }

    void take_graph(const std::string& text) {
        model::GatheredValue value;
        value.kind = Kind::Graph;
        value.time_ns = to_.info.start_time_ns;
        value.attempt = attempt_;
        value.make = [text](model::GatheredBlobs&) { return value_of_document(Kind::Graph, text); };
        to_.values["graph"].push_back(std::move(value));
    }

    void flatten(const std::string& name, const Json& json) {
        constexpr std::size_t kMostCells = 10'000;
        const auto* members = json.object();
        if (to_.environment.size() >= kMostCells) {
            return;
        }
        if (members == nullptr) {
            to_.environment.emplace_back(name, repaired_cell(json));
            return;
        }
        for (const auto& [inner, value] : *members) {
            if (inner != "message_id") {
                flatten(name + "/" + repair_utf8(inner), value);
            }
        }
    }

    const std::string& path_;
    std::uint32_t attempt_;
    GatheredContent& to_;
    std::shared_ptr<const ArchiveFiles> files_;
    std::optional<UploadReader> uploads_;
    std::map<std::string, std::string> keys_;  ///< names that were cut, and their keys
    std::string rest_[2];
    std::uint64_t unknown_ = 0;
    std::string unknown_type_;
    int remote_ = 0;
};

}  // namespace

std::shared_ptr<model::GatheredContent> read_run(const std::vector<std::string>& parts) {
    auto content = std::make_shared<GatheredContent>();
    content->info.source = "comet";
    content->info.location = parts.front();
    content->info.attempts = static_cast<std::uint32_t>(parts.size());
    for (std::uint32_t attempt = 0; attempt < parts.size(); ++attempt) {
        PartReader(parts[attempt], attempt, *content).read();
    }
    const std::string& last = parts.back();
    const auto info = io::stat(last);
    const bool is_folder = info.ok() && info->type == io::EntryType::Directory;
    for (const std::string& part : parts) {
        content->files.push_back(is_folder && part == last ? io::join(part, "messages.json")
                                                           : part);
    }
    // The folder goes when the archive is made of it.
    content->is_open_ended = is_folder;
    std::string id = last.substr(last.rfind('/') + 1);
    id = id.ends_with(".zip") ? id.substr(0, id.size() - 4) : id;
    content->info.id = parts.size() > 1 ? id.substr(0, id.find('-')) : id;
    if (content->info.name.empty()) {
        content->info.name = content->info.id;
    }
    return content;
}

}  // namespace taffrail::sources::comet
