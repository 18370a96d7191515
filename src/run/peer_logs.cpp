#include "run/peer_logs.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "record/cursor.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/open_log.h"

#include <algorithm>

namespace taffrail::run {

Result<void> leave_to_rank_zero(const std::string& cursor_path, record::LogPosition start) {
    return io::exists(cursor_path) ? Result<void>() : record::write_cursor(cursor_path, start);
}

std::vector<record::Backlog> PeerLogs::take() {
    std::vector<record::Backlog> logs;
    const auto files = store::list_logs(run_folder_);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::uint64_t writer = files[i].writer;
        const bool newest = i + 1 == files.size() || files[i + 1].writer != writer;
        if (!newest || known_.contains(writer)) {
            continue;
        }
        const auto seen = store::glance_at_writer(run_folder_, writer, files[i].number);
        if (!seen.ok() || seen->identity.run_id.empty()) {
            continue;  // only just made: its first frame comes
        }
        std::string path = record::cursor_path(run_folder_, sink_, writer);
        if (seen->identity.rank == 0 || seen->identity.attempt != attempt_) {
            known_.insert(writer);
            continue;
        }
        const auto found = [&]() -> Result<record::Backlog> {
            TAFFRAIL_TRY(leave_to_rank_zero(path, {}));
            TAFFRAIL_ASSIGN(const record::LogPosition start, record::read_cursor(path));
            TAFFRAIL_ASSIGN(auto log, store::open_log_reader(run_folder_, writer));
            return record::Backlog{std::move(log), path, start, seen->identity.rank, attempt_, {}};
        };
        auto log = found();
        if (!log.ok()) {
            diagnose_once(DiagnosticLevel::Warning, "sink." + sink_ + ".ranks",
                          "what rank " + std::to_string(seen->identity.rank) +
                              " logs does not reach '" + sink_ +
                              "' now, it is kept: " + log.error().message);
            continue;
        }
        logs.push_back(*std::move(log));
        known_.insert(writer);
        going_on_.emplace(writer, seen->identity);
    }
    return logs;
}

bool PeerLogs::any_goes_on() {
    std::map<std::uint64_t, std::uint32_t> newest;
    for (const store::FileName& file : store::list_logs(run_folder_)) {
        newest[file.writer] = std::max(newest[file.writer], file.number);
    }
    for (const auto& [writer, number] : newest) {
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
