// How long somebody waits for the network. It can be shortened from another thread: a run that ends
// must not wait for a server that does not.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace taffrail::io {

class Patience {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// It ends then, however often it was longer. Safe from any thread.
    void end_by(Time end) {
        {
            const std::lock_guard guard(mutex_);
            end_ = end < end_ ? end : end_;
        }
        changed_.notify_all();
    }

    [[nodiscard]] Time end() const {
        const std::lock_guard guard(mutex_);
        return end_;
    }

    /// Waits; false when patience ends first, without waiting for that where it is known.
    bool wait_until(Time until) {
        std::unique_lock guard(mutex_);
        while (until < end_) {
            if (changed_.wait_until(guard, until) == std::cv_status::timeout) {
                return until < end_;
            }
        }
        return false;
    }

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Time end_ = Time::max();
};

}  // namespace taffrail::io
