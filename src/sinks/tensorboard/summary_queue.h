// What SummaryWriter's callers hand over to its thread: a list of chunks, swapped whole.
//
// A scalar is a few bytes behind the others; anything larger is a job in a list, with its turn kept
// in the chunk. Chunks go round between callers and thread, so that a steady stream touches no
// fresh memory: a page fault costs as much as five scalars.
#pragma once

#include <taffrail/key.h>

#include "base/bytes.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace taffrail::sinks::tensorboard {

class EventLogs;

/// One call, run by the writer's thread.
using SummaryJob = std::function<void(EventLogs& logs)>;

/// ScalarHeader + tag, or a header that says "job", one behind the other.
struct SummaryChunk {
    static constexpr std::size_t kBytes = std::size_t{256} << 10;

    std::unique_ptr<std::byte[]> bytes = std::make_unique_for_overwrite<std::byte[]>(kBytes);
    std::size_t used = 0;

    [[nodiscard]] ByteSpan span() const noexcept { return {bytes.get(), used}; }
};

struct SummaryBatch {
    std::vector<SummaryChunk> chunks;
    std::vector<SummaryJob> jobs;
    std::size_t events = 0;
    std::size_t job_bytes = 0;

    [[nodiscard]] bool empty() const noexcept { return events == 0; }
};

struct ScalarHeader {
    double value = 0;
    Step step = 0;
    std::uint64_t time = 0;  ///< ticks, or the bits of a wall time in seconds
    std::uint32_t tag_bytes = 0;
    enum class What : std::uint32_t { Ticks = 0, WallTime = 1, Job = 2 } what = What::Ticks;
};

class SummaryQueue {
  public:
    explicit SummaryQueue(std::size_t max_queue) : max_queue_(max_queue) {}

    /// False after close().
    bool push_scalar(const ScalarHeader& header, std::string_view tag);
    bool push_job(SummaryJob job, std::size_t bytes);

    /// Ticket of a flush request; wait_for_flush() returns when it was served.
    std::uint64_t request_flush();
    void wait_for_flush(std::uint64_t ticket);
    void close();

    /// What the writer's thread should do after take().
    struct Turn {
        std::uint64_t flush_ticket = 0;  ///< serve all requests up to this one
        bool closed = false;
    };

    /// Swaps the pending batch into `batch` (emptied before). Waits until there is work: max_queue
    /// events, a flush request, the end, or `timeout_seconds`. `paced` waits a moment even when
    /// there is work, so that calls are taken in bulk.
    Turn take(SummaryBatch& batch, double timeout_seconds, bool paced);
    void served(std::uint64_t ticket);

  private:
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
    static constexpr std::size_t kSpareChunks = 64;

    [[nodiscard]] bool full() const noexcept {
        return pending_.chunks.size() * SummaryChunk::kBytes + pending_.job_bytes > kMaxBytes;
    }

    std::byte* place(std::unique_lock<std::mutex>& lock, std::size_t bytes);
    std::byte* place_in_next_chunk(std::unique_lock<std::mutex>& lock, std::size_t bytes);
    void wake_if_due();
    void recycle(SummaryBatch& batch);

    const std::size_t max_queue_;
    std::mutex mutex_;
    std::condition_variable work_, space_, flushed_;
    SummaryBatch pending_;
    std::vector<SummaryChunk> spare_;
    bool pacing_ = false;    ///< the thread waits a moment for more; a full chunk ends that
    bool sleeping_ = false;  ///< the thread waits for enough work; only then does a caller wake it
    bool first_ = true;
    bool closed_ = false;
    std::uint64_t requested_ = 0, served_ = 0;
};

}  // namespace taffrail::sinks::tensorboard
