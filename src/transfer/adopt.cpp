#include "transfer/adopt.h"

#include "base/diagnostics.h"
#include "base/names.h"
#include "base/secret_names.h"
#include "base/try.h"
#include "io/expand.h"
#include "io/files.h"
#include "io/inside.h"
#include "record/cursor.h"
#include "record/orphan.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/open_log.h"
#include "system/secrets.h"
#include "transfer/sink_context.h"
#include "transfer/spooled_value.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace taffrail::transfer {
namespace {

Result<void> adopt_one(const std::string& run_folder, const record::Orphan& orphan,
                       const std::optional<Family>& family, Adopted& adopted) {
    TAFFRAIL_ASSIGN(const auto lock, record::take_over(orphan));
    const record::WriterIdentity& identity = orphan.definitions.identity;
    record::OrphanProgress progress;
    tlog::FileIdentity file;
    auto tail = store::read_writer_tail(run_folder, identity.writer);
    if (tail.ok()) {
        file = tail->identity;
        progress.next_seq = std::max<std::uint64_t>(tail->next_seq, 1);
        progress.ring_positions = tail->ring_positions;
        progress.spool_pending = tail->spool_pending;
    } else if (tail.error().code == ErrorCode::NotFound) {
        file.run_id = identity.run_id;
        file.writer = identity.writer;
        file.host = identity.host;
        file.process_id = identity.process_id;
        file.process_start = identity.process_start;
        file.boot_id = identity.boot_id;
        file.start_time_ns = identity.clock.anchor_wall_ns;
    } else {
        return tail.error();
    }
    std::uint64_t rows = 0;
    TAFFRAIL_TRY(record::read_orphan(orphan, progress, {}, {},
                                     [&](const tlog::Batch& batch) -> Result<void> {
                                         rows += batch.rows + batch.gaps.size();
                                         return {};
                                     }));
    const bool related = family && file.forked_from == family->writer;
    const bool lacks_end = related && !tail->finished;
    if (rows == 0 && progress.spool_pending.empty() && !lacks_end) {
        return record::discard_orphan(orphan);
    }
    TAFFRAIL_ASSIGN(auto log, store::open_log(run_folder, file));
    TAFFRAIL_TRY(record::adopt_orphan(orphan, progress, encode_spooled, *log,
                                      related ? family->state : RunState::Crashed));
    ++adopted.writers;
    adopted.rows += rows;
    return {};
}

// Options are kept so that `sync` can build the sink again; secrets it finds in the environment
// then. Folders keep their names, however random they look.
bool may_be_kept(const std::string& name, const std::string& value) {
    const bool is_path = value.starts_with('/') || value.starts_with("./");
    return !is_secret_name(name) && (is_path || system::scrub_secrets(value) == value);
}

// That of a process that opened the run itself where the log does not say.
tlog::FileIdentity identity_of(const std::string& run_folder, std::uint64_t writer) {
    const auto files = store::list_logs(run_folder, writer);
    if (files.empty()) {
        return {};
    }
    const auto seen = store::glance_at_writer(run_folder, writer, files.back().number);
    return seen.ok() ? seen->identity : tlog::FileIdentity();
}

std::uint32_t newest_attempt(const std::string& run_folder) {
    std::uint32_t newest = 0;
    for (const std::uint64_t writer : store::list_writers(run_folder)) {
        newest = std::max(newest, identity_of(run_folder, writer).attempt);
    }
    return newest;
}

// Sink options are a few words.
constexpr std::uint64_t kMaxNoteBytes = 1 << 20;

std::string note_path(const std::string& run_folder, std::string_view name) {
    return io::join(io::join(run_folder, "cursors"), folder_safe(name) + ".sink");
}

std::string attached_path(const std::string& run_folder, std::string_view name) {
    return io::join(io::join(run_folder, "cursors"), folder_safe(name) + ".attached");
}

}  // namespace

Result<Adopted> adopt_orphans(const std::string& run_folder, const std::string& run_id,
                              const std::optional<Family>& family) {
    Adopted adopted;
    TAFFRAIL_TRY(store::check_writable(run_folder));
    for (const std::string& folder : record::ring_folders(run_folder, run_id)) {
        TAFFRAIL_ASSIGN(const auto orphans, record::find_orphans(folder));
        for (const record::Orphan& orphan : orphans) {
            if (orphan.definitions.identity.run_id != run_id) {
                continue;
            }
            if (auto done = adopt_one(run_folder, orphan, family, adopted); !done.ok()) {
                if (done.error().code != ErrorCode::Unavailable &&
                    done.error().code != ErrorCode::NotFound) {
                    return done.error();
                }
            }
        }
        (void)io::remove(folder);  // a process killed in its last moment leaves it empty
    }
    return adopted;
}

Result<void> note_sink(const std::string& run_folder, const NotedSink& sink) {
    Bytes bytes;
    append_varint(bytes, 1);  // version
    append_text(bytes, sink.name);
    append_text(bytes, sink.type);
    append_varint(bytes, sink.mask);
    for (const auto& [name, given] : sink.options) {
        // Variables get their values here, where they were meant: what the file says later is taken
        // as it stands, since anybody may have written it.
        const std::string value = io::expand_path(given);
        if (may_be_kept(name, value) && (value == given || system::scrub_secrets(value) == value)) {
            append_text(bytes, name);
            append_text(bytes, value);
        }
    }
    TAFFRAIL_TRY(io::make_directories(io::join(run_folder, "cursors")));
    return io::write_file_atomically(note_path(run_folder, sink.name), bytes, false);
}

std::vector<NotedSink> noted_sinks(const std::string& run_folder) {
    std::vector<NotedSink> sinks;
    const std::string folder = io::join(run_folder, "cursors");
    const auto entries = io::list_inside(run_folder, folder);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (!entry.name.ends_with(".sink")) {
            continue;
        }
        const auto bytes = io::read_inside(run_folder, io::join(folder, entry.name), kMaxNoteBytes);
        if (!bytes.ok()) {
            continue;
        }
        ByteCursor cursor(*bytes);
        NotedSink sink;
        const std::uint64_t version = cursor.varint();
        sink.name = cursor.text();
        sink.type = cursor.text();
        sink.mask = static_cast<RouteMask>(cursor.varint());
        while (cursor.ok() && cursor.remaining() > 0) {
            std::string name(cursor.text());
            sink.options.emplace_back(std::move(name), cursor.text());
        }
        if (cursor.ok() && version == 1) {
            sinks.push_back(std::move(sink));
        }
    }
    return sinks;
}

Result<void> attach_sink(const std::string& run_folder, const NotedSink& sink) {
    TAFFRAIL_TRY(store::check_writable(run_folder));
    const auto sealed = io::list_inside(run_folder, io::join(run_folder, store::kDataFolder));
    const std::vector<std::uint64_t> writers = store::list_writers(run_folder);
    for (const io::DirectoryEntry& entry :
         sealed.ok() ? *sealed : std::vector<io::DirectoryEntry>()) {
        const auto writer = store::writer_of_rest_log(entry.name);
        if (writer && std::ranges::find(writers, *writer) == writers.end()) {
            return Error{ErrorCode::Unsupported,
                         "logs of this run were removed after sealing, so it cannot be handed over "
                         "to '" +
                             sink.type + "' any more; taffrail export writes it in other formats"};
        }
    }
    for (const std::uint64_t writer : writers) {
        const std::string path = record::cursor_path(run_folder, sink.name, writer);
        if (!io::exists(path)) {
            TAFFRAIL_TRY(io::make_directories(io::parent(path)));
            TAFFRAIL_TRY(record::write_cursor(path, {}));
        }
    }
    TAFFRAIL_TRY(note_sink(run_folder, sink));
    return io::write_file_atomically(attached_path(run_folder, sink.name), {}, false);
}

bool is_attached(const std::string& run_folder, std::string_view sink) {
    return io::exists_inside(run_folder, attached_path(run_folder, sink));
}

Result<std::uint64_t> count_backlog(const std::string& run_folder, const std::string& run_id,
                                    const NotedSink& noted, bool is_new) {
    std::uint64_t count = 0;
    const auto count_from = [&](record::LogReader& log, record::LogPosition at) -> Result<void> {
        for (;;) {
            TAFFRAIL_ASSIGN(const record::LogReader::Chunk chunk, log.read(at, noted.mask, 4096));
            if (chunk.next == at) {
                return {};
            }
            count += chunk.records.size();
            at = chunk.next;
        }
    };
    if (is_new) {
        for (const std::uint64_t writer : store::list_writers(run_folder)) {
            TAFFRAIL_ASSIGN(const auto log, store::open_log_reader(run_folder, writer));
            TAFFRAIL_TRY(count_from(*log, {}));
        }
        return count;
    }
    TAFFRAIL_ASSIGN(const auto backlogs,
                    find_backlogs(run_folder, run_id, noted.name, 0, {}, ranks_of(noted)));
    for (const record::Backlog& backlog : backlogs) {
        TAFFRAIL_TRY(count_from(*backlog.log, backlog.start));
    }
    return count;
}

namespace {

/// Whether anything stands behind `start` that sinks are given.
Result<bool> has_records(record::LogReader& log, record::LogPosition start) {
    for (;;) {
        TAFFRAIL_ASSIGN(const auto chunk, log.read(start, kAllSinks, 1));
        if (!chunk.records.empty() || chunk.next == start) {
            return !chunk.records.empty();
        }
        start = chunk.next;
    }
}

/// Rank 0 of a run, as far as it matters to a sink of it that takes the records of all ranks.
struct RankZero {
    std::set<std::uint32_t> attempts;  ///< in which it had the sink
    bool lives = false;                ///< a process that has it
};

}  // namespace

Ranks ranks_of(const NotedSink& noted) {
    const auto sink = make_sink(noted.type, noted.options);
    return sink.ok() && (*sink)->wants_all_ranks() ? Ranks::IntoRankZero : Ranks::Each;
}

Result<std::vector<record::Backlog>> find_backlogs(const std::string& run_folder,
                                                   const std::string& run_id, std::string_view sink,
                                                   std::uint64_t except,
                                                   std::optional<std::int32_t> rank, Ranks ranks) {
    const std::vector<std::string> folders = record::ring_folders(run_folder, run_id);
    const auto is_alive = [&folders](std::uint64_t writer) {
        return std::ranges::any_of(folders, [writer](const std::string& rings) {
            return record::writer_is_alive(rings, writer);
        });
    };

    struct Found {
        record::Backlog backlog;
        std::int64_t start_time_ns = 0;
    };

    std::vector<Found> found;
    const bool attached = is_attached(run_folder, sink);
    const std::vector<std::uint64_t> writers = store::list_writers(run_folder);
    RankZero zero;
    for (const std::uint64_t writer :
         ranks == Ranks::IntoRankZero && !attached ? writers : std::vector<std::uint64_t>()) {
        const auto files = store::list_logs(run_folder, writer);
        const auto seen = files.empty()
                              ? Result<store::WriterGlance>(Error{})
                              : store::glance_at_writer(run_folder, writer, files.back().number);
        if (seen.ok() && seen->identity.rank == 0 &&
            io::exists(record::cursor_path(run_folder, sink, writer))) {
            zero.attempts.insert(seen->identity.attempt);
            // It may be on another machine.
            zero.lives = zero.lives ||
                         (writer != except && !seen->finished &&
                          store::writer_is_alive(run_folder, seen->identity, seen->last_sign_ns));
        }
    }
    if (zero.lives) {
        return std::vector<record::Backlog>();
    }
    for (const std::uint64_t writer : writers) {
        const std::string path = record::cursor_path(run_folder, sink, writer);
        // A writer that this sink was not attached to has no cursor; of a sink that no process
        // knows every writer is ours.
        const bool has_sink = attached || io::exists(path);
        if (writer == except || (!has_sink && zero.attempts.empty())) {
            continue;
        }
        const bool lives = is_alive(writer);
        const tlog::FileIdentity identity = identity_of(run_folder, writer);
        // Rank 0 may have ended before it met the log.
        if (!has_sink && (identity.rank == 0 || !zero.attempts.contains(identity.attempt))) {
            continue;
        }
        if ((!attached &&
             (lives || (identity.forked_from != 0 && is_alive(identity.forked_from)))) ||
            (rank && *rank != identity.rank)) {
            continue;
        }
        TAFFRAIL_ASSIGN(const record::LogPosition start, record::read_cursor(path));
        TAFFRAIL_ASSIGN(auto log, store::open_log_reader(run_folder, writer));
        if (lives) {
            TAFFRAIL_ASSIGN(const auto news, log->read(start, kAllSinks, 1));
            if (news.next == start) {
                continue;
            }
        }
        bool is_behind = !log->at_end(start);
        if (is_behind && io::exists(record::closed_path(path))) {
            TAFFRAIL_ASSIGN(is_behind, has_records(*log, start));
        }
        if (is_behind || io::exists(record::unclosed_path(path))) {
            found.push_back(
                {{std::move(log), path, start, identity.rank, identity.attempt,
                  identity.resume_step != INT64_MIN ? std::optional(identity.resume_step)
                                                    : std::nullopt},
                 identity.start_time_ns});
        }
    }
    std::ranges::stable_sort(found, {}, [ranks](const Found& one) {
        const std::int64_t rank_of = one.backlog.rank, attempt = one.backlog.attempt;
        return ranks == Ranks::IntoRankZero ? std::tuple(attempt, rank_of, one.start_time_ns)
                                            : std::tuple(rank_of, attempt, one.start_time_ns);
    });
    std::vector<record::Backlog> backlogs;
    for (Found& one : found) {
        backlogs.push_back(std::move(one.backlog));
    }
    return backlogs;
}

Result<std::uint64_t> deliver_backlog(const std::string& run_folder, const std::string& run_id,
                                      const NotedSink& noted, const SinkMaker& make,
                                      const Ending& ending,
                                      const std::function<void(std::uint64_t)>& progress) {
    const auto asked = make();
    const Ranks ranks =
        asked.ok() && (*asked)->wants_all_ranks() ? Ranks::IntoRankZero : Ranks::Each;
    TAFFRAIL_ASSIGN(auto backlogs, find_backlogs(run_folder, run_id, noted.name, 0, {}, ranks));
    if (backlogs.empty()) {
        return 0;
    }
    record::DeliveryOptions options;
    options.sink_name = noted.name;
    options.mask = noted.mask;
    options.context = describe_to_sinks(run_folder);
    if (ranks == Ranks::IntoRankZero) {
        keep_to_rank_zero(options.context);
    }
    options.progress = progress;
    const std::uint32_t newest = newest_attempt(run_folder);
    std::uint64_t delivered = 0;
    for (auto next = backlogs.begin(); next != backlogs.end();) {
        options.context.rank = ranks == Ranks::IntoRankZero ? 0 : next->rank;
        options.context.attempt = next->attempt;
        options.context.resume_step = next->resume_step;
        TAFFRAIL_ASSIGN(const std::unique_ptr<Sink> sink, make());
        record::OpenSink open_sink(*sink);
        std::vector<std::string> cursors;
        const auto same = [&](const record::Backlog& one) {
            return (ranks == Ranks::IntoRankZero || one.rank == options.context.rank) &&
                   one.attempt == options.context.attempt;
        };
        for (; next != backlogs.end() && same(*next); ++next) {
            options.cursor_path = next->cursor_path;
            cursors.push_back(next->cursor_path);
            record::Delivery delivery(open_sink, *next->log, options, next->start);
            TAFFRAIL_TRY(delivery.drain());
            delivered += delivery.delivered();
        }
        if (!open_sink.opened) {
            continue;
        }
        if (options.context.attempt < newest) {
            TAFFRAIL_TRY(sink->close(RunState::Running));  // it went on
            continue;
        }
        if (!ending.reason.empty()) {
            sink->give_reason(ending.reason);
        }
        TAFFRAIL_TRY(sink->close(ending.state));
        for (const std::string& cursor : cursors) {
            if (io::exists(record::unclosed_path(cursor))) {
                TAFFRAIL_TRY(io::remove(record::unclosed_path(cursor)));
            }
            if (ending.state != RunState::Running) {
                TAFFRAIL_TRY(io::write_file_atomically(record::closed_path(cursor), {}, false));
            }
        }
    }
    return delivered;
}

}  // namespace taffrail::transfer
