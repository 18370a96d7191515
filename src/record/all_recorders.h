// All recorders of the process: kept for ever, used again, and whole in a forked child.
#pragma once

#include "record/recorder.h"

#include <memory>
#include <mutex>
#include <vector>

namespace taffrail::record {

struct AllRecorders {
    /// One that no run uses, or a new one.
    static Recorder& take(RecorderOptions options, Recorder::SessionFactory again);
    /// Back for another run.
    static void give_back(Recorder& recorder) noexcept;
    /// Sessions that something may still point into.
    static void keep(std::shared_ptr<Session> session) noexcept;
    /// Closed for good: what a handle logs to whose run is gone.
    static Recorder& gone();

    /// How many were ever made.
    static std::size_t count();

  private:
    static AllRecorders& instance();
    static void before_fork();
    static void after_fork();
    static void after_fork_in_parent();
    static void after_fork_in_child();

    std::mutex mutex_;
    std::vector<std::unique_ptr<Recorder>> recorders_;
    std::vector<Recorder*> free_;
    std::vector<std::unique_ptr<detail::RowCore>> handles_;  // of runs that are gone
    std::vector<std::shared_ptr<Session>> abandoned_;
};

/// In a forked child: what its thread held belongs to the parent.
void forget_thread_producers() noexcept;

}  // namespace taffrail::record
