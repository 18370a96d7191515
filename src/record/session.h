// The recording side of one process in one run: its rings, its key file, its spool, its collector
// and its log. A forked child gets a session of its own.
#pragma once

#include <taffrail/recording.h>

#include "record/definitions.h"
#include "record/log_writer.h"
#include "record/producer.h"
#include "record/value_worker.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace taffrail::record {

class Collector;
class Recorder;
class Spool;
struct ThreadSlot;

/// What a session needs from the layers above; made anew after fork().
struct SessionParts {
    WriterIdentity identity;
    std::string ring_folder;         ///< local; exists
    std::unique_ptr<LogWriter> log;  ///< never null; with Store::Off in a private folder
    std::uint64_t next_seq = 1;
    Drain::FirstStep first_step;     ///< for resumed runs
    std::function<void()> appended;  ///< called on the collector after each batch; must be quick
    EncodeValue encode;              ///< turns spooled values into records
};

struct RecorderOptions {
    Overflow overflow = Overflow::Block;
    std::chrono::milliseconds overflow_wait = std::chrono::seconds(30);
    std::chrono::milliseconds flush_interval = std::chrono::milliseconds(100);
    std::chrono::milliseconds sync_interval = std::chrono::seconds(5);
    std::uint64_t ring_budget_bytes = 64u << 20;
    std::uint64_t ring_bytes = 2u << 20;
    Durability durability = Durability::Async;
};

/// Values lost, and the ticks of the first and the last of them.
struct Losses {
    std::atomic<std::uint64_t> values{0}, first_ticks{0}, last_ticks{0};
};

class Session {
  public:
    static Result<std::shared_ptr<Session>> start(Recorder& recorder,
                                                  const RecorderOptions& options,
                                                  SessionParts parts);
    ~Session();

    /// A producer for the calling thread: one that an ended thread gave back, or a new one. `owner`
    /// says when the thread is inside a log call; null keeps this session for good. Null when there
    /// is no memory for a ring either, `values` are lost then.
    Producer* acquire(ThreadSlot* owner, std::uint64_t values) noexcept;
    /// The thread ends; what it logged stays.
    void release(Producer* producer) noexcept;

    /// Values that found no place at all: a gap in the log.
    void lose(std::uint64_t values) noexcept;
    /// After finish(): true when no thread is inside one of the producers, or will be again. Waits
    /// a moment for those that are.
    bool quiet() noexcept;

    enum class Room : std::uint8_t { Ready, Full };
    /// Makes `words` fit behind the cursor: next lap, bigger ring, or waiting as
    /// RunOptions::overflow says. `values` are counted as a gap when it is Full.
    Room make_room(Producer& producer, std::uint64_t words, std::uint64_t values) noexcept;

    /// Puts a value into the spool; the result is the payload of a Bytes entry of kind Spooled.
    Result<Bytes> spool(std::span<const ByteSpan> parts);

    /// Everything pushed before this call is in the log (and on the disk) when it returns.
    Result<void> flush(bool durable, std::chrono::milliseconds limit);
    /// Drains, waits for the values under way, closes the log. When all of it is in the log, rings
    /// and spool are removed.
    Result<void> finish(RunState state, std::chrono::milliseconds limit);

    [[nodiscard]] std::uint64_t blocked_ns() const noexcept {
        return blocked_ns_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t values_taken() const noexcept;
    [[nodiscard]] std::uint64_t values_written() const noexcept;
    [[nodiscard]] std::uint64_t values_lost() const noexcept;
    [[nodiscard]] std::uint64_t bytes_written() const noexcept;

    [[nodiscard]] const WriterIdentity& identity() const noexcept { return parts_.identity; }

    [[nodiscard]] const std::string& ring_folder() const noexcept { return parts_.ring_folder; }

  private:
    friend class Collector;

    Session(Recorder& recorder, const RecorderOptions& options, SessionParts parts);
    Result<Ring*> add_ring(Producer& producer, std::uint64_t bytes);
    Result<Ring*> add_first_ring(Producer& producer, std::uint64_t bytes);
    Ring* adopt_ring(Producer& producer, std::unique_ptr<Ring> ring);
    void enter(Producer& producer, Ring& ring) noexcept;
    bool wait_for_room(Producer& producer, std::uint64_t tail) noexcept;

    Recorder& recorder_;
    RecorderOptions options_;
    SessionParts parts_;
    std::unique_ptr<DefinitionsFile> definitions_;
    std::unique_ptr<Spool> spool_;

    mutable std::mutex mutex_;  // the two lists; never held over I/O of the log
    std::vector<std::unique_ptr<Producer>> producers_;
    std::vector<Producer*> free_;
    std::uint32_t next_producer_ = 0;
    std::atomic<std::uint32_t> next_ring_{1};
    std::atomic<std::uint64_t> ring_bytes_{0};
    std::atomic<std::uint64_t> blocked_ns_{0};
    std::atomic<bool> spool_is_full_{false};  ///< it was waited for, in vain
    std::atomic<bool> closing_{false};
    bool ended_ = false, kept_ = false;  // no new producers; one of them belongs to an ended thread
    Losses losses_;                      // outside of any ring

    std::unique_ptr<Collector> collector_;
};

}  // namespace taffrail::record
