#include "sources/neptune/attributes.h"

#include "base/strings.h"
#include "base/try.h"
#include "base/utf8.h"
#include "codec/escaped_names.h"
#include "codec/json.h"
#include "codec/value_files.h"
#include "io/inside.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sources::neptune {

using namespace formats::neptune;

namespace {

constexpr std::uint64_t kMaxMediaBytes = std::uint64_t{1} << 30;
constexpr std::string_view kOwn = "taffrail/", kTrueStep = "taffrail/step/";
constexpr std::string_view kNotFinite = "/not_finite";

Cell cell_of(const AttributeValue& value) {
    if (const auto* truth = std::get_if<bool>(&value)) {
        return *truth;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return *whole;
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return *number;
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        return *text;
    }
    if (const auto* all = std::get_if<std::vector<std::string>>(&value)) {
        std::string joined;
        for (const std::string& one : *all) {
            joined += (joined.empty() ? "" : ", ") + one;
        }
        return joined;
    }
    return {};
}

/// "image-3.png" of our own sink, or any file by what it is.
Kind kind_of_name(const std::string& name, std::string_view mime) {
    const std::string_view stem = std::string_view(name).substr(name.rfind('/') + 1);
    for (const Kind kind : {Kind::Image, Kind::Audio, Kind::Video, Kind::Mesh, Kind::Table,
                            Kind::Figure, Kind::Graph, Kind::PrCurve, Kind::Text}) {
        if (stem.starts_with(std::string(to_string(kind)) + "-")) {
            return kind;
        }
    }
    return mime.starts_with("image/")   ? Kind::Image
           : mime.starts_with("audio/") ? Kind::Audio
           : mime.starts_with("video/") ? Kind::Video
                                        : Kind::Artifact;
}

Result<Value> value_of(Kind kind, const KnownFile& file, const std::string& key,
                       model::GatheredBlobs& blobs) {
    TAFFRAIL_ASSIGN(Bytes bytes, io::read_inside(file.folder, file.path, kMaxMediaBytes));
    if (kind == Kind::Table || kind == Kind::Graph || kind == Kind::PrCurve || kind == Kind::Text ||
        (kind == Kind::Figure && file.path.ends_with(".json"))) {
        if (auto made = value_of_document(kind, repair_utf8(as_text(bytes))); made.ok()) {
            return made;
        }
    }
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    TAFFRAIL_ASSIGN(Value value, value_of_file(name, std::move(bytes), {}));
    set_file_blob(value, blobs.add(file.size, [file] {
        return io::read_inside(file.folder, file.path, kMaxMediaBytes);
    }));
    if (auto* artifact = std::get_if<Artifact>(&value)) {
        artifact->name = key;
    }
    return value;
}

}  // namespace

void Attributes::assign(std::string_view path, const AttributeValue& value, std::int64_t time_ns) {
    to_.info.end_time_ns = std::max(to_.info.end_time_ns, time_ns);
    if (const auto* file = std::get_if<FileReference>(&value)) {
        append(path, *file, std::nullopt, time_ns);
    } else {
        assigned_.insert_or_assign(repair_utf8(path), value);
    }
}

void Attributes::append(std::string_view path, const AttributeValue& value,
                        std::optional<double> step, std::int64_t time_ns) {
    std::vector<Appended>& all = appended_[repair_utf8(path)];
    const double at = step ? *step : all.empty() ? 0 : all.back().step + 1;
    if (!path.starts_with("runtime/") && !path.starts_with("monitoring/")) {
        steps_.see(at);
    }
    to_.info.end_time_ns = std::max(to_.info.end_time_ns, time_ns);
    all.push_back({at, time_ns, value, {}});
}

void Attributes::append_file(std::string_view path, const KnownFile& file,
                             std::optional<double> step, std::int64_t time_ns) {
    append(path, FileReference{file.path, "", file.size}, step, time_ns);
    appended_[repair_utf8(path)].back().file = file;
}

void Attributes::tag(std::string_view path, std::string_view tag, bool is_removed) {
    const std::string text = repair_utf8(tag);
    if (path == "sys/group_tags") {
        to_.info.group = is_removed ? std::string() : text;
    } else if (path == "sys/tags") {
        std::erase(to_.info.tags, text);
        if (!is_removed) {
            to_.info.tags.push_back(text);
        }
    }
}

void Attributes::file_value(const std::string& key, const Appended& point, Step step) {
    const auto* reference = std::get_if<FileReference>(&point.value);
    KnownFile file = point.file;
    if (file.path.empty()) {
        const auto found = files.find(reference->path);
        if (found == files.end()) {
            to_.damaged(reference->path, "a file of '" + key + "' is not in the folder of the run");
            return;
        }
        file = found->second;
    }
    model::GatheredValue value;
    value.kind = kind_of_name(file.path, reference->mime);
    value.step = step;
    value.time_ns = point.time_ns;
    value.make = [kind = value.kind, file, key](model::GatheredBlobs& blobs) {
        return value_of(kind, file, key, blobs);
    };
    to_.values[key].push_back(std::move(value));
}

void Attributes::finish() {
    RunInfo& info = to_.info;
    const bool is_ours = assigned_.contains("taffrail/run_id");
    const auto text_at = [&](std::string_view path) {
        const auto found = assigned_.find(path);
        const auto* text =
            found != assigned_.end() ? std::get_if<std::string>(&found->second) : nullptr;
        return text != nullptr ? *text : std::string();
    };
    info.notes = text_at("sys/description");
    info.job_type = text_at("taffrail/job_type");
    info.message = text_at("taffrail/state_reason");
    const std::string name = text_at("sys/name"), state = text_at("taffrail/state");
    info.name = name.empty() ? info.name : name;
    for (const RunState one :
         {RunState::Finished, RunState::Failed, RunState::Crashed, RunState::Aborted}) {
        if (state == to_string(one)) {
            info.state = one;
            to_.is_open_ended = false;
        }
    }
    const auto failed = assigned_.find("sys/failed");
    const auto* has_failed =
        failed != assigned_.end() ? std::get_if<bool>(&failed->second) : nullptr;
    if (has_failed != nullptr && *has_failed) {
        info.state = RunState::Failed;
        to_.is_open_ended = false;
    }
    if (to_.is_open_ended && !is_ours) {
        // Its own clients write no end: one that fell silent need not have crashed.
        to_.is_open_ended = false;
        to_.never_says_end = true;
    }
    const auto key_of = [&](std::string_view path) {
        const std::string whole = text_at("taffrail/key/" + std::string(path));
        return !whole.empty() ? whole : is_ours ? unescape_name(path) : std::string(path);
    };
    for (const auto& [path, value] : assigned_) {
        constexpr std::string_view kMetric = "taffrail/metric/";
        if (path.starts_with(kMetric)) {
            const auto json = parse_json(text_at(path));
            MetricDefinition metric{.pattern = unescape_name(path.substr(kMetric.size()))};
            if (json.ok()) {
                metric.options.step = json->string_or("step", "");
                metric.options.summary = static_cast<Summary>(std::clamp<std::int64_t>(
                    json->integer_or("summary", 0), 0, static_cast<std::int64_t>(Summary::None)));
                metric.options.goal = static_cast<Goal>(std::clamp<std::int64_t>(
                    json->integer_or("goal", 0), 0, static_cast<std::int64_t>(Goal::Maximize)));
                metric.options.hidden = json->truth_or("hidden", false);
                to_.metrics.push_back(std::move(metric));
            }
        } else if (path.starts_with(kOwn) || path.starts_with("sys/")) {
            to_.environment.emplace_back("neptune/" + path, cell_of(value));
        } else if (is_ours && path.starts_with("summary/")) {
            info.summary.insert_or_assign(unescape_name(path.substr(8)), cell_of(value));
        } else if (is_ours && path.starts_with("config/")) {
            info.config.emplace_back(unescape_name(path.substr(7)), cell_of(value));
        } else {
            info.config.emplace_back(path, cell_of(value));
        }
    }
    if (steps_.factor() != 1) {
        to_.environment.emplace_back("neptune/step_factor", steps_.factor());
    }
    for (const auto& [path, points] : appended_) {
        const bool is_console = path.ends_with("/stdout") || path.ends_with("/stderr");
        if (path.starts_with(kTrueStep) || path.ends_with(kNotFinite)) {
            continue;  // with the series they are of
        }
        const auto truth = appended_.find(std::string(kTrueStep) + path);
        std::map<double, double> true_steps;
        for (const Appended& one :
             truth != appended_.end() ? truth->second : std::vector<Appended>()) {
            if (const auto* number = std::get_if<double>(&one.value)) {
                true_steps[one.step] = *number;
            }
        }
        const auto step_at = [&](double at) {
            const auto found = true_steps.find(at);
            return found != true_steps.end() ? static_cast<Step>(found->second)
                   : is_ours                 ? static_cast<Step>(at)
                                             : steps_.whole(at);
        };
        std::string key = key_of(path);
        if (path.starts_with("runtime/system/")) {
            key = path.substr(8);
        }
        std::vector<Appended> all = points;
        if (const auto odd = appended_.find(path + std::string(kNotFinite));
            odd != appended_.end()) {
            for (Appended one : odd->second) {
                const auto* word = std::get_if<std::string>(&one.value);
                one.value = word != nullptr ? parse_double(*word).value_or(NAN) : NAN;
                all.push_back(std::move(one));
            }
            std::ranges::stable_sort(all, {}, &Appended::step);
        }
        for (const Appended& point : all) {
            const Step step = step_at(point.step);
            const auto* number = std::get_if<double>(&point.value);
            const auto* whole = std::get_if<std::int64_t>(&point.value);
            if (number != nullptr || whole != nullptr) {
                to_.series[key].add(step, point.time_ns,
                                    number != nullptr ? *number : static_cast<double>(*whole));
            } else if (std::holds_alternative<FileReference>(point.value)) {
                file_value(key, point, step);
            } else if (const auto* text = std::get_if<std::string>(&point.value);
                       text != nullptr && is_console) {
                to_.console.push_back({point.time_ns, path.ends_with("stderr"), 0, *text});
            } else {
                model::GatheredValue value;
                const auto* histogram = std::get_if<Histogram>(&point.value);
                value.kind = histogram != nullptr ? Kind::Histogram : Kind::Text;
                value.step = step;
                value.time_ns = point.time_ns;
                Value made = histogram != nullptr
                                 ? Value(*histogram)
                                 : Value(Text{.text = text != nullptr ? *text : std::string(),
                                              .plain = !is_ours});
                value.make = [made](model::GatheredBlobs&) -> Result<Value> { return made; };
                to_.values[key].push_back(std::move(value));
            }
        }
    }
    // Series whose points are all not finite have no other place.
    for (const auto& [path, points] : appended_) {
        if (path.ends_with(kNotFinite) &&
            !appended_.contains(path.substr(0, path.size() - kNotFinite.size()))) {
            const std::string key = key_of(path.substr(0, path.size() - kNotFinite.size()));
            for (const Appended& point : points) {
                const auto* word = std::get_if<std::string>(&point.value);
                to_.series[key].add(
                    is_ours ? static_cast<Step>(point.step) : steps_.whole(point.step),
                    point.time_ns, word != nullptr ? parse_double(*word).value_or(NAN) : NAN);
            }
        }
    }
    std::ranges::stable_sort(to_.console, {}, &ConsoleLine::time_ns);
}

}  // namespace taffrail::sources::neptune
