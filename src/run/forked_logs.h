// What forked children log reaches the sinks of the process that opened the run.
//
// A child writes a log of its own and has no sinks. At its first log call it puts a cursor at the
// start of that log for each sink of its parent; from then on the log counts as undelivered, and
// whoever looks for such logs hands it over: the parent while it runs and when it finishes, `sync`
// and a resumed run when all of them are dead.
#pragma once

#include "record/sink_runner.h"
#include "store/glance.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace taffrail::run {

/// In a child, when its log exists and before anything is in it: the sinks that `parent` (the
/// writer of the process that opened the run) has shall receive the log of `child`.
void hand_to_sinks_of(std::uint64_t parent, std::uint64_t child, const std::string& run_folder);

/// The logs of the children of one process, for one of its sinks. Used by one thread at a time.
class ForkedLogs {
  public:
    ForkedLogs(std::string run_folder, std::string spool, std::string sink, std::uint64_t parent);

    /// For a new sink: living children that log already are delivered from here on, as their parent
    /// is.
    void begin();
    /// Logs with a cursor of this sink that were not given out yet. What cannot be read now is
    /// looked at again the next time.
    std::vector<record::Backlog> take();

  private:
    [[nodiscard]] std::vector<store::WriterGlance> unknown_children();

    std::string run_folder_, spool_, sink_;
    std::uint64_t parent_;
    std::set<std::uint64_t> known_;  ///< given out, or of other processes
};

}  // namespace taffrail::run
