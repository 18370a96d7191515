#include "sinks/mlflow/sink.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/mlflow/names.h"
#include "codec/json_writer.h"
#include "io/files.h"
#include "record/cursor.h"
#include "sinks/mlflow/about_run.h"
#include "sinks/mlflow/thumbnail.h"
#include "trackers/value_files.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sinks::mlflow {

using namespace formats::mlflow;

namespace {

constexpr std::size_t kConsolePart = std::size_t{256} << 10;
constexpr std::string_view kOwnId = "taffrail.run_id";

std::string_view status_of(RunState state) {
    switch (state) {
        case RunState::Running:
            return "RUNNING";
        case RunState::Finished:
        case RunState::Idle:
            return "FINISHED";
        case RunState::Aborted:
            return "KILLED";
        default:
            return "FAILED";
    }
}

/// Tried again later, or never.
bool can_pass(const Error& error) {
    return error.code == ErrorCode::Unavailable || error.code == ErrorCode::Timeout ||
           error.code == ErrorCode::Io || error.code == ErrorCode::PermissionDenied;
}

void warn_once(std::string_view cause, const std::string& message) {
    diagnose_once(DiagnosticLevel::Warning, "mlflow " + std::string(cause), message);
}

}  // namespace

MlflowSink::MlflowSink(Options options, std::shared_ptr<io::HttpTransport> transport)
    : given_(std::move(options)),
      transport_(std::move(transport)),
      names_({.refuses = {}, .longest = kLongestName, .escape = escaped}) {}

Result<void> MlflowSink::open(const SinkContext& known) {
    is_silent_ = known.rank != 0;
    if (is_silent_ || is_open_) {
        return {};
    }
    const SinkContext context = wants_all_ranks() ? ranked_.begin(known) : known;
    if (!server_) {
        TAFFRAIL_ASSIGN(options_, completed(given_, context));
        if (!transport_) {
            TAFFRAIL_ASSIGN(transport_, io::make_curl_transport(trust()));
        }
        const std::lock_guard guard(patience_mutex_);
        server_.emplace(transport_, options_.tracking_uri, authorization(), options_.policy,
                        options_.time);
        if (deadline_) {
            server_->client().patience().end_by(*deadline_);
        }
        run_id_ = context.run_id;
        run_folder_ = context.run_folder;
        attempt_ = context.attempt;
        start_ms_ = context.start_time_ns / 1'000'000;
        watched_.emplace(run_folder_,
                         wants_all_ranks() ? std::nullopt : std::optional(context.rank),
                         context.attempt);
        if (!run_folder_.empty()) {
            const std::string place = options_.tracking_uri + "\n" + options_.experiment;
            state_path_ =
                io::join(io::join(run_folder_, "cursors"),
                         "mlflow-" + to_hex(sha256(as_bytes(place))).substr(0, 8) + ".state");
        }
        restore();
    }
    TAFFRAIL_TRY(take_up_run(context));
    TAFFRAIL_TRY(describe(context));
    is_open_ = true;
    return save();
}

Result<void> MlflowSink::take_up_run(const SinkContext& context) {
    std::string wanted = !options_.run_id.empty() ? options_.run_id : known_id_;
    if (!wanted.empty()) {
        auto found = server_->run(wanted);
        if (found.ok() && !found->id.empty()) {
            there_ = *found;
        } else if (!found.ok() && (can_pass(found.error()) || !options_.run_id.empty())) {
            return found.error();
        }
    }
    if (there_.id.empty()) {
        TAFFRAIL_ASSIGN(const std::string experiment, server_->experiment(options_.experiment));
        // A process may have died between making the run and noting it.
        TAFFRAIL_ASSIGN(const auto found, server_->find_run(experiment, kOwnId, run_id_));
        if (found && !found->id.empty()) {
            there_ = *found;
        } else {
            TAFFRAIL_ASSIGN(
                there_, server_->create_run(experiment, options_.run_name, user_name(), start_ms_,
                                            first_tags(options_, context, kOwnId)));
            if (there_.id.empty()) {
                return Error{ErrorCode::Unsupported, "mlflow: the server made no run"};
            }
            artifact_root_.clear();
        }
    }
    if (!(wanted.empty() && attempt_ == 0)) {
        TAFFRAIL_TRY(server_->set_status(there_.id, "RUNNING", {}));
    }
    constexpr std::string_view kProxy = "mlflow-artifacts:/";
    const std::string& uri = there_.artifact_uri;
    if (uri.starts_with(kProxy) && !uri.starts_with("mlflow-artifacts://")) {
        artifact_root_ = uri.substr(kProxy.size());
    } else {
        warn_once("artifacts " + there_.id,
                  "mlflow: the artifacts of this run lie in '" + io::host_of(uri) +
                      "', which is not reached through the server: pictures, files and output stay "
                      "in the native store; start the server with --serve-artifacts");
    }
    return {};
}

Result<void> MlflowSink::describe(const SinkContext& context) {
    TAFFRAIL_TRY(send_tags(later_tags(options_, context)));
    TAFFRAIL_TRY(send_params(context.config));
    Pairs tags;
    for (const MetricDefinition& metric : context.metrics) {
        tags.push_back(tag_of(metric));
    }
    for (const auto& [name, cell] : context.summary) {
        tags.push_back(summary_tag(name, cell));
    }
    return send_tags(tags);
}

void MlflowSink::add_metric(std::string_view name, const Record& record, double value) {
    if (std::isinf(value) && infinite_.emplace(name).second) {
        warn_once("infinite",
                  "mlflow keeps infinities as ±1.8e308; the runs have the tag "
                  "taffrail.infinite with the names of such metrics");
    }
    const std::int64_t time_ms = record.time_ns / 1'000'000;
    last_ms_ = std::max(last_ms_, time_ms);
    metrics_.push_back({name, value, time_ms, record.step});
}

Result<void> MlflowSink::write(std::span<const Record> records, std::size_t& delivered) {
    delivered = 0;
    if (is_silent_) {
        delivered = records.size();
        return {};
    }
    metrics_.clear();
    std::size_t taken = 0;
    for (const Record& record : records) {
        const Record* told = wants_all_ranks() ? ranked_.told(record) : &record;
        if (record.kind == Kind::Scalar) {
            add_metric(names_.name_of(told->key), record, record.scalar);
        } else if (auto done = told != nullptr ? take_value(*told) : Result<void>(); !done.ok()) {
            if (can_pass(done.error())) {
                // What came before it may still arrive.
                TAFFRAIL_TRY(send_metrics());
                delivered = taken;
                return done;
            }
            // One value that cannot be shown must not hold up those behind it.
            warn_once(record.key, done.error().message);
        }
        ++taken;
        if (metrics_.size() >= kMostMetrics) {
            TAFFRAIL_TRY(send_metrics());
            delivered = taken;
        }
    }
    TAFFRAIL_TRY(send_metrics());
    delivered = taken;
    return {};
}

Result<void> MlflowSink::send_metrics() {
    TAFFRAIL_TRY(send_some(metrics_));
    metrics_.clear();
    return tell_infinite();
}

// Said when a name joins the list, not behind every batch.
Result<void> MlflowSink::tell_infinite() {
    if (infinite_.size() == infinite_told_) {
        return {};
    }
    std::string list;
    for (const std::string& name : infinite_) {
        if (list.size() + 1 + name.size() > kLongestTag) {
            break;
        }
        list += (list.empty() ? "" : "\n") + name;
    }
    TAFFRAIL_TRY(send_tags({{"taffrail.infinite", list}}));
    infinite_told_ = infinite_.size();
    return {};
}

Result<void> MlflowSink::send_some(std::span<const Metric> metrics) {
    if (metrics.empty()) {
        return {};
    }
    auto done = server_->log_metrics(there_.id, metrics);
    if (done.ok() || can_pass(done.error()) || done.error().code == ErrorCode::NotFound) {
        return done;
    }
    if (metrics.size() == 1) {
        warn_once(metrics.front().name, done.error().message + " (metric '" +
                                            std::string(metrics.front().name) +
                                            "'; it stays in the native store)");
        return {};
    }
    // The server refuses a whole batch for one of its points.
    TAFFRAIL_TRY(send_some(metrics.first(metrics.size() / 2)));
    return send_some(metrics.subspan(metrics.size() / 2));
}

Result<void> MlflowSink::send_tags(const Pairs& tags) {
    Pairs cut = tags;
    for (auto& [name, value] : cut) {
        value = cut_text(value, kLongestTag);
    }
    for (std::size_t i = 0; i < cut.size(); i += kMostPairs) {
        const auto part = std::span(cut).subspan(i, std::min(kMostPairs, cut.size() - i));
        TAFFRAIL_TRY(server_->log_pairs(there_.id, {}, part));
    }
    return {};
}

Result<void> MlflowSink::send_params(const Hparams& values) {
    Pairs params, changed;
    for (const auto& [key, cell] : values) {
        const std::string text = text_of(cell);
        const std::string& name = names_.name_of(key);
        const auto known = params_.find(name);
        if (known != params_.end() && known->second == text) {
            continue;
        }
        if (text.size() > kLongestParameter) {
            if (auto done = put("params/" + name + ".txt", as_bytes(text), "text/plain");
                !done.ok()) {
                params_.clear();  // those before it were not sent either
                return done;
            }
        }
        (known != params_.end() ? changed : params)
            .emplace_back(name, cut_text(text, kLongestParameter));
        params_[name] = text;
    }
    for (std::size_t i = 0; i < params.size(); i += kMostPairs) {
        const auto part = std::span(params).subspan(i, std::min(kMostPairs, params.size() - i));
        auto done = server_->log_pairs(there_.id, part, {});
        if (done.ok()) {
            continue;
        }
        if (can_pass(done.error())) {
            params_.clear();  // sent again
            return done;
        }
        // Said otherwise by an earlier attempt: parameters are written once there.
        for (const auto& pair : part) {
            done = server_->log_pairs(there_.id, std::span(&pair, 1), {});
            if (!done.ok() && can_pass(done.error())) {
                params_.clear();
                return done;
            }
            if (!done.ok()) {
                changed.push_back(pair);
            }
        }
    }
    for (auto& [name, value] : changed) {
        warn_once("parameter", "mlflow takes a parameter once; the new value of '" + name +
                                   "' is kept as the tag taffrail.params." + name);
        name = "taffrail.params." + name;
    }
    auto told = send_tags(changed);
    if (!told.ok()) {
        params_.clear();
    }
    return told;
}

Result<void> MlflowSink::take_value(const Record& record) {
    const Value& value = *record.value;
    if (const auto* hparams = std::get_if<Hparams>(&value)) {
        return send_params(*hparams);
    }
    if (const auto* metric = std::get_if<MetricDefinition>(&value)) {
        return send_tags({tag_of(*metric)});
    }
    if (const auto* summary = std::get_if<SummaryValues>(&value)) {
        Pairs tags;
        for (const auto& [name, cell] : summary->values) {
            tags.push_back(summary_tag(name, cell));
        }
        return send_tags(tags);
    }
    if (const auto* alert = std::get_if<Alert>(&value)) {
        auto [name, text] = alert_tag(*alert, record.seq);
        return send_tags({{name + trackers::rank_suffix(record.rank), std::move(text)}});
    }
    if (const auto* note = std::get_if<Note>(&value)) {
        return send_tags({{"mlflow.note.content", note->text}});
    }
    if (const auto* tag = std::get_if<Tag>(&value)) {
        const auto [name, text] = pair_of(tag->tag);
        return tag->removed ? server_->delete_tag(there_.id, name) : send_tags({{name, text}});
    }
    if (const auto* image = std::get_if<Image>(&value);
        image != nullptr &&
        (image->format == "png" || image->format == "raw" || image->format == "jpeg")) {
        return take_image(record, *image);
    }
    return take_files(record);
}

Result<void> MlflowSink::take_image(const Record& record, const Image& image) {
    for (std::size_t i = 0; i < image.images.size(); ++i) {
        TAFFRAIL_ASSIGN(const trackers::PictureBytes picture, trackers::picture_of(image, i));
        ImageName name{.key = std::string(record.key),
                       .uuid = uuid_of(run_id_, record, i),
                       .step = record.step,
                       .time_ms = std::max<std::int64_t>(record.time_ns / 1'000'000, 0)};
        if (image.images.size() > 1) {
            name.key += "/" + std::to_string(i);
        }
        TAFFRAIL_ASSIGN(const Bytes whole, whole_png(image, i, picture));
        TAFFRAIL_TRY(put("images/" + image_stem(name) + ".png", whole, "image/png"));
        name.is_thumbnail = true;
        TAFFRAIL_ASSIGN(const Bytes small, thumbnail(picture));
        TAFFRAIL_TRY(put("images/" + image_stem(name) + ".webp", small, "image/webp"));
    }
    if (!has_images_) {
        TAFFRAIL_TRY(send_tags({{"mlflow.loggedImages", "True"}}));
        has_images_ = true;
    }
    return {};
}

std::string MlflowSink::file_path(std::string_view folder, const Record& record) {
    std::string path = std::string(folder) + "/" + names_.name_of(record.key) + "/step_" +
                       std::to_string(record.step);
    if (attempt_ > 0) {
        path += "_attempt_" + std::to_string(attempt_);
    }
    // Logged twice at one step: two files. A record that comes again because something behind it
    // did not arrive has its path already.
    const std::pair whose(record.writer, record.seq);
    std::string free = path;
    for (int number = 2;; ++number) {
        const auto [found, is_new] = used_paths_.emplace(free, whose);
        if (is_new || found->second == whose) {
            return free;
        }
        free = path + "_" + std::to_string(number);
    }
}

Result<void> MlflowSink::take_files(const Record& record) {
    TAFFRAIL_ASSIGN(const auto files, trackers::files_of(record.key, *record.value));
    if (files.empty()) {
        return {};
    }
    if (const auto* artifact = std::get_if<Artifact>(record.value)) {
        const std::string folder = "artifacts/" + escaped(artifact->name) + "/" +
                                   escaped(artifact->version.empty() ? "v0" : artifact->version);
        for (const ValueFile& file : files) {
            TAFFRAIL_TRY(put(folder + "/" + escaped(file.name), file.bytes, file.mime));
        }
        return {};
    }
    const std::string path = file_path(folder_of(record.kind), record);
    for (const ValueFile& file : files) {
        const std::string whole = files.size() == 1 ? path + file.name.substr(file.name.rfind('.'))
                                                    : path + "/" + file.name;
        TAFFRAIL_TRY(put(whole, file.bytes, file.mime));
        if (record.kind == Kind::Table && std::ranges::find(tables_, whole) == tables_.end()) {
            tables_.push_back(whole);
        }
    }
    if (record.kind == Kind::Table) {
        return send_tags({{"mlflow.loggedArtifacts", tables_tag(tables_)}});
    }
    if (const auto* histogram = std::get_if<Histogram>(record.value)) {
        double count = 0;
        for (const double each : histogram->counts) {
            count += each;
        }
        const std::string key(record.key);
        if (count > 0) {
            add_metric(names_.name_of(key + "/_mean"), record, histogram->sum / count);
            add_metric(names_.name_of(key + "/_min"), record, histogram->min);
            add_metric(names_.name_of(key + "/_max"), record, histogram->max);
        }
    }
    return {};
}

Result<void> MlflowSink::put(const std::string& path, ByteSpan bytes, const std::string& mime) {
    return artifact_root_.empty() ? Result<void>()
                                  : server_->put_artifact(artifact_root_ + "/" + path, bytes, mime);
}

Result<void> MlflowSink::watch(bool is_the_end) {
    if (!options_.console && !options_.system_metrics) {
        return {};
    }
    // While the server is away nothing more is gathered.
    TAFFRAIL_TRY(send_some(load_));
    load_.clear();
    auto news = watched_->next(is_the_end);
    if (!news.ok()) {
        warn_once("console",
                  "mlflow: the console and the machine's load stay in the native store: " +
                      news.error().message);
        return {};
    }
    for (const ConsoleLine& line : options_.console ? news->lines : std::vector<ConsoleLine>()) {
        console_ += trackers::line_of_rank(line.text, line.rank) + "\n";
        is_console_new_ = true;
    }
    for (const trackers::LoadReading& reading :
         options_.system_metrics ? news->load : std::vector<trackers::LoadReading>()) {
        for (const auto& [key, value] : reading.values) {
            const Reading named = to_system_name(key);
            // Found by its own name only: a user's key cannot begin with it and be escaped so.
            const std::string name = unescaped(named.name) + trackers::rank_suffix(reading.rank);
            load_.push_back({names_.name_of(name), value * named.factor,
                             reading.time_ns / 1'000'000, system_step_});
        }
        ++system_step_;
    }
    TAFFRAIL_TRY(send_some(load_));
    load_.clear();
    return send_console(is_the_end);
}

Result<void> MlflowSink::send_console(bool is_the_end) {
    if (!is_console_new_ || (console_.size() < kConsolePart && !is_the_end)) {
        return {};
    }
    char number[24];
    std::snprintf(number, sizeof number, "%06lld", static_cast<long long>(console_part_));
    TAFFRAIL_TRY(
        put("console/part_" + std::string(number) + ".txt", as_bytes(console_), "text/plain"));
    is_console_new_ = false;
    ++console_part_;
    console_.clear();
    return {};
}

Result<void> MlflowSink::flush() {
    if (is_silent_) {
        return {};
    }
    TAFFRAIL_TRY(watch(false));
    return save();
}

Result<void> MlflowSink::close(RunState state) {
    if (is_silent_ || !is_open_) {
        return {};
    }
    TAFFRAIL_TRY(watch(state != RunState::Running));
    if (!names_.long_names().empty()) {
        JsonWriter json;
        json.begin_object();
        for (const auto& [key, name] : names_.long_names()) {
            json.member(name, key);
        }
        json.end_object();
        TAFFRAIL_TRY(put("taffrail/names.json", as_bytes(json.text()), "application/json"));
    }
    TAFFRAIL_TRY(save());
    if (state == RunState::Running) {
        return {};
    }
    if (!reason_.empty() && state != RunState::Finished) {
        TAFFRAIL_TRY(send_tags({{"taffrail.reason", reason_}}));
    }
    return server_->set_status(there_.id, status_of(state),
                               std::max(last_ms_, wall_time_ns() / 1'000'000));
}

void MlflowSink::finish_by(std::chrono::steady_clock::time_point deadline) noexcept {
    const std::lock_guard guard(patience_mutex_);
    deadline_ = deadline;
    if (server_) {
        server_->client().patience().end_by(deadline);
    }
}

Result<void> MlflowSink::save() {
    if (state_path_.empty()) {
        return {};
    }
    // The output in hand is sent at the end: a process that dies before has it read again.
    if (console_.empty() && load_.empty()) {
        saved_watch_ = "system " + std::to_string(system_step_) + "\n" + watched_->save();
    }
    std::string infinite;
    for (const std::string& name : infinite_) {
        infinite += "infinite " + name + "\n";
    }
    const std::string text = "run " + run_id_ + "\nid " + there_.id + "\nconsole " +
                             std::to_string(console_part_) + "\n" + infinite + saved_watch_;
    TAFFRAIL_TRY(io::make_directories(io::parent(state_path_)));
    return io::write_file_atomically(state_path_, as_bytes(text), false);
}

void MlflowSink::restore() {
    const auto text = state_path_.empty() ? Result<std::string>(std::string())
                                          : record::read_kept_text(state_path_);
    if (!text.ok() || !text->starts_with("run " + run_id_ + "\n")) {
        return;
    }
    for (const std::string_view line : split(*text, '\n')) {
        if (line.starts_with("id ")) {
            known_id_ = line.substr(3);
        } else if (line.starts_with("console ")) {
            console_part_ = parse_int(line.substr(8)).value_or(0);
        } else if (line.starts_with("infinite ")) {
            infinite_.emplace(line.substr(9));  // told once more: it may be noted and not yet told
        } else if (line.starts_with("system ")) {
            system_step_ = parse_int(line.substr(7)).value_or(0);
        } else {
            static_cast<void>(watched_->restore(line));
        }
    }
    saved_watch_ = "system " + std::to_string(system_step_) + "\n" + watched_->save();
}

Result<std::unique_ptr<Sink>> make(const OptionMap& given) {
    TAFFRAIL_ASSIGN(Options parsed, schema().parse(given));
    // Said before a run begins: a program that asked for it learns at once what is missing.
    TAFFRAIL_TRY(io::curl_available());
    if (!parsed.tracking_uri.empty()) {
        // An address that is none is said where it was given.
        TAFFRAIL_TRY(completed(parsed, {}));
    }
    return std::unique_ptr<Sink>(std::make_unique<MlflowSink>(std::move(parsed)));
}

}  // namespace taffrail::sinks::mlflow
