// What dead processes left undone in a run: records in their rings, records their sinks did not
// take.
#pragma once

#include <taffrail/result.h>
#include <taffrail/sink.h>

#include "record/sink_runner.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::transfer {

/// The children of one process. Those of them that ended without a word ended as the process did.
struct Family {
    std::uint64_t writer = 0;  ///< of the process
    RunState state = RunState::Finished;
};

struct Adopted {
    std::size_t writers = 0;  ///< that had left something
    std::uint64_t rows = 0;   ///< moved from rings into the log
};

/// Moves what dead writers of this machine left in rings and spool into the run's log. Living
/// writers are left alone. What another process adopts at the same time is left to it.
Result<Adopted> adopt_orphans(const std::string& run_folder, const std::string& run_id,
                              const std::optional<Family>& family = {});

/// A sink a run was given, as noted in `<run>/cursors/<name>.sink`: enough to make it again.
/// Options that look like secrets are not kept.
struct NotedSink {
    std::string name;  ///< unique in the run
    std::string type;  ///< in the registry; "" for sinks the program made itself
    RouteMask mask = 0;
    OptionMap options;
};

Result<void> note_sink(const std::string& run_folder, const NotedSink& sink);
std::vector<NotedSink> noted_sinks(const std::string& run_folder);

/// A sink the run never had: notes it as one that processes of the run know nothing of, with every
/// log from its start on. Once is enough; later calls keep where it stands. Fails where logs were
/// removed after sealing: then they cannot be handed over in order.
Result<void> attach_sink(const std::string& run_folder, const NotedSink& sink);
/// Whether attach_sink() noted it: then living writers are ours to follow, too.
bool is_attached(const std::string& run_folder, std::string_view sink);

/// Who delivers what the ranks of a run log: each its own, or rank 0 all of it (see
/// Sink::wants_all_ranks).
enum class Ranks : std::uint8_t { Each, IntoRankZero };

/// As the sink says that is made of what was noted; Each where it cannot be made.
Ranks ranks_of(const NotedSink& noted);

/// The logs that `sink` has not seen to their end, of dead writers other than `except`, earlier
/// attempts first (of living ones too where the sink was attached, as far as they have something
/// new). Those of dead children are left to the process they were forked from while that
/// lives, and those of all ranks that go into rank 0 to that one. `rank`: of this one only.
Result<std::vector<record::Backlog>> find_backlogs(const std::string& run_folder,
                                                   const std::string& run_id, std::string_view sink,
                                                   std::uint64_t except = 0,
                                                   std::optional<std::int32_t> rank = {},
                                                   Ranks ranks = Ranks::Each);

/// How a run ended, for the sinks that hear of it late.
struct Ending {
    RunState state = RunState::Finished;
    std::string reason = {};
};

using SinkMaker = std::function<Result<std::unique_ptr<Sink>>()>;

/// How many records a sink would be handed over now. A sink that was never noted is asked about
/// with `is_new`.
Result<std::uint64_t> count_backlog(const std::string& run_folder, const std::string& run_id,
                                    const NotedSink& noted, bool is_new);

/// Delivers them now, each rank of each attempt to a sink that is opened for it; all ranks of an
/// attempt to one where rank 0 takes them. Returns the number of records.
Result<std::uint64_t> deliver_backlog(const std::string& run_folder, const std::string& run_id,
                                      const NotedSink& noted, const SinkMaker& make,
                                      const Ending& ending = {},
                                      const std::function<void(std::uint64_t)>& progress = {});

}  // namespace taffrail::transfer
