#include "run/run_core.h"

#include <taffrail/version.h>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "base/try.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "io/private_folder.h"
#include "record/cursor.h"
#include "record/orphan.h"
#include "run/earlier_steps.h"
#include "run/forked_logs.h"
#include "run/peer_logs.h"
#include "run/sink_context.h"
#include "run/watch.h"
#include "store/layout.h"
#include "store/open_log.h"
#include "store/seal_portions.h"
#include "system/secrets.h"
#include "transfer/adopt.h"
#include "transfer/redelivery.h"
#include "transfer/sink_context.h"
#include "transfer/spooled_value.h"
#include "zones/attach.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace taffrail::detail {

using run::RunPlace;
using run::Settings;

Result<std::shared_ptr<RunCore>> RunCore::open(Settings settings, std::uint32_t number) {
    if (settings.options.store == Store::Off) {
        // Sinks read the log, so there is one; it lives outside the store, in a folder that only
        // this process knows of, and goes with the run.
        TAFFRAIL_ASSIGN(settings.options.root, io::make_temporary_folder("taffrail-unstored-"));
    }
    TAFFRAIL_ASSIGN(RunPlace place, run::place_run(settings, number));
    if (place.joined) {
        TAFFRAIL_TRY(store::check_writable(place.folder));
        if (auto adopted = transfer::adopt_orphans(place.folder, place.id); !adopted.ok()) {
            diagnose(DiagnosticLevel::Warning,
                     "records of an earlier process could not be recovered now and are kept: " +
                         adopted.error().message);
        }
    }
    std::shared_ptr<RunCore> core(new RunCore(std::move(settings), std::move(place)));
    if (auto started = core->start(); !started.ok()) {
        // A folder that was made a moment ago and holds nothing would be listed as a run.
        if (core->settings_.options.store == Store::Off) {
            (void)io::remove_tree(core->settings_.options.root);
        } else if (!core->place_.joined && store::list_writers(core->place_.folder).empty()) {
            (void)io::remove_tree(core->place_.folder);
        }
        return started.error();
    }
    return core;
}

RunCore::RunCore(Settings settings, RunPlace place)
    : settings_(std::move(settings)),
      place_(std::move(place)),
      opened_by_(static_cast<std::uint64_t>(getpid())) {}

RunCore::~RunCore() {
    (void)finish(RunState::Finished);
    if (recorder_ != nullptr) {
        recorder_->release();
    }
}

Result<record::SessionParts> RunCore::make_session(bool forked) {
    record::SessionParts parts;
    parts.identity = record::make_identity(place_.id);
    TAFFRAIL_ASSIGN(parts.ring_folder, record::choose_ring_folder(place_.folder, place_.id));
    tlog::FileIdentity file;
    file.run_id = place_.id;
    file.writer = parts.identity.writer;
    file.attempt = place_.attempt;
    file.rank = settings_.options.rank.value_or(0);
    file.world_size = settings_.options.world_size.value_or(1);
    file.start_time_ns = wall_time_ns();
    if (place_.attempt > 0 && settings_.options.resume_step) {
        file.resume_step = *settings_.options.resume_step;
    }
    file.host = parts.identity.host;
    file.process_id = parts.identity.process_id;
    file.process_start = parts.identity.process_start;
    file.boot_id = parts.identity.boot_id;
    file.software = std::string("taffrail ") + version();
    file.forked_from = forked ? opened_as_ : 0;
    store::LogOptions log;
    log.roll_bytes = settings_.options.roll_bytes;
    log.durability = settings_.options.durability;
    log.spool = settings_.options.spool;
    log.unsynced_bytes = 2u << 20;  // most of a writer's memory; the disk takes that much in one go
    TAFFRAIL_ASSIGN(parts.log, store::open_log(place_.folder, file, log));
    parts.encode = transfer::encode_spooled;
    if (place_.joined && place_.attempt > 0) {
        parts.first_step = run::EarlierSteps(place_.folder);
    }
    if (forked) {
        run::hand_to_sinks_of(opened_as_, file.writer, place_.folder);
    } else {
        opened_as_ = file.writer;
        if (settings_.options.store == Store::On) {
            zones::attach_run(place_.folder, file.writer);
        }
        if (settings_.options.store == Store::On && settings_.options.seal_on_finish) {
            rolling_seal_ = std::make_unique<run::RollingSeal>(
                place_.folder, place_.id, file.writer, settings_.options.roll_bytes);
        }
        parts.appended = [this, log = parts.log.get()] {
            poke_sinks();
            if (rolling_seal_) {
                rolling_seal_->note_bytes(log->bytes_written());
            }
        };
    }
    return parts;
}

Result<void> RunCore::start() {
    const RunOptions& options = settings_.options;
    record::RecorderOptions recording;
    recording.overflow = options.overflow;
    recording.overflow_wait = options.overflow_wait;
    recording.flush_interval = options.flush_interval;
    recording.ring_budget_bytes = options.ring_budget_bytes;
    recording.ring_bytes = options.ring_bytes;
    recording.durability = options.durability;
    recorder_ = &record::Recorder::create(recording, [this] { return make_session(true); });
    TAFFRAIL_ASSIGN(record::SessionParts parts, make_session(false));
    TAFFRAIL_TRY(recorder_->start(std::move(parts)));
    describe();
    watch_ = std::make_unique<run::Watch>(*recorder_, settings_, place_.folder);
    watch_ranks();
    return {};
}

void RunCore::watch_ranks() {
    const RunOptions& options = settings_.options;
    if (options.world_size.value_or(1) < 2 || options.store == Store::Off) {
        return;
    }
    // Many ranks, or a server between them and the folder: each look costs others something.
    constexpr std::chrono::milliseconds kSoonest(200), kLatest(5000), kOverNetwork(2000);
    const auto interval =
        std::clamp(std::chrono::milliseconds(10 * *options.world_size),
                   io::is_local(place_.folder) ? kSoonest : kOverNetwork, kLatest);
    try {
        peer_watch_ = std::make_unique<run::PeerWatch>(
            run::PeerWatchOptions{.run_folder = place_.folder,
                                  .rank = options.rank.value_or(0),
                                  .attempt = place_.attempt,
                                  .interval = interval},
            [this](std::int32_t, const std::string& how) { rank_gone(how); });
    } catch (const std::system_error& error) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("the other ranks are not watched: ") + error.what());
    }
}

void RunCore::rank_gone(const std::string& how) {
    diagnose(DiagnosticLevel::Error, how + "; what it logged is kept");
    // Written now: the launcher may be about to end this process too.
    give_reason(how);
    const std::lock_guard guard(ranks_mutex_);
    gone_ranks_.push_back(how);
    for (const auto& [number, listener] : rank_listeners_) {
        listener(how);
    }
}

std::uint64_t RunCore::on_rank_gone(std::function<void(const std::string&)> listener) {
    const std::lock_guard guard(ranks_mutex_);
    for (const std::string& how : gone_ranks_) {
        listener(how);
    }
    rank_listeners_.emplace(next_listener_, std::move(listener));
    return next_listener_++;
}

void RunCore::forget_listener(std::uint64_t number) noexcept {
    const std::lock_guard guard(ranks_mutex_);
    rank_listeners_.erase(number);
}

void RunCore::give_reason(std::string_view reason) noexcept {
    try {
        const std::lock_guard guard(reason_mutex_);
        if (!reason_.empty()) {
            return;
        }
        reason_ = reason;
        log_meta(tlog::MetaType::State, tlog::encode_state(RunState::Running, reason_));
    } catch (const std::exception& error) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("why the run ended is not recorded: ") + error.what());
    }
}

namespace {

// Finished < aborted < failed; the other states are no ends that a program chooses.
int badness(RunState state) noexcept {
    return state == RunState::Failed ? 2 : state == RunState::Aborted ? 1 : 0;
}

}  // namespace

const RunCore::Outcome* RunCore::worst_outcome() const noexcept {
    const auto worst = std::ranges::max_element(
        outcomes_, {}, [](const Outcome& one) { return badness(one.state); });
    return worst != outcomes_.end() && badness(worst->state) > 0 ? &*worst : nullptr;
}

std::string RunCore::reason() const {
    const Outcome* worst = worst_outcome();
    return !reason_.empty() ? reason_ : worst != nullptr ? worst->why : std::string();
}

void RunCore::note_outcome(std::string_view part, RunState state, std::string_view why) noexcept {
    try {
        const std::lock_guard guard(reason_mutex_);
        const std::string before = reason();
        std::erase_if(outcomes_, [&](const Outcome& known) { return known.part == part; });
        if (badness(state) > 0) {
            outcomes_.push_back({std::string(part), state, std::string(why)});
        }
        // Written now: the process may not come to finish().
        if (const std::string now = reason(); now != before) {
            log_meta(tlog::MetaType::State, tlog::encode_state(RunState::Running, now));
        }
    } catch (const std::exception& error) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("how the run ends is not recorded: ") + error.what());
    }
}

void RunCore::describe() {
    const RunOptions& options = settings_.options;
    // One rank speaks for the run; a resumed run keeps what it was called unless told otherwise.
    if (options.rank.value_or(0) != 0) {
        return;
    }
    const auto text = [&](tlog::MetaType type, std::string_view value) {
        if (!value.empty()) {
            log_meta(type, as_bytes(value));
        }
    };
    if (!place_.joined || !options.name.empty()) {
        text(tlog::MetaType::Name, place_.name);
    }
    text(tlog::MetaType::Project, options.project);
    text(tlog::MetaType::Group, options.group);
    text(tlog::MetaType::JobType, options.job_type);
    text(tlog::MetaType::Notes, options.notes);
    for (const std::string& tag : options.tags) {
        text(tlog::MetaType::TagAdded, tag);
    }
    log_meta(tlog::MetaType::State, tlog::encode_state(RunState::Running, ""));
}

void RunCore::log_meta(tlog::MetaType type, ByteSpan payload) noexcept {
    recorder_->log_bytes(record::BytesKind::Meta, static_cast<std::uint32_t>(type), 0,
                         {&payload, 1});
}

void RunCore::log_value(std::string_view key, Result<Value> value, Step step,
                        Routing routing) noexcept {
    try {
        if (!value.ok()) {
            recorder_->count_error(
                "value." + std::string(key),
                "'" + std::string(key) + "' is not recorded: " + value.error().message);
            return;
        }
        if (recorder_->closed()) {
            recorder_->count_error("record.closed", "a record logged after finish() is not taken");
            return;
        }
        const Kind kind = kind_of(*value);
        // Before anything reaches the run folder, the ring in it included.
        if (auto* hparams = std::get_if<Hparams>(&*value)) {
            system::scrub_cells(*hparams);
        } else if (auto* artifact = std::get_if<Artifact>(&*value)) {
            system::scrub_cells(artifact->metadata);
        }
        if (kind == Kind::Scalar) {
            const double number = std::get<double>(*value);
            if (auto* row = recorder_->keys().row({&key, 1})) {
                recorder_->log(*row, step, &number, routing);
            }
            return;
        }
        const std::uint32_t id = recorder_->keys().key(key, kind);
        if (id == 0) {
            recorder_->count_error("record.key", "a key longer than 64 KiB is not recorded");
            return;
        }
        transfer::SpoolParts spool = transfer::to_spool(*value);
        if (!spool.has_blobs) {
            const Bytes description = encode_value(*value);
            if (description.size() <= record::kMaxInlineBytes) {
                const ByteSpan part = description;
                recorder_->log_bytes(record::BytesKind::Value, id, step, {&part, 1}, routing);
                return;
            }
        }
        spool.parts[0] = spool.head;
        recorder_->log_bytes(record::BytesKind::Value, id, step, spool.parts, routing, true);
    } catch (const std::exception& error) {
        recorder_->count_error("value.memory",
                               std::string("a value is not recorded: ") + error.what());
    }
}

void RunCore::add_note(std::string_view text) noexcept {
    try {
        const std::lock_guard guard(notes_mutex_);
        if (!notes_) {
            // The notes are one text, and the newest one counts: start from what is there.
            notes_ = settings_.options.notes;
            if (place_.joined && notes_->empty()) {
                notes_ = run::earlier_notes(place_.folder);
            }
        }
        *notes_ += (notes_->empty() ? "" : "\n") + std::string(text);
        log_meta(tlog::MetaType::Notes, as_bytes(*notes_));
    } catch (const std::exception& error) {
        recorder_->count_error("record.note",
                               std::string("a note is not recorded: ") + error.what());
    }
}

std::string RunCore::next_version(std::string_view artifact) {
    const std::lock_guard guard(artifacts_mutex_);
    auto found = artifact_versions_.find(artifact);
    if (found == artifact_versions_.end()) {
        std::uint32_t first = 0;
        if (place_.joined) {
            first = run::next_artifact_version(place_.folder, artifact);
        }
        found = artifact_versions_.emplace(std::string(artifact), first).first;
    }
    return "v" + std::to_string(found->second++);
}

void RunCore::poke_sinks() noexcept {
    const std::lock_guard guard(sinks_mutex_);
    for (const auto& sink : sinks_) {
        sink->poke();
    }
}

Result<RouteMask> RunCore::add_sink(std::unique_ptr<Sink> sink, std::string_view name,
                                    const std::string& type, const OptionMap& options) {
    const auto session = recorder_->session();
    if (!session || static_cast<std::uint64_t>(getpid()) != opened_by_) {
        return Error{
            ErrorCode::Closed,
            "cannot add the sink '" + std::string(name) +
                "': the run is finished, or this is a forked child of the process that opened it"};
    }
    const std::lock_guard guard(add_sink_mutex_);
    if (sink_names_.size() >= 16) {
        return Error{ErrorCode::InvalidArgument, "a run takes at most 16 sinks"};
    }
    const std::int32_t rank = settings_.options.rank.value_or(0);
    const bool gathers = sink->wants_all_ranks();
    if (gathers && settings_.options.store == Store::Off &&
        settings_.options.world_size.value_or(1) > 1) {
        return Error{ErrorCode::InvalidArgument,
                     "the sink '" + std::string(name) +
                         "' takes the records of all ranks from the run folder, and the native "
                         "store is off: turn it on, or take ranks=zero"};
    }
    transfer::NotedSink noted;
    noted.name = name;
    for (int number = 2; std::ranges::find(sink_names_, noted.name) != sink_names_.end();
         ++number) {
        noted.name = std::string(name) + '-' + std::to_string(number);
    }
    noted.type = type;
    noted.mask = static_cast<RouteMask>(1u << sink_names_.size());
    noted.options = options;
    const std::uint64_t writer = session->identity().writer;
    if (place_.attempt > 0) {  // the folder may have been anybody's
        TAFFRAIL_TRY(transfer::check_usual_place(place_.folder, type));
    }
    TAFFRAIL_TRY(transfer::note_sink(place_.folder, noted));
    // Later records only: the sink starts behind what is in the log now.
    TAFFRAIL_TRY(session->flush(false, std::chrono::seconds(30)));
    TAFFRAIL_ASSIGN(auto log,
                    store::open_log_reader(place_.folder, writer, settings_.options.spool));
    TAFFRAIL_ASSIGN(const record::LogPosition start, record::end_of(*log));
    record::DeliveryOptions delivery;
    delivery.sink_name = noted.name;
    delivery.mask = noted.mask;
    delivery.cursor_path = record::cursor_path(place_.folder, noted.name, writer);
    if (gathers && rank != 0) {
        TAFFRAIL_TRY(run::leave_to_rank_zero(delivery.cursor_path, start));
        sink_names_.push_back(noted.name);
        return noted.mask;
    }
    // Looked at after `start` was: what is said in between is told twice rather than never.
    delivery.context = run::describe_to_sinks(place_, settings_);
    if (gathers) {
        transfer::keep_to_rank_zero(delivery.context);
    }
    TAFFRAIL_TRY(record::write_cursor(delivery.cursor_path, start));
    std::vector<record::Backlog> backlogs;
    if (place_.joined) {
        TAFFRAIL_ASSIGN(backlogs,
                        transfer::find_backlogs(
                            place_.folder, place_.id, noted.name, writer,
                            gathers ? std::nullopt : std::optional(rank),
                            gathers ? transfer::Ranks::IntoRankZero : transfer::Ranks::Each));
    }
    std::shared_ptr<run::PeerLogs> peers;
    record::OthersGoOn others_go_on;
    if (gathers) {
        peers = std::make_shared<run::PeerLogs>(place_.folder, noted.name, place_.attempt);
        std::erase_if(backlogs, [&](const record::Backlog& one) { return peers->has(one); });
        others_go_on = [peers] { return peers->any_goes_on(); };
    }
    auto runner = std::make_unique<record::SinkRunner>(
        std::move(sink), std::move(log), std::move(delivery), start, std::move(backlogs),
        logs_of_others(noted.name, std::move(peers)), std::move(others_go_on));
    sink_names_.push_back(noted.name);
    const std::lock_guard list_guard(sinks_mutex_);
    sinks_.push_back(std::move(runner));
    return noted.mask;
}

record::NewLogs RunCore::logs_of_others(const std::string& sink,
                                        std::shared_ptr<run::PeerLogs> peers) const {
    auto forked =
        std::make_shared<run::ForkedLogs>(place_.folder, settings_.options.spool, sink, opened_as_);
    if (recorder_->has_forked()) {
        forked->begin();
    }
    return [forked = std::move(forked), peers = std::move(peers), recorder = recorder_] {
        auto logs = recorder->has_forked() ? forked->take() : std::vector<record::Backlog>();
        for (record::Backlog& log : peers ? peers->take() : std::vector<record::Backlog>()) {
            logs.push_back(std::move(log));
        }
        return logs;
    };
}

Result<void> RunCore::flush(bool durable) noexcept {
    return recorder_->flush(durable, settings_.options.finish_timeout);
}

Result<void> RunCore::finish_sinks(RunState state) {
    std::vector<std::unique_ptr<record::SinkRunner>> sinks;
    {
        const std::lock_guard guard(sinks_mutex_);
        sinks = std::move(sinks_);
    }
    // All of them work at the same time; the slowest one decides.
    const auto deadline = std::chrono::steady_clock::now() + settings_.options.finish_timeout;
    std::string why;
    {
        const std::lock_guard guard(reason_mutex_);
        why = reason();
    }
    for (const auto& sink : sinks) {
        sink->ask_to_finish(state, deadline, why);
    }
    Result<void> first;
    for (const auto& sink : sinks) {
        if (auto finished = sink->finish(state, deadline); !finished.ok()) {
            diagnose(DiagnosticLevel::Warning, finished.error().message);
            if (first.ok()) {
                first = finished;
            }
        }
    }
    return first;
}

Result<void> RunCore::close(RunState state) {
    if (static_cast<std::uint64_t>(getpid()) == opened_by_) {
        watch_.reset();
        peer_watch_.reset();
        const std::lock_guard guard(reason_mutex_);
        if (settings_.options.rank.value_or(0) == 0 || !reason().empty()) {
            log_meta(tlog::MetaType::State, tlog::encode_state(state, reason()));
        }
    } else {
        // A forked child: the threads of watches and sinks exist only in its parent. Let them be.
        (void)watch_.release();
        (void)peer_watch_.release();
        (void)rolling_seal_.release();
        for (auto& sink : sinks_) {
            (void)sink.release();
        }
        sinks_.clear();
    }
    // Runs also end in exit handlers and static destructors, when the thread-locals of the calling
    // thread (buffers of the codecs among them) are gone. A thread of its own has them.
    Result<void> closed;
    try {
        start_quiet_thread("taffrail-finish", [&] { closed = close_files(state); }).join();
    } catch (const std::system_error&) {
        closed = close_files(state);
    }
    return closed;
}

// Logs stay readable without it, so a failure here is worth a word and no more.
void RunCore::seal(std::chrono::steady_clock::time_point deadline) {
    const auto sealed = store::seal_while(
        place_.folder, [&] { return std::chrono::steady_clock::now() < deadline; });
    if (!sealed.ok()) {
        diagnose(DiagnosticLevel::Warning,
                 "the run is complete but not sealed: " + sealed.error().message +
                     "; `taffrail seal` tries again");
    } else if (sealed->logs_left > 0) {
        diagnose(DiagnosticLevel::Warning,
                 "the run is complete; " + std::to_string(sealed->logs_left) +
                     " of its logs are not sealed within finish_timeout: `taffrail seal " +
                     place_.folder + "` goes on");
    }
}

Result<void> RunCore::close_files(RunState state) {
    const auto deadline = std::chrono::steady_clock::now() + settings_.options.finish_timeout;
    Result<void> recorded = recorder_->finish(state, settings_.options.finish_timeout);
    const bool owner = static_cast<std::uint64_t>(getpid()) == opened_by_;
    const bool stored = settings_.options.store == Store::On;
    if (owner) {
        if (const auto kept = zones::detach_run(place_.folder); !kept.ok()) {
            diagnose(DiagnosticLevel::Warning, kept.error().message);
        }
    }
    if (owner && (stored || recorder_->has_forked())) {
        // Forked children that ended without a word left their rings behind; sinks receive that
        // too.
        const transfer::Family family{opened_as_, state};
        if (auto adopted = transfer::adopt_orphans(place_.folder, place_.id, family);
            !adopted.ok()) {
            diagnose(DiagnosticLevel::Warning,
                     "records of a forked process could not be taken over now and are kept: " +
                         adopted.error().message);
        }
    }
    // A forked child has no sinks, and the lock of their list may have been held when it was made.
    Result<void> delivered = owner ? finish_sinks(state) : Result<void>();
    if (!stored) {
        if (owner) {
            (void)io::remove_tree(settings_.options.root);
        }
    } else if (owner) {
        if (rolling_seal_) {
            rolling_seal_->stop();
        }
        if (recorded.ok() && settings_.options.seal_on_finish) {
            seal(deadline);
        }
    }
    return recorded.ok() ? delivered : recorded;
}

// A program that never asked how its stages ended says "finished": they know better.
RunState RunCore::with_outcomes(RunState state) const {
    const std::lock_guard guard(reason_mutex_);
    const Outcome* worst = worst_outcome();
    return state == RunState::Finished && worst != nullptr ? worst->state : state;
}

Result<void> RunCore::finish(RunState state) noexcept {
    try {
        const std::lock_guard guard(finish_mutex_);
        if (!finished_ && recorder_ != nullptr) {
            finished_ = true;
            if (auto closed = close(with_outcomes(state)); !closed.ok()) {
                const std::lock_guard error_guard(error_mutex_);
                finish_error_ = closed.error();
            }
        }
        return check();
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, std::string("finishing the run failed: ") + error.what()};
    }
}

Result<void> RunCore::check() const noexcept {
    if (auto failure = recorder_->first_failure()) {
        return *failure;
    }
    {
        const std::lock_guard guard(error_mutex_);
        if (finish_error_) {
            return *finish_error_;
        }
    }
    if (auto failure = settings_.strict ? recorder_->first_call_failure() : std::nullopt) {
        return *failure;
    }
    return {};
}

}  // namespace taffrail::detail
