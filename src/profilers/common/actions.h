// What runs and what ran: actions by name, each a zone as well, so that a tree shows what ran
// inside of it. Memory is that of the names, however long the training is.
#pragma once

#include <taffrail/result.h>
#include <taffrail/zone.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace taffrail::profilers {

struct ActionTotals {
    std::string name = {};
    std::uint64_t calls = 0;
    double seconds = 0;
};

class Actions {
  public:
    Actions();

    Result<void> start(std::string_view action);
    Result<void> stop(std::string_view action);

    /// Those that ended at least once, by name.
    [[nodiscard]] std::vector<ActionTotals> totals() const;
    /// Since this object was made.
    [[nodiscard]] double elapsed_seconds() const;

  private:
    struct Entry {
        std::uint64_t calls = 0;
        std::int64_t nanoseconds = 0;  ///< whole numbers: the sum of a day is exact
    };

    struct Running {
        const std::string* name = nullptr;
        Entry* entry = nullptr;
        std::int64_t since_ns = 0;
        detail::OpenZone zone = {};
    };

    mutable std::mutex mutex_;
    std::map<std::string, Entry, std::less<>> entries_;
    std::unordered_map<std::thread::id, std::vector<Running>> running_;
    std::int64_t made_ns_ = 0;
};

/// "[Callback]ModelCheckpoint.on_train_end" → "on_train_end".
std::string_view without_owner(std::string_view action) noexcept;

}  // namespace taffrail::profilers
