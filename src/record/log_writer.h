// The narrow waist between recording and the store: the collector appends batches, the sink runners
// read them back. `store` implements both; `record` never sees a file format.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include "codec/tlog/batch.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::record {

/// Takes batches in order, from one thread. A batch is durable against the death of the process
/// when append() returns (it is in the page cache), and against power loss after sync(). When
/// append() fails nothing of the batch counts as written: the collector keeps it (and the rings
/// behind it) and tries again.
class LogWriter {
  public:
    virtual ~LogWriter() = default;
    virtual Result<void> append(const tlog::Batch& batch) = 0;
    virtual Result<void> sync() = 0;
    /// Stores bytes content-addressed in this writer's pack and says where; small ones may come
    /// back Inline.
    virtual Result<tlog::BlobPlace> put_blob(ByteSpan bytes, const BlobRef& ref) = 0;
    /// Writes the last checkpoint and the end frame. Idempotent.
    virtual Result<void> close(RunState state) = 0;
    [[nodiscard]] virtual std::uint64_t bytes_written() const noexcept = 0;
};

/// Where a sink stands in the log of one writer: everything before it was delivered.
struct LogPosition {
    std::uint32_t file_number = 0;
    std::uint64_t offset = 0;  ///< of the next frame
    std::uint64_t within = 0;  ///< records of that frame already delivered
    auto operator<=>(const LogPosition&) const = default;
};

/// Reads one writer's log in order, from any position, while it grows or after its process died.
class LogReader {
  public:
    virtual ~LogReader() = default;

    struct Chunk {
        std::vector<Record> records;  ///< routed ones, blobs loaded; views live until the next call
        LogPosition next;             ///< where to go on after the whole chunk
        LogPosition
            start;  ///< of records.front(); `start.within + i` is the position of records[i]
    };

    /// The next records whose route has a bit of `mask`, in log order, at most about `max_records`.
    /// An empty chunk with next == from means there is nothing new yet.
    virtual Result<Chunk> read(LogPosition from, RouteMask mask, std::size_t max_records) = 0;
    /// True when the writer ended its log and `at` stands behind its last frame.
    virtual bool at_end(LogPosition at) = 0;
};

}  // namespace taffrail::record
