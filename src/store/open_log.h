// How other layers get at the log of a run: writers for the collector, readers for the sink
// runners.
#pragma once

#include <taffrail/recording.h>

#include "record/log_writer.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::store {

struct LogOptions {
    std::uint64_t roll_bytes = 64u << 20;
    std::uint64_t checkpoint_bytes = 1u << 20;
    std::chrono::nanoseconds checkpoint_interval = std::chrono::seconds(30);
    Durability durability = Durability::Async;
    std::chrono::nanoseconds sync_interval = std::chrono::seconds(5);
    /// Frames that are not synced yet are kept in memory, to be written again after a failed sync;
    /// at this many bytes a sync comes early.
    std::uint64_t unsynced_bytes = 4u << 20;
    std::string spool;  ///< folder used while the run's own is full or broken; empty = none
    /// How often a writer that spools looks whether its run folder takes bytes again.
    std::chrono::nanoseconds return_interval = std::chrono::seconds(10);
    std::function<std::int64_t()> monotonic_ns;  ///< empty = the real clock
    /// Time of the writer's signs of life; empty = the real clock. Who writes down an earlier run
    /// gives that run's time.
    std::function<std::int64_t()> wall_ns;
};

/// A log of `identity.writer` in `run_folder` (made when absent). The file number of the identity
/// is ignored: the next free one is taken, so the adopter of a dead writer's rings continues that
/// writer's files. Syncs happen inside append() by the intervals above; call sync() when the writer
/// falls idle.
Result<std::unique_ptr<record::LogWriter>> open_log(const std::string& run_folder,
                                                    tlog::FileIdentity identity,
                                                    LogOptions options = {});

/// The log of one writer of a run; the run may still be written.
Result<std::unique_ptr<record::LogReader>> open_log_reader(const std::string& run_folder,
                                                           std::uint64_t writer,
                                                           const std::string& spool = {});

/// All writers that have a log in this run, in no particular order.
std::vector<std::uint64_t> list_writers(const std::string& run_folder);

/// How far the rings of a writer are in its log: what lies behind is for an adopter to write.
struct WriterTail {
    tlog::FileIdentity identity;
    std::vector<tlog::RingPosition> ring_positions;
    std::uint64_t next_seq = 0;
    std::vector<tlog::KeyDefinition> keys;  ///< views into `names`
    std::vector<tlog::SchemaDefinition> schemas;
    std::vector<tlog::SpoolEntry> spool_pending;  ///< accepted values without their record
    bool finished = false;                        ///< the log has its end frame
    std::shared_ptr<std::vector<std::string>> names;
};

Result<WriterTail> read_writer_tail(const std::string& run_folder, std::uint64_t writer);

}  // namespace taffrail::store
