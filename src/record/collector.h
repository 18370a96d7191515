// The one thread that empties the rings: rows become columns, columns become a batch, the batch
// goes to the log, and only then may the rings be written over. A log that fails holds everything
// up without losing it.
#pragma once

#include "record/drain.h"
#include "record/session.h"
#include "record/value_worker.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace taffrail::record {

class Collector {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Collector(Session& session);
    /// Stops at once; what is in the rings stays there.
    ~Collector();

    /// Called by log calls that find their ring filling up.
    void wake() noexcept;

    /// It may sleep for a whole flush interval: a burst should wake it.
    [[nodiscard]] bool asleep() const noexcept {
        return asleep_.load(std::memory_order_relaxed) != 0;
    }

    Result<void> flush(bool durable, Clock::time_point deadline);
    /// The last passes and the end of the thread. Ok when everything reached the log.
    Result<void> stop(Clock::time_point deadline);
    /// Closes the log after stop().
    Result<void> close(RunState state);

    [[nodiscard]] std::uint64_t values_written() const noexcept {
        return written_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t values_lost() const noexcept {
        return lost_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t bytes_written() const noexcept {
        return bytes_.load(std::memory_order_relaxed);
    }

  private:
    struct Ticket {
        std::uint64_t requested = 0, done = 0;
        std::uint64_t written = 0, synced = 0;  ///< newest one that left no value under way
        bool durable = false;
        std::optional<Error> error;
    };

    void run();
    void sleep();
    // Rings to log until they are empty. False: the log refused; the batch is kept.
    bool pass();
    bool build();
    void add_losses();
    void aim();
    bool take_from(Producer& producer);
    void grow(Producer& producer, std::uint64_t fill);
    void add_completed();
    bool append();
    void commit();
    bool sync_if_due(bool now);
    void keep_alive();
    void refresh_clock();

    Session& session_;
    std::unique_ptr<Drain>
        drain_;             ///< gone after close(): its buffers are most of a session's memory
    std::mutex log_mutex_;  // append and sync here, put_blob on the value worker
    std::unique_ptr<ValueWorker> worker_;
    std::vector<CompletedValue> completing_;  // in the batch being built
    std::vector<Producer*> producers_;        // snapshot of the session's list
    bool holding_ = false;                    // a built batch waits for the log
    std::optional<Error> error_;              // of the last append or sync

    std::atomic<std::uint32_t> wake_word_{0};
    std::atomic<std::uint32_t> asleep_{0};
    std::chrono::nanoseconds nap_{0};
    bool behind_ = false;      // a ring filled up again while it was drained
    double fullest_rate_ = 0;  // share of a ring filled per nanosecond
    Clock::time_point last_pass_, last_sync_, last_append_, last_clock_;
    bool unsynced_ = false;

    std::mutex mutex_;
    std::condition_variable answered_;
    Ticket ticket_;
    bool stop_ = false;

    std::atomic<std::uint64_t> written_{0}, lost_{0}, bytes_{0};
    std::thread thread_;
};

}  // namespace taffrail::record
