#include "run/peer_logs.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "record/cursor.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/open_log.h"

namespace taffrail::run {

Result<void> leave_to_rank_zero(const std::string& cursor_path, record::LogPosition start) {
    return io::exists(cursor_path) ? Result<void>() : record::write_cursor(cursor_path, start);
}

std::vector<record::Backlog> PeerLogs::take() {
    std::vector<record::Backlog> logs;
    for (const store::WriterGlance& seen : store::glance_at_writers_but(run_folder_, known_)) {
        const std::uint64_t writer = seen.identity.writer;
        std::string path = record::cursor_path(run_folder_, sink_, writer);
        if (seen.identity.rank == 0 || seen.identity.attempt != attempt_) {
            known_.insert(writer);
            continue;
        }
        const auto found = [&]() -> Result<record::Backlog> {
            TAFFRAIL_TRY(leave_to_rank_zero(path, {}));
            TAFFRAIL_ASSIGN(const record::LogPosition start, record::read_cursor(path));
            TAFFRAIL_ASSIGN(auto log, store::open_log_reader(run_folder_, writer));
            return record::Backlog{std::move(log), path, start, seen.identity.rank, attempt_, {}};
        };
        auto log = found();
        if (!log.ok()) {
            diagnose_once(DiagnosticLevel::Warning, "sink." + sink_ + ".ranks",
                          "what rank " + std::to_string(seen.identity.rank) +
                              " logs does not reach '" + sink_ +
                              "' now, it is kept: " + log.error().message);
            continue;
        }
        logs.push_back(*std::move(log));
        known_.insert(writer);
        going_on_.emplace(writer, seen.identity);
    }
    return logs;
}

bool PeerLogs::any_goes_on() {
    for (const auto& [writer, number] : store::newest_of_each(store::list_logs(run_folder_))) {
        const auto peer = going_on_.find(writer);
        if (peer == going_on_.end()) {
            continue;
        }
        const auto seen = store::glance_at_writer(run_folder_, writer, number);
        if (seen.ok() && (seen->finished ||
                          !store::writer_is_alive(run_folder_, peer->second, seen->last_sign_ns))) {
            going_on_.erase(peer);
        }
    }
    return !going_on_.empty();
}

}  // namespace taffrail::run
