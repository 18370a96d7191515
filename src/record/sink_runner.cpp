#include "record/sink_runner.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "base/try.h"

#include <algorithm>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>

namespace taffrail::record {

using Clock = std::chrono::steady_clock;

namespace {

// Ranks of a run finish together, but for what each has to do last.
constexpr auto kWaitForOthers = std::chrono::seconds(5);

// One log on its way to the sink.
struct Source {
    Source(OpenSink& sink, Backlog from, DeliveryOptions options)
        : log(std::move(from.log)),
          delivery(sink, *log, with_cursor(std::move(options), std::move(from.cursor_path)),
                   from.start) {}

    [[nodiscard]] bool failing() const { return delivery.failure() != nullptr; }

    [[nodiscard]] bool at_end() const { return log->at_end(delivery.position()); }

    std::unique_ptr<LogReader> log;
    Delivery delivery;

  private:
    static DeliveryOptions with_cursor(DeliveryOptions options, std::string path) {
        options.cursor_path = std::move(path);
        return options;
    }
};

}  // namespace

// Outlives the runner while a sink hangs: the thread holds it too.
struct SinkRunner::Shared {
    std::unique_ptr<Sink> sink;
    DeliveryOptions options;
    NewLogs new_logs;
    OthersGoOn others_go_on;
    OpenSink open_sink;
    std::list<Source> earlier;  // not delivered yet; before anything newer
    Source own;
    std::list<Source> beside;  // of forked children and other ranks, until they end
    Clock::time_point next_look{};
    std::mutex mutex;
    std::condition_variable changed;
    bool poked = false;
    bool degraded = false;
    std::optional<RunState> ending;
    std::string reason;  // set with `ending`, never again
    Clock::time_point deadline{};
    std::optional<Result<void>> ended;

    Shared(std::unique_ptr<Sink> s, std::unique_ptr<LogReader> l, DeliveryOptions o,
           LogPosition start, std::vector<Backlog> backlogs, NewLogs n, OthersGoOn g)
        : sink(std::move(s)),
          options(std::move(o)),
          new_logs(std::move(n)),
          others_go_on(std::move(g)),
          open_sink(*sink),
          own(open_sink, Backlog{std::move(l), options.cursor_path, start}, options) {
        for (Backlog& backlog : backlogs) {
            earlier.emplace_back(open_sink, std::move(backlog), options);
        }
    }

    // Does what is due and says when to come again. A log that fails is tried again before anything
    // behind it goes out.
    Clock::time_point step(Clock::time_point now);
    Result<void> drain();
    void look_for_new_logs();
    [[nodiscard]] bool failing() const;
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
        degraded = failing();
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

void SinkRunner::Shared::look_for_new_logs() {
    if (!new_logs) {
        return;
    }
    for (Backlog& found : new_logs()) {
        beside.emplace_back(open_sink, std::move(found), options);
    }
}

bool SinkRunner::Shared::failing() const {
    return own.failing() || std::ranges::any_of(earlier, &Source::failing) ||
           std::ranges::any_of(beside, &Source::failing);
}

Clock::time_point SinkRunner::Shared::step(Clock::time_point now) {
    while (!earlier.empty()) {
        const Clock::time_point next = earlier.front().delivery.step(now);
        if (earlier.front().failing()) {
            return next;
        }
        earlier.pop_front();
    }
    const Clock::time_point next = own.delivery.step(now);
    if (own.failing()) {
        return next;
    }
    if (now >= next_look) {
        look_for_new_logs();
        next_look = now + sink->flush_interval();
    }
    for (auto source = beside.begin(); source != beside.end();) {
        const Clock::time_point again = source->delivery.step(now);
        if (source->failing()) {
            return std::min(next, again);
        }
        // Draining notes that the log was seen to its end, so that nobody opens the sink for it.
        const bool done = source->at_end() && source->delivery.drain().ok();
        source = done ? beside.erase(source) : std::next(source);
    }
    return next;
}

Result<void> SinkRunner::Shared::drain() {
    look_for_new_logs();
    const auto drain_all = [](std::list<Source>& sources) -> Result<void> {
        for (Source& source : sources) {
            TAFFRAIL_TRY(source.delivery.drain());
        }
        return {};
    };
    TAFFRAIL_TRY(drain_all(earlier));
    TAFFRAIL_TRY(own.delivery.drain());
    return drain_all(beside);
}

Result<void> SinkRunner::Shared::end(RunState state, Clock::time_point until) {
    std::chrono::milliseconds pause{20};
    const Clock::time_point wait_until = std::min(until, Clock::now() + kWaitForOthers);
    for (;;) {
        // Asked before the logs are read: what somebody wrote who has ended is in them.
        const bool others_write = others_go_on && others_go_on();
        Result<void> drained = drain();
        if (drained.ok()) {
            if (others_write && Clock::now() + pause < wait_until) {
                std::unique_lock guard(mutex);
                changed.wait_for(guard, pause);
                continue;
            }
            if (!std::ranges::all_of(beside, &Source::at_end)) {
                diagnose_once(DiagnosticLevel::Warning, "sink." + options.sink_name + ".children",
                              "another process of the run goes on after it was finished here; what "
                              "that logs now is kept, run `taffrail sync` on the run to deliver it "
                              "to '" +
                                  options.sink_name + "'");
            }
            if (!reason.empty()) {
                sink->give_reason(reason);
            }
            return own.delivery.close(state);
        }
        std::unique_lock guard(mutex);
        if (Clock::now() + pause >= until) {
            guard.unlock();
            if (!reason.empty()) {
                sink->give_reason(reason);
            }
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
                       DeliveryOptions options, LogPosition start, std::vector<Backlog> backlogs,
                       NewLogs new_logs, OthersGoOn others_go_on)
    : shared_(std::make_shared<Shared>(std::move(sink), std::move(log), std::move(options), start,
                                       std::move(backlogs), std::move(new_logs),
                                       std::move(others_go_on))) {
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

void SinkRunner::ask_to_finish(RunState state, Clock::time_point deadline,
                               std::string reason) noexcept {
    {
        const std::lock_guard guard(shared_->mutex);
        if (!shared_->ending) {
            shared_->ending = state;
            shared_->reason = std::move(reason);
            shared_->deadline = deadline;
        }
    }
    shared_->changed.notify_all();
    shared_->sink->finish_by(deadline);
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
