// What a dead process left in its rings and its spool, read back.
#pragma once

#include <taffrail/result.h>

#include "codec/tlog/batch.h"
#include "record/definitions.h"
#include "record/log_writer.h"
#include "record/value_worker.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::record {

/// A writer that left something behind.
struct Orphan {
    std::string folder;              ///< of its rings
    Definitions definitions;         ///< identity, keys, schemas
    std::vector<std::string> rings;  ///< by producer and generation
    std::vector<std::string> spools;
};

/// What the writer's log already has.
struct OrphanProgress {
    std::uint64_t next_seq = 1;
    std::vector<tlog::RingPosition> ring_positions;
    std::vector<tlog::SpoolEntry> spool_pending;  ///< without those that are done
    Drain::FirstStep first_step;                  ///< for records logged without a step
};

/// The folders in which rings of this run may lie on this machine: in the run, and in the runtime
/// folders.
std::vector<std::string> ring_folders(const std::string& run_folder, const std::string& run_id);
/// Where a new writer puts its rings: the first of them that is local and writable.
Result<std::string> choose_ring_folder(const std::string& run_folder, const std::string& run_id);

/// Makes the folder, again where it went; one outside of a run only where that place is ours alone.
Result<void> make_ring_folder(const std::string& folder);

/// True while the process of this writer lives: it holds the lock of its key file.
bool writer_is_alive(const std::string& ring_folder, std::uint64_t writer);

/// Dead writers with something left in `ring_folder`. Rings of an earlier boot are left out: what
/// was in memory then is gone.
Result<std::vector<Orphan>> find_orphans(const std::string& ring_folder);

/// Hands the batches of one orphan to `take`, in an order that keeps each thread's own; views live
/// during the call. Changes nothing on disk. `encode` and `put_blob` may be empty: spooled values
/// are left out then.
Result<void> read_orphan(const Orphan& orphan, const OrphanProgress& progress,
                         const EncodeValue& encode, const PutBlob& put_blob,
                         const std::function<Result<void>(const tlog::Batch&)>& take);

/// Takes the lock of the orphan's key file: who holds it may adopt or discard. Ask for its progress
/// only then. Unavailable: another process is at it. NotFound: it is done already.
Result<std::unique_ptr<io::File>> take_over(const Orphan& orphan);

/// Writes what is left of the orphan behind its log and removes its files. `log` continues the dead
/// writer's log and is closed as `state`.
Result<void> adopt_orphan(const Orphan& orphan, const OrphanProgress& progress,
                          const EncodeValue& encode, LogWriter& log, RunState state);

/// Removes the files of an orphan that has nothing left to say.
Result<void> discard_orphan(const Orphan& orphan);

}  // namespace taffrail::record
