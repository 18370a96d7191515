// What other ranks log reaches the sinks of rank 0 that take it (Sink::wants_all_ranks).
//
// Each rank writes a log of its own into the run folder, and such sinks are run by rank 0 alone. A
// log without a cursor of the sink gets one at its start when rank 0 meets it: from then on it
// counts as undelivered, is kept by sealing and is found by `sync` when rank 0 is dead.
#pragma once

#include "codec/tlog/batch.h"
#include "record/sink_runner.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace taffrail::run {

/// On another rank, when such a sink is added there: from `start` on its log is for rank 0. Nothing
/// where rank 0 has begun with it already.
Result<void> leave_to_rank_zero(const std::string& cursor_path, record::LogPosition start);

/// The logs of the other ranks of one attempt, for one sink of rank 0. Used by one thread at a
/// time.
class PeerLogs {
  public:
    PeerLogs(std::string run_folder, std::string sink, std::uint32_t attempt)
        : run_folder_(std::move(run_folder)), sink_(std::move(sink)), attempt_(attempt) {}

    /// Whether a log that somebody else found is of these.
    [[nodiscard]] bool has(const record::Backlog& log) const noexcept {
        return log.rank != 0 && log.attempt == attempt_;
    }

    /// Logs that were not given out yet. What cannot be read now is looked at again the next time.
    std::vector<record::Backlog> take();
    /// Whether a rank whose log was given out may still log something.
    [[nodiscard]] bool any_goes_on();

  private:
    std::string run_folder_, sink_;
    std::uint32_t attempt_;
    std::set<std::uint64_t> known_;                         ///< given out, or not of these
    std::map<std::uint64_t, tlog::FileIdentity> going_on_;  ///< given out and not seen to end
};

}  // namespace taffrail::run
