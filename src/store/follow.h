// Waiting until something in a store changes: the kernel says so where it can, else by the clock.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace taffrail::storage {

/// Watches folders (not what is below them). One thread at a time. Network file systems do not
/// report what other machines write, and watches are limited in number: wait() then returns after
/// `poll_interval`, as if there was news.
class Follower {
  public:
    explicit Follower(std::chrono::milliseconds poll_interval = std::chrono::seconds(1));
    ~Follower();
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    /// Adds a folder; false when it can only be polled.
    bool watch(const std::string& folder);
    /// The folders that matter for a run: its own, live and meta.
    void watch_run(const std::string& run_folder);
    /// True when there may be something new; false when `timeout` passed without a sign.
    bool wait(std::chrono::milliseconds timeout);

  private:
    const std::chrono::milliseconds poll_interval_;
    int descriptor_ = -1;
    std::map<std::string, int> watches_;
    bool must_poll_ = false;
};

}  // namespace taffrail::storage
