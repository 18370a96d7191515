#include "sinks/wandb/sink.h"

#include <taffrail/version.h>

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/wandb/system_names.h"
#include "codec/json_writer.h"
#include "codec/value_files.h"
#include "io/files.h"
#include "io/inside.h"
#include "record/identity.h"
#include "sinks/wandb/names.h"
#include "sinks/wandb/tables.h"

#include <algorithm>

namespace taffrail::sinks::wandb {

using namespace formats::wandb;

namespace {

constexpr std::size_t kPendingBytes = std::size_t{4} << 20;

std::string_view level_of(AlertLevel level) {
    return level == AlertLevel::Error ? "ERROR" : level == AlertLevel::Warning ? "WARN" : "INFO";
}

/// The official program ends with 255 where a signal stopped it.
std::int64_t exit_code_of(RunState state) {
    return state == RunState::Finished || state == RunState::Idle ? 0
           : state == RunState::Aborted                           ? 255
                                                                  : 1;
}

/// Whether this sink would have made `file`. The state comes out of a run folder, which may be
/// anybody's: it must not name another file to cut and write.
bool is_own_file(const std::string& file, const Options& options) {
    const std::string folder = io::parent(file);
    const std::string parent = io::join(options.log_dir, "wandb");
    const std::string name =
        folder.size() > parent.size() ? folder.substr(parent.size() + 1) : std::string();
    return io::is_plain_name(name) &&
           (name.starts_with("offline-run-") || name.starts_with("run-")) &&
           folder == io::join(parent, name) &&
           file == io::join(folder, "run-" + options.id + ".wandb") && !io::is_link(folder) &&
           !io::is_link(file) && io::exists(file);
}

std::vector<Item> items_of(const Hparams& values) {
    std::vector<Item> items;
    for (const auto& [name, cell] : values) {
        items.push_back({{metric_name(name)}, json_of(cell)});
    }
    return items;
}

}  // namespace

Result<void> WandbSink::open(const SinkContext& known) {
    is_silent_ = known.rank != 0;
    if (is_silent_ || is_open_) {
        return {};
    }
    const bool all_ranks = wants_all_ranks();
    const SinkContext context = all_ranks ? ranked_.begin(known) : known;
    TAFFRAIL_ASSIGN(options_, completed(given_, context));
    is_silent_ = options_.mode == "disabled";
    if (is_silent_) {
        return {};
    }
    attempt_ = context.attempt;
    start_time_ns_ = context.start_time_ns != 0 ? context.start_time_ns : options_.now_ns();
    run_id_ = context.run_id;
    state_path_ = state_path(context.run_folder, options_.log_dir);
    history_.emplace(start_time_ns_, all_ranks && context.world_size > 1 ? History::Ranks::All
                                                                         : History::Ranks::Zero);
    watched_.emplace(context.run_folder, all_ranks ? std::nullopt : std::optional(context.rank),
                     context.attempt);
    run_ = {.run_id = options_.id,
            .entity = options_.entity,
            .project = options_.project,
            .group = options_.group,
            .job_type = options_.job_type,
            .display_name = options_.name,
            .notes = options_.notes,
            .host = record::host_name(),
            .version = version(),
            .tags = options_.tags};
    const auto state = read_state(state_path_, run_id_);
    if (state) {
        history_->restore(*state);
        for (const std::string& line : state->lines) {
            static_cast<void>(delivered_.restore(line) || watched_->restore(line));
        }
    }
    // What was uploaded is not touched any more; what a later attempt says goes into its own file.
    const bool goes_on = state && state->attempt == attempt_ &&
                         is_own_file(state->file, options_) && !io::exists(state->file + ".synced");
    TAFFRAIL_TRY(goes_on ? go_on(context, *state) : begin(context, state.has_value()));
    if (options_.mode == "online") {
        TAFFRAIL_TRY(start_uploader(run_.resume, goes_on ? state : std::nullopt));
    }
    is_open_ = true;
    return save();
}

Result<void> WandbSink::start_uploader(bool is_resumed, const std::optional<State>& state) {
    std::shared_ptr<io::HttpTransport> transport = options_.transport;
    if (!transport) {
        TAFFRAIL_ASSIGN(transport, io::make_curl_transport({}));
    }
    const std::string base = find_base();
    auto server = std::make_unique<GraphqlServer>(std::move(transport), base, find_key(base),
                                                  options_.policy, options_.time);
    const std::lock_guard guard(patience_mutex_);
    if (deadline_) {
        server->client().patience().end_by(*deadline_);
    }
    uploader_ = std::make_unique<Uploader>(std::move(server), folder_, file_->path());
    bool is_known = false;
    for (const std::string& line : state ? state->lines : std::vector<std::string>()) {
        is_known = uploader_->restore(line) || is_known;
    }
    if (is_resumed && !is_known) {
        uploader_->continue_run();
    }
    return {};
}

Result<void> WandbSink::upload(bool is_the_end) {
    if (!uploader_) {
        return {};
    }
    Result<void> sent = uploader_->send(file_->length(), is_the_end);
    // How far it came counts, whether it came to the end or not.
    if (auto saved = save_state(); !saved.ok()) {
        return saved;
    }
    return sent;
}

void WandbSink::finish_by(std::chrono::steady_clock::time_point deadline) noexcept {
    const std::lock_guard guard(patience_mutex_);
    deadline_ = deadline;
    if (uploader_) {
        uploader_->server().client().patience().end_by(deadline);
    }
}

Result<void> WandbSink::begin(const SinkContext& context, bool is_resumed) {
    run_.start_time_ns = is_resumed ? options_.now_ns() : start_time_ns_;
    run_.resume = is_resumed || attempt_ > 0;
    const std::string parent = io::join(options_.log_dir, "wandb");
    const std::string name =
        folder_name(run_.start_time_ns, options_.id, options_.mode == "online");
    folder_ = io::join(parent, name);
    for (int number = 1; io::exists(folder_); ++number) {
        folder_ = io::join(parent, name + "-" + std::to_string(number));
    }
    TAFFRAIL_TRY(io::make_directories(io::join(folder_, "files")));
    TAFFRAIL_TRY(io::make_directories(io::join(folder_, "logs")));
    TAFFRAIL_ASSIGN(file_, RunFile::create(io::join(folder_, "run-" + options_.id + ".wandb")));
    media_.emplace(io::join(folder_, "files"));
    file_->add(encode_header(file_->next_number(), std::string("taffrail-") + version()));
    run_.config = config_.take(context.config);
    file_->add(encode_run(file_->next_number(), run_));
    run_.config.clear();
    file_->add(encode_environment(file_->next_number(), "Linux", "taffrail", run_.host,
                                  run_.start_time_ns));
    for (const MetricDefinition& metric : context.metrics) {
        history_->define(metric, *file_);
    }
    if (!context.summary.empty()) {
        file_->add(encode_summary(file_->next_number(), items_of(context.summary)));
    }
    return {};
}

Result<void> WandbSink::go_on(const SinkContext& context, const State& state) {
    folder_ = io::parent(state.file);
    run_.start_time_ns = start_time_ns_;
    TAFFRAIL_ASSIGN(file_, RunFile::reopen(state.file, state.length, state.records));
    media_.emplace(io::join(folder_, "files"));
    // Once more: what was defined is known to this process only by being told.
    if (const std::vector<Item> config = config_.take(context.config); !config.empty()) {
        file_->add(encode_config(file_->next_number(), config));
    }
    for (const MetricDefinition& metric : context.metrics) {
        history_->define(metric, *file_);
    }
    return {};
}

Result<void> WandbSink::write(std::span<const Record> records, std::size_t& delivered) {
    delivered = 0;
    for (const Record& record : records) {
        if (!is_silent_ && !delivered_.seen_before(record)) {
            if (const Record* told = wants_all_ranks() ? ranked_.told(record) : &record) {
                TAFFRAIL_TRY(take(*told));
            }
            delivered_.note(record);
        }
        ++delivered;
        // Behind the count: what is in hand has arrived, and must not be handed over again.
        if (!is_silent_ && file_->pending_bytes() > kPendingBytes) {
            TAFFRAIL_TRY(file_->write_out());
        }
    }
    return {};
}

Result<void> WandbSink::take(const Record& record) {
    if (record.kind == Kind::Scalar) {
        history_->scalar(record.key, record.step, record.time_ns, record.scalar, *file_);
        return {};
    }
    const Value& value = *record.value;
    if (const auto* hparams = std::get_if<Hparams>(&value)) {
        file_->add(encode_config(file_->next_number(), config_.take(*hparams)));
    } else if (const auto* metric = std::get_if<MetricDefinition>(&value)) {
        history_->define(*metric, *file_);
    } else if (const auto* summary = std::get_if<SummaryValues>(&value)) {
        file_->add(encode_summary(file_->next_number(), items_of(summary->values)));
    } else if (const auto* alert = std::get_if<Alert>(&value)) {
        file_->add(
            encode_alert(file_->next_number(), alert->title, alert->text, level_of(alert->level)));
    } else if (const auto* note = std::get_if<Note>(&value)) {
        run_.notes = note->text;
        file_->add(encode_run(file_->next_number(), run_));
    } else if (const auto* tag = std::get_if<Tag>(&value)) {
        std::erase(run_.tags, tag->tag);
        if (!tag->removed) {
            run_.tags.push_back(tag->tag);
        }
        file_->add(encode_run(file_->next_number(), run_));
    } else if (const auto* artifact = std::get_if<Artifact>(&value)) {
        return add_artifact(*artifact);
    } else {
        return take_value(record);
    }
    return {};
}

Result<void> WandbSink::take_value(const Record& record) {
    const Value& value = *record.value;
    const auto fails = [&](const Error& error) -> Result<void> {
        if (error.code == ErrorCode::Io || error.code == ErrorCode::NoSpace ||
            error.code == ErrorCode::PermissionDenied) {
            return error;  // tried again
        }
        // One value that cannot be shown must not hold up those behind it.
        diagnose_once(DiagnosticLevel::Warning, "wandb " + std::string(record.key),
                      "wandb: " + error.message);
        return {};
    };
    const auto* table = std::get_if<Table>(&value);
    const auto* curve = std::get_if<PrCurve>(&value);
    if (table != nullptr || curve != nullptr) {
        const Table shown = table != nullptr ? *table : table_of(*curve);
        const std::string json = table_document(shown);
        const auto file =
            media_->store("table", record.key, record.step, "table.json", as_bytes(json));
        if (!file.ok()) {
            return fails(file.error());
        }
        add_files();
        const Artifact artifact = table_artifact(options_.id, record.key, json);
        std::string client_id;
        TAFFRAIL_TRY(add_artifact(artifact, &client_id));
        JsonWriter told;
        told.begin_object().member("_type", "table-file").member("sha256", file->sha256);
        told.member("size", file->size).member("path", file->path);
        told.member("ncols", shown.columns.size()).member("nrows", shown.rows.size());
        told.member("log_mode", "IMMUTABLE");
        told.member("artifact_path",
                    "wandb-client-artifact://" + client_id + "/" + artifact.files.front().path);
        told.end_object();
        history_->value(record.key, record.step, record.time_ns, told.text(), *file_);
        return {};
    }
    const auto json = media_->json_of(record.key, record.step, value);
    if (!json.ok()) {
        return fails(json.error());
    }
    add_files();
    if (*json) {
        history_->value(record.key, record.step, record.time_ns, **json, *file_);
        return {};
    }
    const auto artifact = artifact_of(record.key, record.step, value);
    if (!artifact.ok()) {
        return fails(artifact.error());
    }
    return *artifact ? add_artifact(**artifact) : Result<void>();
}

Result<void> WandbSink::add_artifact(const Artifact& artifact, std::string* client_id) {
    TAFFRAIL_ASSIGN(const ArtifactDescription described,
                    store_artifact(artifact, {io::join(folder_, "artifacts"), options_.id,
                                              options_.project, options_.entity}));
    file_->add(encode_artifact(file_->next_number(), described));
    if (client_id != nullptr) {
        *client_id = described.client_id;
    }
    return {};
}

void WandbSink::add_files() {
    for (const std::string& path : media_->take_written()) {
        file_->add(encode_file(file_->next_number(), path));
    }
}

Result<void> WandbSink::watch(bool is_the_end) {
    if (!options_.console && !options_.system_metrics) {
        return {};
    }
    auto news = watched_->next(is_the_end);
    if (!news.ok()) {
        // The data goes on without them.
        diagnose_once(DiagnosticLevel::Warning, "wandb console",
                      "wandb: the console and the machine's load stay in the native store: " +
                          news.error().message);
        return {};
    }
    for (const ConsoleLine& line : options_.console ? news->lines : std::vector<ConsoleLine>()) {
        file_->add(encode_output(file_->next_number(), line.time_ns, line.is_error,
                                 trackers::line_of_rank(line.text, line.rank) + "\n"));
    }
    for (trackers::LoadReading& reading :
         options_.system_metrics ? news->load : std::vector<trackers::LoadReading>()) {
        for (auto& [key, value] : reading.values) {
            SystemMetric metric = to_wandb(key);
            key = std::move(metric.name);
            value *= metric.factor;
            if (reading.rank > 0) {
                key += "/l:rank_" + std::to_string(reading.rank);  // as other machines of a run do
            }
        }
        file_->add(encode_stats(file_->next_number(), reading.time_ns, reading.values));
    }
    return {};
}

Result<void> WandbSink::save() {
    TAFFRAIL_TRY(file_->write_out());
    State state{.run_id = run_id_,
                .file = file_->path(),
                .length = file_->length(),
                .records = file_->records(),
                .attempt = attempt_};
    history_->save(state);
    state.lines = {delivered_.save(), watched_->save()};
    noted_ = std::move(state);
    return save_state();
}

Result<void> WandbSink::save_state() {
    State state = noted_;
    if (uploader_) {
        state.lines.push_back(uploader_->save());
    }
    if (!state_path_.empty()) {
        TAFFRAIL_TRY(io::make_directories(io::parent(state_path_)));
    }
    return write_state(state_path_, state);
}

Result<void> WandbSink::flush() {
    if (is_silent_) {
        return {};
    }
    TAFFRAIL_TRY(watch(false));
    history_->write_summary(*file_);
    TAFFRAIL_TRY(save());
    return upload(false);
}

Result<void> WandbSink::close(RunState state) {
    if (is_silent_ || !is_open_) {
        return {};
    }
    history_->end_row(*file_);
    TAFFRAIL_TRY(watch(state != RunState::Running));
    history_->write_summary(*file_);
    TAFFRAIL_TRY(save());
    if (state == RunState::Running) {
        return upload(false);
    }
    // Behind what is noted: who comes again with more cuts the end off and goes on.
    const std::int64_t end_ns = std::max(history_->last_time_ns(), start_time_ns_);
    const std::int64_t seconds = (end_ns - start_time_ns_) / 1'000'000'000;
    if (!reason_.empty() && state != RunState::Finished) {
        file_->add(encode_output(file_->next_number(), options_.now_ns(), true, reason_ + "\n"));
    }
    const std::vector<Item> runtime = {{{"_wandb", "runtime"}, std::to_string(seconds)},
                                       {{"_runtime"}, std::to_string(seconds)}};
    file_->add(encode_summary(file_->next_number(), runtime));
    file_->add(encode_exit(file_->next_number(), exit_code_of(state), seconds));
    TAFFRAIL_TRY(file_->write_out());
    return upload(true);
}

Result<std::unique_ptr<Sink>> make(const OptionMap& given) {
    TAFFRAIL_ASSIGN(Options parsed, parse_options(given));
    // Said before a run begins: a program that goes online learns at once what is missing.
    if (mode_of(parsed) == "online") {
        TAFFRAIL_TRY(io::curl_available());
    }
    return std::unique_ptr<Sink>(std::make_unique<WandbSink>(std::move(parsed)));
}

}  // namespace taffrail::sinks::wandb
