// What could not be read in the sealed files of a run, noted where a reader met it. Reading goes on
// behind it.
#pragma once

#include <taffrail/reader.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace taffrail::seal {

/// Safe for concurrent use.
class DamageNotes {
  public:
    /// A place that was met before is not noted again.
    void add(Damage damage) {
        const std::lock_guard lock(mutex_);
        const bool known = std::any_of(list_.begin(), list_.end(), [&](const Damage& old) {
            return old.file == damage.file && old.offset == damage.offset;
        });
        if (!known) {
            list_.push_back(std::move(damage));
            any_.store(true, std::memory_order_release);
        }
    }

    /// One load: may be asked after every read.
    [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_acquire); }

    [[nodiscard]] std::vector<Damage> list() const {
        const std::lock_guard lock(mutex_);
        return list_;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Damage> list_;
    std::atomic<bool> any_ = false;
};

}  // namespace taffrail::seal
