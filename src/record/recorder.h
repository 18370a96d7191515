// The write side of a run as log calls see it. Recorders are never destroyed: a log call of another
// thread may stand in one when its run ends. One whose run is gone serves a later run.
#pragma once

#include <taffrail/recording.h>

#include "base/clock.h"
#include "record/key_registry.h"
#include "record/session.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace taffrail::record {

/// The producer of the calling thread for the recorder it used last.
struct ThreadSlot {
    Recorder* recorder;
    Producer* producer;     ///< only good while `version` is the recorder's
    std::uint32_t version;  ///< of the context that the producer's ring was told last
    /// A log call of this thread is under way: what it may touch stays until it is out.
    std::atomic<std::uint32_t> inside;
};

// initial-exec: one instruction instead of a call into the dynamic linker; 24 bytes fit the spare
// static TLS of any process.
extern constinit thread_local ThreadSlot thread_slot __attribute__((tls_model("initial-exec")));

/// Around everything that touches a producer. Two plain stores: who waits for them (Session::quiet)
/// pays for the order.
class InsideLogCall {
  public:
    InsideLogCall() noexcept {
        thread_slot.inside.store(1, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }

    ~InsideLogCall() { thread_slot.inside.store(0, std::memory_order_release); }

    InsideLogCall(const InsideLogCall&) = delete;
    InsideLogCall& operator=(const InsideLogCall&) = delete;
};

class Recorder {
  public:
    using SessionFactory = std::function<Result<SessionParts>()>;

    /// `again` makes the session of a forked child, at its first log call.
    static Recorder& create(RecorderOptions options, SessionFactory again);

    Result<void> start(SessionParts parts);

    /// The run is finished and nobody can ask it anything any more: gives all memory back but the
    /// rows that were given out as handles, and may serve another run.
    void release() noexcept;

    [[nodiscard]] KeyRegistry& keys() noexcept { return *keys_; }

    /// One entry of `row.width` values. The hot path: no lock, no allocation, no system call.
    void log(const detail::RowCore& row, Step step, const double* values) noexcept {
        log_entry(row, pack_word0(EntryType::Row, 0, kAllSinks, row.schema), step, values);
    }

    void log(const detail::RowCore& row, Step step, const double* values,
             Routing routing) noexcept {
        log_entry(row,
                  pack_word0(EntryType::Row, routing.visible ? 0 : kHiddenFlag, routing.route,
                             row.schema),
                  step, values);
    }

    /// Byte entries; long ones go through the spool. `id` is a key for values. False: not taken,
    /// counted.
    bool log_bytes(BytesKind kind, std::uint32_t id, Step step, std::span<const ByteSpan> parts,
                   Routing routing = {}, bool always_spool = false) noexcept;

    /// Changes the context of later entries of all threads.
    template <typename Change>
    void change_context(Change change) noexcept {
        const std::lock_guard guard(context_mutex_);
        change(context_);
        version_.fetch_add(2, std::memory_order_release);
    }

    Result<void> flush(bool durable, std::chrono::milliseconds limit);
    /// Later log calls are counted as errors. Idempotent.
    Result<void> finish(RunState state, std::chrono::milliseconds limit);

    [[nodiscard]] bool closed() const noexcept {
        return (version_.load(std::memory_order_relaxed) & 1) != 0;
    }

    /// Counts a failed log call; says so once per cause.
    void count_error(std::string_view cause, std::string_view message) noexcept;
    /// A failure of the store or the collector; the first one stays for check().
    void report(const Error& error) noexcept;
    [[nodiscard]] std::optional<Error> first_failure() const;
    [[nodiscard]] std::optional<Error> first_call_failure() const;
    [[nodiscard]] RunStats stats() const noexcept;

    /// The session of this process; null before start(), in a child that has not logged yet, and
    /// after finish().
    [[nodiscard]] std::shared_ptr<Session> session() const noexcept;
    /// The same, started when this is a child that has none yet.
    std::shared_ptr<Session> ensure_session() noexcept;

    /// False as long as no child can be writing beside this process.
    [[nodiscard]] bool has_forked() const noexcept {
        return has_forked_.load(std::memory_order_relaxed);
    }

  private:
    friend struct AllRecorders;

    Recorder() : keys_(std::make_unique<KeyRegistry>(this)) {}

    void log_entry(const detail::RowCore& row, std::uint64_t word0, Step step,
                   const double* values) noexcept;

    // As it was before the run was closed. A thread must never remember the number of a closed one:
    // it would find nothing changed at its next call and write where nothing is any more.
    [[nodiscard]] std::uint32_t open_version() const noexcept {
        return version_.load(std::memory_order_acquire) & ~1u;
    }

    // Everything the hot path leaves out; null when the call is not taken.
    Producer* prepare(const detail::RowCore* row, std::uint64_t words,
                      std::uint64_t values) noexcept;
    Producer* thread_producer(const std::shared_ptr<Session>& session,
                              std::uint64_t values) noexcept;

    std::atomic<std::uint32_t> version_{2};  // bit 0: closed
    RecorderOptions options_;
    SessionFactory again_;
    std::unique_ptr<KeyRegistry> keys_;

    mutable std::mutex context_mutex_;
    Context context_;

    mutable std::mutex session_mutex_;
    std::shared_ptr<Session> session_;
    bool forked_ = false;                  // this is a child that has not logged yet
    std::atomic<bool> has_forked_{false};  // this has, or had, children
    RunStats past_;                        // of sessions that ended

    std::atomic<std::uint64_t> errors_{0};
    mutable std::mutex failure_mutex_;
    std::optional<Error> failure_, call_failure_;
};

inline void Recorder::log_entry(const detail::RowCore& row, std::uint64_t word0, Step step,
                                const double* values) noexcept {
    const InsideLogCall inside;
    const std::uint32_t width = row.width;
    const std::uint64_t words = kRowWords + width;
    Producer* producer = thread_slot.producer;
    if (thread_slot.recorder != this ||
        thread_slot.version != version_.load(std::memory_order_relaxed) ||
        words > static_cast<std::uint64_t>(producer->limit - producer->cursor)) [[unlikely]] {
        producer = prepare(&row, words, width);
        if (producer == nullptr) {
            return;
        }
    }
    std::uint64_t* at = producer->cursor;
    at[0] = word0;
    at[1] = static_cast<std::uint64_t>(step);
    at[2] = ticks();
    for (std::uint32_t i = 0; i < width; ++i) {
        at[kRowWords + i] = std::bit_cast<std::uint64_t>(values[i]);
    }
    producer->count(width);
    producer->publish(words);
}

}  // namespace taffrail::record
