#include "record/sink_runner.h"

#include "record/threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

namespace taffrail::record {

using Clock = std::chrono::steady_clock;

// Outlives the runner while a sink hangs: the thread holds it too.
struct SinkRunner::Shared {
    std::unique_ptr<Sink> sink;
    std::unique_ptr<LogReader> log;
    DeliveryOptions options;
    std::vector<Backlog> backlogs;
    OpenSink open_sink;
    std::deque<Delivery> deliveries;  // the backlogs not delivered yet, then the live log
    std::mutex mutex;
    std::condition_variable changed;
    bool poked = false;
    bool degraded = false;
    std::optional<RunState> ending;
    Clock::time_point deadline{};
    std::optional<Result<void>> ended;

    Shared(std::unique_ptr<Sink> s, std::unique_ptr<LogReader> l, DeliveryOptions o,
           LogPosition start, std::vector<Backlog> earlier)
        : sink(std::move(s)),
          log(std::move(l)),
          options(std::move(o)),
          backlogs(std::move(earlier)),
          open_sink(*sink) {
        for (Backlog& backlog : backlogs) {
            DeliveryOptions own = options;
            own.cursor_path = backlog.cursor_path;
            deliveries.emplace_back(open_sink, *backlog.log, std::move(own), backlog.start);
        }
        deliveries.emplace_back(open_sink, *log, options, start);
    }

    // The backlogs first; a failed one is tried again before anything newer goes out.
    Clock::time_point step(Clock::time_point now);
    Result<void> drain();
    void run();
    Result<void> end(RunState state, Clock::time_point until);
};

void SinkRunner::Shared::run() {
    std::unique_lock guard(mutex);
    while (!ending) {
        poked = false;
        guard.unlock();
        const Clock::time_point next = step(Clock::now());
        guard.lock();
        degraded = deliveries.front().failure() != nullptr;
        const auto until = degraded || sink->flush_records() == 0 ? next : Clock::time_point::max();
        // By time only: come back when it is due. By count: each batch in the log may be the one
        // that fills it.
        if (until == Clock::time_point::max()) {
            changed.wait_until(guard, next, [this] { return poked || ending; });
        } else {
            changed.wait_until(guard, until, [this] { return ending.has_value(); });
        }
    }
    const RunState state = *ending;
    const Clock::time_point until = deadline;
    guard.unlock();
    Result<void> result = end(state, until);
    guard.lock();
    ended = std::move(result);
    changed.notify_all();
}

Clock::time_point SinkRunner::Shared::step(Clock::time_point now) {
    for (;;) {
        const Clock::time_point next = deliveries.front().step(now);
        if (deliveries.size() == 1 || deliveries.front().failure() != nullptr) {
            return next;
        }
        deliveries.pop_front();
    }
}

Result<void> SinkRunner::Shared::drain() {
    for (Delivery& delivery : deliveries) {
        if (auto drained = delivery.drain(); !drained.ok()) {
            return drained;
        }
    }
    return {};
}

Result<void> SinkRunner::Shared::end(RunState state, Clock::time_point until) {
    std::chrono::milliseconds pause{20};
    for (;;) {
        Result<void> drained = drain();
        if (drained.ok()) {
            return deliveries.back().close(state);
        }
        std::unique_lock guard(mutex);
        if (Clock::now() + pause >= until) {
            guard.unlock();
            (void)sink->close(state);
            return Error{drained.error().code,
                         "'" + options.sink_name +
                             "' did not take all records: " + drained.error().message +
                             "; they are kept, run `taffrail sync` on the run to deliver them"};
        }
        changed.wait_for(guard, pause);
        pause = std::min(pause * 2, std::chrono::milliseconds(1000));
    }
}

SinkRunner::SinkRunner(std::unique_ptr<Sink> sink, std::unique_ptr<LogReader> log,
                       DeliveryOptions options, LogPosition start, std::vector<Backlog> backlogs)
    : shared_(std::make_shared<Shared>(std::move(sink), std::move(log), std::move(options), start,
                                       std::move(backlogs))) {
    start_quiet_thread("taffrail-sink", [shared = shared_] { shared->run(); }).detach();
}

SinkRunner::~SinkRunner() {
    (void)finish(RunState::Aborted, Clock::now());
}

void SinkRunner::poke() noexcept {
    {
        const std::lock_guard guard(shared_->mutex);
        shared_->poked = true;
    }
    shared_->changed.notify_all();
}

void SinkRunner::ask_to_finish(RunState state, Clock::time_point deadline) noexcept {
    const std::lock_guard guard(shared_->mutex);
    if (!shared_->ending) {
        shared_->ending = state;
        shared_->deadline = deadline;
    }
    shared_->changed.notify_all();
}

Result<void> SinkRunner::finish(RunState state, Clock::time_point deadline) {
    ask_to_finish(state, deadline);
    std::unique_lock guard(shared_->mutex);
    if (!shared_->changed.wait_until(guard, deadline + std::chrono::milliseconds(50),
                                     [this] { return shared_->ended.has_value(); })) {
        return Error{ErrorCode::Timeout,
                     "'" + name() +
                         "' does not answer; what it has not taken is kept, run `taffrail sync` on "
                         "the run to deliver it"};
    }
    return *shared_->ended;
}

const std::string& SinkRunner::name() const noexcept {
    return shared_->options.sink_name;
}

bool SinkRunner::degraded() const noexcept {
    const std::lock_guard guard(shared_->mutex);
    return shared_->degraded;
}

}  // namespace taffrail::record
