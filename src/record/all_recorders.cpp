#include "record/all_recorders.h"

#include "base/diagnostics.h"
#include "base/fork_guard.h"
#include "io/locks.h"

#include <pthread.h>

namespace taffrail::record {

AllRecorders& AllRecorders::instance() {
    static auto* all = new AllRecorders;
    return *all;
}

Recorder& AllRecorders::take(RecorderOptions options, Recorder::SessionFactory again) {
    // Taken while the locks of recorders are held, so they come first here and last at a fork.
    guard_diagnostics_over_fork();
    io::guard_locks_over_fork();
    static const int registered =
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    (void)registered;
    AllRecorders& all = instance();
    const std::lock_guard guard(all.mutex_);
    if (all.free_.empty()) {
        all.recorders_.emplace_back(new Recorder);
        all.free_.push_back(all.recorders_.back().get());
    }
    Recorder& recorder = *all.free_.back();
    all.free_.pop_back();
    recorder.options_ = std::move(options);
    recorder.again_ = std::move(again);
    // Never a number it had before: what threads remember of an earlier run is out of date.
    recorder.version_.fetch_add(recorder.closed() ? 1 : 2, std::memory_order_acq_rel);
    return recorder;
}

void AllRecorders::give_back(Recorder& recorder) noexcept {
    Recorder& closed = gone();
    AllRecorders& all = instance();
    try {
        // One lock after the other: a fork takes the list's first.
        auto handles = recorder.keys_->take_handles(&closed);
        auto keys = std::make_unique<KeyRegistry>(&recorder);
        const std::lock_guard guard(all.mutex_);
        for (auto& row : handles) {
            all.handles_.push_back(std::move(row));
        }
        all.free_.reserve(all.recorders_.size());
        recorder.keys_.swap(keys);
        recorder.again_ = nullptr;
        recorder.context_ = {};
        recorder.forked_ = false;
        recorder.has_forked_ = false;
        recorder.past_ = {};
        recorder.errors_ = 0;
        {
            // Threads that log after the end still note that they did.
            const std::lock_guard failure_guard(recorder.failure_mutex_);
            recorder.failure_.reset();
            recorder.call_failure_.reset();
        }
        all.free_.push_back(&recorder);
    } catch (const std::bad_alloc&) {
        // It stays as it is and serves nobody any more.
    }
}

void AllRecorders::keep(std::shared_ptr<Session> session) noexcept {
    AllRecorders& all = instance();
    const std::lock_guard guard(all.mutex_);
    all.abandoned_.push_back(std::move(session));
}

Recorder& AllRecorders::gone() {
    static Recorder& closed = [&]() -> Recorder& {
        Recorder& made = take({}, {});
        made.version_.fetch_or(1, std::memory_order_acq_rel);
        return made;
    }();
    return closed;
}

std::size_t AllRecorders::count() {
    const std::lock_guard guard(instance().mutex_);
    return instance().recorders_.size();
}

// fork() copies one thread and all memory. The tables must be whole in the child, so their locks
// are taken over the fork; sessions belong to the parent, so the child lets go of them without a
// word.
void AllRecorders::before_fork() {
    instance().mutex_.lock();
    for (const auto& recorder : instance().recorders_) {
        recorder->session_mutex_.lock();
        recorder->keys_->mutex().lock();
        recorder->context_mutex_.lock();
        recorder->failure_mutex_.lock();
    }
}

void AllRecorders::after_fork() {
    for (const auto& recorder : instance().recorders_) {
        recorder->failure_mutex_.unlock();
        recorder->context_mutex_.unlock();
        recorder->keys_->mutex().unlock();
        recorder->session_mutex_.unlock();
    }
    instance().mutex_.unlock();
}

void AllRecorders::after_fork_in_parent() {
    for (const auto& recorder : instance().recorders_) {
        recorder->has_forked_.store(true, std::memory_order_relaxed);
    }
    after_fork();
}

void AllRecorders::after_fork_in_child() {
    forget_thread_producers();
    for (const auto& recorder : instance().recorders_) {
        if (recorder->session_) {
            instance().abandoned_.push_back(std::move(recorder->session_));
            recorder->forked_ = true;
        }
        recorder->keys_->detach();
        recorder->past_ = {};
    }
    after_fork();
}

Recorder& Recorder::create(RecorderOptions options, SessionFactory again) {
    return AllRecorders::take(std::move(options), std::move(again));
}

void Recorder::release() noexcept {
    if (closed()) {
        AllRecorders::give_back(*this);
    }
}

}  // namespace taffrail::record
