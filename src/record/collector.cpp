#include "record/collector.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "record/futex.h"
#include "record/recorder.h"

#include <algorithm>

namespace taffrail::record {
namespace {

using namespace std::chrono_literals;

constexpr auto kShortestNap = 1ms;
constexpr auto kLongestRetry = 1000ms;
constexpr auto kHeartbeat = 30s;
constexpr auto kClockRefresh = 1s;

}  // namespace

Collector::Collector(Session& session)
    : session_(session),
      drain_(std::make_unique<Drain>(session.recorder_.keys(), session.parts_.identity.clock,
                                     session.parts_.next_seq, session.parts_.first_step)) {
    worker_ = std::make_unique<ValueWorker>(
        *session_.spool_,
        ValueWorker::Hooks{
            .encode = session_.parts_.encode,
            .put_blob =
                [this](ByteSpan bytes, const BlobRef& ref) {
                    const std::lock_guard guard(log_mutex_);
                    return session_.parts_.log->put_blob(bytes, ref);
                },
            .completed = [this] { wake(); },
            .failed = [this](const Error& error) { session_.recorder_.report(error); }});
    nap_ = session_.options_.flush_interval;
    last_pass_ = last_sync_ = last_append_ = last_clock_ = Clock::now();
    thread_ = start_quiet_thread("taffrail", [this] { run(); });
}

Collector::~Collector() {
    {
        const std::lock_guard guard(mutex_);
        stop_ = true;
    }
    wake();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Collector::wake() noexcept {
    wake_word_.fetch_add(1, std::memory_order_release);
    futex_wake(wake_word_);
}

void Collector::run() {
    for (;;) {
        std::uint64_t request = 0;
        bool durable = false, stop = false;
        {
            const std::lock_guard guard(mutex_);
            request = ticket_.requested;
            durable = ticket_.durable;
            stop = stop_;
        }
        if (stop) {
            return;
        }
        refresh_clock();
        bool well = pass();
        well = sync_if_due(durable) && well;
        // Asked here, where values are written: elsewhere one may be neither under way nor in the
        // log.
        const bool values_done = !holding_ && worker_->idle();
        keep_alive();
        {
            const std::lock_guard guard(mutex_);
            if (ticket_.done != request) {
                ticket_.done = request;
                ticket_.written = values_done ? request : ticket_.written;
                ticket_.synced = values_done && !unsynced_ ? request : ticket_.synced;
                ticket_.error = well ? std::nullopt : error_;
                if (ticket_.requested == request) {
                    ticket_.durable = false;
                }
                answered_.notify_all();
            }
            if (ticket_.requested != request || stop_) {
                continue;
            }
        }
        sleep();
    }
}

void Collector::sleep() {
    const std::uint32_t seen = wake_word_.load(std::memory_order_acquire);
    {
        // A request between the look above and this load would otherwise be slept through.
        const std::lock_guard guard(mutex_);
        if (ticket_.requested != ticket_.done || stop_) {
            return;
        }
    }
    std::chrono::nanoseconds nap = session_.options_.flush_interval;
    if (behind_ && !holding_) {
        return;
    }
    if (holding_) {
        nap = nap_ = std::min<std::chrono::nanoseconds>(
            std::max<std::chrono::nanoseconds>(nap_ * 2, 10ms), kLongestRetry);
    } else {
        nap_ = 5ms;
        if (fullest_rate_ > 0) {
            // Come back before the fullest ring is a quarter full.
            const double quarter = 0.25 / fullest_rate_;
            nap = std::clamp<std::chrono::nanoseconds>(
                std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(quarter, 1e18))),
                kShortestNap, nap);
        }
    }
    asleep_.store(nap > 2 * kShortestNap ? 1 : 0, std::memory_order_relaxed);
    futex_wait(wake_word_, seen, nap);
    asleep_.store(0, std::memory_order_relaxed);
}

void Collector::refresh_clock() {
    const auto now = Clock::now();
    if (now - last_clock_ < kClockRefresh) {
        return;
    }
    last_clock_ = now;
    // The rate gets more precise the longer it is measured; moving the anchor along keeps time
    // continuous.
    TickClock clock = drain_->clock();
    const std::uint64_t at = ticks();
    clock.anchor_wall_ns = clock.to_wall_ns(at);
    clock.anchor_ticks = at;
    clock.ns_per_tick = measure_ns_per_tick();
    drain_->set_clock(clock);
}

// A pass ends where the rings stood when it began: threads that log flat out must not keep flush()
// waiting for ever.
void Collector::aim() {
    {
        const std::lock_guard guard(session_.mutex_);
        for (std::size_t i = producers_.size(); i < session_.producers_.size(); ++i) {
            producers_.push_back(session_.producers_[i].get());
        }
    }
    for (Producer* producer : producers_) {
        producer->target = producer->rings.front()->state().head.load(std::memory_order_acquire);
    }
}

bool Collector::pass() {
    fullest_rate_ = 0;
    aim();
    for (;;) {
        bool full = false;
        if (!holding_) {
            drain_->start_batch();
            full = build();
            if (drain_->builder().empty() && completing_.empty()) {
                commit();
                if (full) {
                    continue;
                }
                break;
            }
        }
        if (!append()) {
            holding_ = true;
            return false;
        }
        const bool held = std::exchange(holding_, false);
        commit();
        if (!full && !held) {
            break;
        }
    }
    last_pass_ = Clock::now();
    behind_ = std::any_of(producers_.begin(), producers_.end(), [](const Producer* producer) {
        const Ring& ring = *producer->rings.front();
        return (ring.state().head.load(std::memory_order_relaxed) - producer->drain.position) * 4 >
               ring.capacity();
    });
    return true;
}

bool Collector::build() {
    add_completed();
    add_losses();
    bool full = false;
    for (Producer* producer : producers_) {
        full = take_from(*producer) || full;
    }
    return full;
}

// What was lost outside of any ring belongs in the log as well: a run must not look whole that is
// not.
void Collector::add_losses() {
    const std::uint64_t lost = session_.losses_.values.exchange(0, std::memory_order_acq_rel);
    if (lost == 0) {
        return;
    }
    lost_.fetch_add(lost, std::memory_order_relaxed);
    const TickClock& clock = drain_->clock();
    drain_->builder().batch().gaps.push_back(
        {0, lost, clock.to_wall_ns(session_.losses_.first_ticks.exchange(0)),
         clock.to_wall_ns(session_.losses_.last_ticks.load(std::memory_order_acquire))});
}

bool Collector::take_from(Producer& producer) {
    Ring& ring = *producer.rings.front();
    RingState& state = ring.state();
    // Closed before head: a head read after the closing is the last one, and the next ring follows
    // in this pass.
    const bool closed = state.closed.load(std::memory_order_acquire) != 0;
    const std::uint64_t head = producer.target;
    const bool ends_here = closed && head == state.head.load(std::memory_order_acquire);
    const std::uint64_t fill = head - producer.drain.position;
    const std::uint64_t lost = state.lost.load(std::memory_order_acquire);
    if (lost != producer.reported_lost) {
        const std::uint64_t more = lost - producer.reported_lost;
        producer.reported_lost = lost;
        lost_.fetch_add(more, std::memory_order_relaxed);
        drain_->builder().batch().gaps.push_back(
            {ring.number(), more,
             drain_->clock().to_wall_ns(
                 state.first_lost_ticks.exchange(0, std::memory_order_acq_rel)),
             drain_->clock().to_wall_ns(state.last_lost_ticks.load(std::memory_order_acquire))});
    }
    if (fill == 0) {
        producer.moved = producer.moved || ends_here;
        return ends_here;
    }
    if (!closed) {
        ring.prefault(head);
        grow(producer, fill);
    }
    const auto elapsed = std::max<std::int64_t>((Clock::now() - last_pass_).count(), 1'000'000);
    fullest_rate_ =
        std::max(fullest_rate_, static_cast<double>(fill) / static_cast<double>(ring.capacity()) /
                                    static_cast<double>(elapsed));
    const Drain::Outcome outcome = drain_->take(producer.drain, head);
    if (outcome == Drain::Outcome::Damaged) {
        // Only a stray write of the program itself can do this. Say so, leave the rest of the ring
        // out, go on.
        session_.recorder_.report(
            {ErrorCode::Corrupt,
             "a log ring was overwritten by the program; records since the last flush of one "
             "thread are lost (run under AddressSanitizer to find the stray write)"});
        drain_->builder().batch().gaps.push_back(
            {ring.number(), 1, wall_time_ns(), wall_time_ns()});
        lost_.fetch_add(1, std::memory_order_relaxed);
        producer.drain.position = head;
    }
    producer.moved = true;
    drain_->builder().batch().ring_positions.push_back({ring.number(), producer.drain.position});
    return outcome == Drain::Outcome::BatchFull || ends_here;
}

void Collector::grow(Producer& producer, std::uint64_t fill) {
    const Ring& ring = *producer.rings.back();
    if (producer.rings.size() > 1 || fill * 2 <= ring.capacity()) {
        return;
    }
    const std::uint64_t used = session_.ring_bytes_.load(std::memory_order_relaxed);
    const std::uint64_t budget = session_.options_.ring_budget_bytes;
    const std::uint64_t left = budget > used ? budget - used : 0;
    std::uint64_t bytes = ring.bytes() * 2;
    while (bytes > left && bytes > ring.bytes()) {
        bytes /= 2;
    }
    if (bytes <= ring.bytes()) {
        return;
    }
    // No room for a bigger ring is no failure: the overflow rule takes over.
    (void)session_.add_ring(producer, bytes);
}

void Collector::add_completed() {
    completing_ = worker_->take_completed();
    tlog::Batch& batch = drain_->builder().batch();
    for (const CompletedValue& value : completing_) {
        add_to(batch, value);
    }
}

bool Collector::append() {
    for (const SpooledValue& value : drain_->spooled()) {
        if (auto resolved = session_.spool_->resolve(value); !resolved.ok()) {
            session_.recorder_.report(resolved.error());
        }
    }
    const std::lock_guard guard(log_mutex_);
    auto appended = session_.parts_.log->append(drain_->finish_batch());
    if (!appended.ok()) {
        error_ = appended.error();
        session_.recorder_.report(appended.error());
        diagnose_once(DiagnosticLevel::Error, "record.append",
                      "the log cannot be written; records are kept in memory and tried again: " +
                          appended.error().message);
        return false;
    }
    error_.reset();
    unsynced_ = true;
    if (session_.parts_.appended) {
        session_.parts_.appended();
    }
    last_append_ = Clock::now();
    written_.fetch_add(drain_->builder().values(), std::memory_order_relaxed);
    bytes_.store(session_.parts_.log->bytes_written(), std::memory_order_relaxed);
    return true;
}

void Collector::commit() {
    for (const CompletedValue& value : completing_) {
        session_.spool_->done(value.spool_file);
    }
    completing_.clear();
    for (Producer* producer : producers_) {
        if (!producer->moved) {
            continue;
        }
        producer->moved = false;
        Ring& ring = *producer->rings.front();
        RingState& state = ring.state();
        const std::uint64_t position = producer->drain.position;
        auto& slot = state.contexts[0].position.load(std::memory_order_relaxed) <=
                             state.contexts[1].position.load(std::memory_order_relaxed)
                         ? state.contexts[0]
                         : state.contexts[1];
        ring.hand_back(state.tail.load(std::memory_order_relaxed), position);
        slot.context = producer->drain.context;
        slot.position.store(position, std::memory_order_release);
        state.tail.store(position, std::memory_order_release);
        state.tail_signal.fetch_add(1, std::memory_order_seq_cst);
        if (state.waiting.load(std::memory_order_seq_cst) != 0) {
            futex_wake(state.tail_signal);
        }
        // Its producer has moved on: nobody touches this ring any more.
        if (state.closed.load(std::memory_order_acquire) != 0 &&
            position == state.head.load(std::memory_order_acquire)) {
            session_.ring_bytes_.fetch_sub(ring.bytes(), std::memory_order_relaxed);
            ring.remove();
            producer->rings.pop_front();
            Ring& next = *producer->rings.front();
            producer->drain.words = next.words();
            producer->drain.capacity = next.capacity();
            producer->drain.position = 0;
            producer->target = next.state().head.load(std::memory_order_acquire);
            producer->reported_lost = 0;
        }
    }
    // Behind the rings, which somebody may wait for: without a thread of its own the worker encodes
    // here and now.
    worker_->enqueue(drain_->spooled());
}

bool Collector::sync_if_due(bool now) {
    const bool due = now || session_.options_.durability == Durability::Sync ||
                     Clock::now() - last_sync_ >= session_.options_.sync_interval;
    if (!unsynced_ || !due) {
        return true;
    }
    const std::lock_guard guard(log_mutex_);
    last_sync_ = Clock::now();
    if (auto synced = session_.parts_.log->sync(); !synced.ok()) {
        error_ = synced.error();
        session_.recorder_.report(synced.error());
        diagnose_once(DiagnosticLevel::Error, "record.sync",
                      "the log cannot be forced to disk: " + synced.error().message);
        return false;
    }
    unsynced_ = false;
    return true;
}

void Collector::keep_alive() {
    if (holding_ || Clock::now() - last_append_ < kHeartbeat) {
        return;
    }
    // An empty batch lets the log write its next checkpoint, which carries the heartbeat.
    drain_->start_batch();
    (void)append();
}

Result<void> Collector::flush(bool durable, Clock::time_point deadline) {
    for (int round = 0; round < 2; ++round) {
        std::unique_lock guard(mutex_);
        const std::uint64_t mine = ++ticket_.requested;
        ticket_.durable = ticket_.durable || durable;
        guard.unlock();
        wake();
        guard.lock();
        if (!answered_.wait_until(guard, deadline, [&] { return ticket_.done >= mine || stop_; })) {
            return Error{ErrorCode::Timeout,
                         "the log did not take everything in time; it is kept and tried again"};
        }
        if (ticket_.error) {
            return *ticket_.error;
        }
        const bool complete = (durable ? ticket_.synced : ticket_.written) >= mine;
        guard.unlock();
        if (complete) {
            break;
        }
        // Values under way count too: wait for their encoder, then for the pass that writes them.
        if (!worker_->wait_idle(deadline)) {
            return Error{ErrorCode::Timeout,
                         "values are still being encoded; they are safe in the spool"};
        }
    }
    return {};
}

Result<void> Collector::stop(Clock::time_point deadline) {
    Result<void> flushed = flush(true, deadline);
    while (!flushed.ok() && Clock::now() < deadline) {
        std::this_thread::sleep_for(10ms);
        flushed = flush(true, deadline);
    }
    {
        const std::lock_guard guard(mutex_);
        stop_ = true;
    }
    wake();
    if (thread_.joinable()) {
        thread_.join();
    }
    worker_.reset();
    return flushed;
}

Result<void> Collector::close(RunState state) {
    const std::lock_guard guard(log_mutex_);
    auto closed = session_.parts_.log->close(state);
    bytes_.store(session_.parts_.log->bytes_written(), std::memory_order_relaxed);
    // The session itself stays, for log calls of other threads that still stand inside it.
    session_.parts_.log.reset();
    drain_.reset();
    return closed;
}

}  // namespace taffrail::record
