#include "record/session.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "record/collector.h"
#include "record/futex.h"
#include "record/membarrier.h"
#include "record/orphan.h"
#include "record/recorder.h"
#include "record/spool.h"

#include <algorithm>

namespace taffrail::record {

using namespace std::chrono_literals;

namespace {

// Enough for the records of some seconds, little beside what a training holds.
constexpr std::uint64_t kMemoryRingBytes = 512 << 10;

}  // namespace

Session::Session(Recorder& recorder, const RecorderOptions& options, SessionParts parts)
    : recorder_(recorder), options_(options), parts_(std::move(parts)) {}

Session::~Session() = default;

Result<std::shared_ptr<Session>> Session::start(Recorder& recorder, const RecorderOptions& options,
                                                SessionParts parts) {
    announce_barriers();  // before there are threads of ours
    std::shared_ptr<Session> session(new Session(recorder, options, std::move(parts)));
    auto definitions =
        DefinitionsFile::create(session->parts_.ring_folder, session->parts_.identity);
    for (int tries = 0;
         tries < 100 && !definitions.ok() && definitions.error().code == ErrorCode::NotFound;
         ++tries) {
        // A process that ended took the empty folder away between our look and our step.
        TAFFRAIL_TRY(make_ring_folder(session->parts_.ring_folder));
        definitions =
            DefinitionsFile::create(session->parts_.ring_folder, session->parts_.identity);
    }
    if (!definitions.ok()) {
        return definitions.error();
    }
    session->definitions_ = *std::move(definitions);
    TAFFRAIL_TRY(recorder.keys().attach(session->definitions_.get()));
    session->spool_ =
        std::make_unique<Spool>(session->parts_.ring_folder, session->parts_.identity);
    try {
        session->collector_ = std::make_unique<Collector>(*session);
    } catch (const std::system_error& error) {
        recorder.keys().detach();
        return Error{ErrorCode::Unavailable, std::string("cannot start the recording thread: ") +
                                                 error.what() +
                                                 "; raise the limit of processes (ulimit -u)"};
    }
    return session;
}

Ring* Session::adopt_ring(Producer& producer, std::unique_ptr<Ring> ring) {
    ++producer.generation;
    ring_bytes_.fetch_add(ring->bytes(), std::memory_order_relaxed);
    Ring* raw = ring.get();
    producer.rings.push_back(std::move(ring));
    producer.next.store(raw, std::memory_order_release);
    return raw;
}

Result<Ring*> Session::add_ring(Producer& producer, std::uint64_t bytes) {
    TAFFRAIL_ASSIGN(auto ring,
                    Ring::create(parts_.ring_folder, parts_.identity, next_ring_.fetch_add(1),
                                 producer.number, producer.generation, bytes));
    return adopt_ring(producer, std::move(ring));
}

// On a full disk a quarter of the size leaves room for the log itself; when even the smallest finds
// none, or there are no descriptors left, records wait in plain memory: safe from everything but
// the death of the process.
Result<Ring*> Session::add_first_ring(Producer& producer, std::uint64_t bytes) {
    Result<Ring*> ring = add_ring(producer, bytes);
    for (; !ring.ok() && ring.error().code == ErrorCode::NoSpace && bytes > kMinRingBytes;
         ring = add_ring(producer, bytes)) {
        bytes = std::max<std::uint64_t>(bytes / 4, kMinRingBytes);
    }
    if (ring.ok()) {
        return ring;
    }
    diagnose_once(DiagnosticLevel::Warning, "record.ring",
                  "records of a thread wait in memory, where a crash would lose those of the last "
                  "moment: " +
                      ring.error().message);
    TAFFRAIL_ASSIGN(auto in_memory,
                    Ring::create_in_memory(parts_.identity, next_ring_.fetch_add(1),
                                           producer.number, producer.generation, kMemoryRingBytes));
    return adopt_ring(producer, std::move(in_memory));
}

void Session::enter(Producer& producer, Ring& ring) noexcept {
    producer.ring = &ring;
    producer.state = &ring.state();
    producer.cursor = producer.limit = ring.words();
    producer.head = 0;
    producer.version = 0;  // a ring starts without context: tell it
}

Producer* Session::acquire(ThreadSlot* owner, std::uint64_t values) noexcept {
    std::unique_ptr<Producer> fresh;
    {
        const std::lock_guard guard(mutex_);
        if (ended_) {
            return nullptr;
        }
        kept_ = kept_ || owner == nullptr;
        if (!free_.empty()) {
            Producer* known = free_.back();
            free_.pop_back();
            known->owner = owner;
            return known;
        }
    }
    try {
        fresh = std::make_unique<Producer>();
        // Many threads share the budget: late comers start smaller, and all can grow while there is
        // some left.
        const std::uint64_t used = ring_bytes_.load(std::memory_order_relaxed);
        const std::uint64_t budget = options_.ring_budget_bytes;
        const std::uint64_t left = budget > used ? budget - used : 0;
        const std::uint64_t bytes =
            std::max<std::uint64_t>(std::min(options_.ring_bytes, left / 4), kMinRingBytes);
        {
            const std::lock_guard guard(mutex_);
            fresh->number = next_producer_++;
        }
        auto ring = add_first_ring(*fresh, bytes);
        if (!ring.ok()) {
            recorder_.report(ring.error());
            diagnose_once(DiagnosticLevel::Error, "record.thread",
                          "a thread cannot record: " + ring.error().message);
            lose(values);
            return nullptr;
        }
        fresh->next.store(nullptr, std::memory_order_relaxed);
        enter(*fresh, **ring);
        fresh->drain.words = (*ring)->words();
        fresh->drain.capacity = (*ring)->capacity();
        fresh->owner = owner;
        const std::lock_guard guard(mutex_);
        if (ended_) {
            (*ring)->retire();
            return nullptr;
        }
        producers_.push_back(std::move(fresh));
        return producers_.back().get();
    } catch (const std::bad_alloc&) {
        lose(values);
        return nullptr;
    }
}

void Session::release(Producer* producer) noexcept {
    const std::lock_guard guard(mutex_);
    producer->owner = nullptr;
    free_.push_back(producer);
}

void Session::lose(std::uint64_t values) noexcept {
    const std::uint64_t now = ticks();
    std::uint64_t none = 0;
    losses_.first_ticks.compare_exchange_strong(none, now, std::memory_order_acq_rel);
    losses_.last_ticks.store(now, std::memory_order_release);
    losses_.values.fetch_add(values, std::memory_order_release);
}

bool Session::quiet() noexcept {
    {
        const std::lock_guard guard(mutex_);
        ended_ = true;
    }
    // From here on every log call finds the run closed; those that looked before are inside.
    if (!barrier_in_all_threads()) {
        return false;
    }
    const auto deadline = std::chrono::steady_clock::now() + 1s;
    for (;;) {
        {
            // Threads take this lock before their slot goes.
            const std::lock_guard guard(mutex_);
            const bool busy =
                std::any_of(producers_.begin(), producers_.end(), [](const auto& one) {
                    return one->owner != nullptr &&
                           one->owner->inside.load(std::memory_order_acquire) != 0;
                });
            if (kept_ || !busy) {
                return !kept_;
            }
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            return false;
        }
        std::this_thread::yield();
    }
}

Session::Room Session::make_room(Producer& producer, std::uint64_t words,
                                 std::uint64_t values) noexcept {
    auto waited_since = std::chrono::steady_clock::time_point{};
    for (;;) {
        if (Ring* next = producer.next.load(std::memory_order_acquire)) {
            producer.next.store(nullptr, std::memory_order_relaxed);
            producer.state->closed.store(1, std::memory_order_release);
            enter(producer, *next);
            continue;
        }
        const std::uint64_t capacity = producer.ring->capacity();
        const std::uint64_t at = producer.head & (capacity - 1);
        producer.cursor = producer.limit =
            producer.ring->words() + at;  // at the end of a lap it stands behind the last word
        const std::uint64_t tail = producer.state->tail.load(std::memory_order_acquire);
        const std::uint64_t used = producer.head - tail;
        std::uint64_t lap = capacity - at;
        std::uint64_t room = capacity - used;
        if (used * 4 >= capacity && collector_->asleep()) {
            collector_->wake();
        }
        if (room >= (words <= lap ? words : lap + words)) {
            if (words > lap) {
                producer.cursor[0] =
                    pack_word0(EntryType::Pad, 0, 0, static_cast<std::uint32_t>(lap));
                producer.head += lap;
                producer.cursor = producer.ring->words();
                room -= lap;
                lap = capacity;
            }
            // No further than a quarter at a time, to come by here and wake a sleeping collector
            // early enough.
            producer.limit = producer.cursor + std::min({lap, room, std::max(words, capacity / 4)});
            producer.counting_gaps = false;
            return Room::Ready;
        }
        const auto now = std::chrono::steady_clock::now();
        if (waited_since == std::chrono::steady_clock::time_point{}) {
            waited_since = now;
        }
        const bool wait = options_.overflow == Overflow::Block && !producer.counting_gaps &&
                          !closing_.load(std::memory_order_relaxed) &&
                          now - waited_since < options_.overflow_wait;
        if (!wait) {
            producer.counting_gaps = true;
            const std::uint64_t at_ticks = ticks();
            std::uint64_t none = 0;
            producer.state->first_lost_ticks.compare_exchange_strong(none, at_ticks,
                                                                     std::memory_order_acq_rel);
            producer.state->last_lost_ticks.store(at_ticks, std::memory_order_release);
            producer.state->lost.fetch_add(values, std::memory_order_release);
            diagnose_once(DiagnosticLevel::Error, "record.gap",
                          "records come faster than the log takes them, or it cannot be written; "
                          "what finds no room "
                          "is counted as a gap (see RunOptions::ring_budget_bytes and overflow)");
            return Room::Full;
        }
        wait_for_room(producer, tail);
        const auto slept = std::chrono::steady_clock::now() - now;
        blocked_ns_.fetch_add(static_cast<std::uint64_t>(slept.count()), std::memory_order_relaxed);
    }
}

bool Session::wait_for_room(Producer& producer, std::uint64_t tail) noexcept {
    RingState& state = *producer.state;
    const std::uint32_t signal = state.tail_signal.load(std::memory_order_seq_cst);
    state.waiting.store(1, std::memory_order_seq_cst);
    if (state.tail.load(std::memory_order_acquire) == tail) {
        collector_->wake();
        futex_wait(state.tail_signal, signal, 20ms);
    }
    state.waiting.store(0, std::memory_order_relaxed);
    return state.tail.load(std::memory_order_acquire) != tail;
}

// A full disk holds up the program once, as a full ring does: what comes after that is lost at
// once, until there is room again.
Result<Bytes> Session::spool(std::span<const ByteSpan> parts) {
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        auto place = spool_->write(parts);
        const auto waited = std::chrono::steady_clock::now() - begin;
        if (place.ok()) {
            spool_is_full_.store(false, std::memory_order_relaxed);
            Bytes reference;
            append(reference, place->file);
            append(reference, place->offset);
            append(reference, place->length);
            return reference;
        }
        if (place.error().code != ErrorCode::NoSpace || options_.overflow != Overflow::Block ||
            closing_.load() || spool_is_full_.load(std::memory_order_relaxed)) {
            return place.error();
        }
        if (waited >= options_.overflow_wait) {
            spool_is_full_.store(true, std::memory_order_relaxed);
            return place.error();
        }
        constexpr auto kPause = 10ms;
        std::this_thread::sleep_for(kPause);
        blocked_ns_.fetch_add(std::chrono::nanoseconds(kPause).count(), std::memory_order_relaxed);
    }
}

Result<void> Session::flush(bool durable, std::chrono::milliseconds limit) {
    return collector_->flush(durable, std::chrono::steady_clock::now() + limit);
}

Result<void> Session::finish(RunState state, std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    closing_.store(true);
    Result<void> stopped = collector_->stop(deadline);
    Result<void> closed = stopped.ok() ? collector_->close(state) : Result<void>();
    recorder_.keys().attach(nullptr).value();
    const std::lock_guard guard(mutex_);
    ended_ = true;
    if (stopped.ok()) {
        for (const auto& producer : producers_) {
            for (const auto& ring : producer->rings) {
                ring->retire();
            }
        }
        spool_->remove_all();
        (void)io::remove(definitions_->path());
        (void)io::remove(parts_.ring_folder);  // stays while other writers use it
    }
    definitions_.reset();  // gives the lock back: what is left may be adopted
    return stopped.ok() ? closed : stopped;
}

std::uint64_t Session::values_taken() const noexcept {
    const std::lock_guard guard(mutex_);
    std::uint64_t sum = 0;
    for (const auto& producer : producers_) {
        sum += producer->values.load(std::memory_order_relaxed);
    }
    return sum;
}

std::uint64_t Session::values_written() const noexcept {
    return collector_->values_written();
}

std::uint64_t Session::values_lost() const noexcept {
    return collector_->values_lost();
}

std::uint64_t Session::bytes_written() const noexcept {
    return collector_->bytes_written();
}

}  // namespace taffrail::record
