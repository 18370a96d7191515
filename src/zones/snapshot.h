// All zones of all threads as they stand now, put together by name: what every table is made from.
#pragma once

#include "zones/buckets.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::zones {

/// Durations in ticks.
struct Sums {
    std::uint64_t calls = 0;
    std::uint64_t done = 0;  ///< of calls that ended
    std::uint64_t open = 0;  ///< of those that go on
    std::uint64_t least = UINT64_MAX;
    std::uint64_t most = 0;
    std::uint64_t values = 0;
    double value_sum = 0;
    std::vector<std::uint64_t> buckets = std::vector<std::uint64_t>(kBuckets);

    void add(const Sums& other);
    /// The duration that `share` of the calls do not exceed.
    [[nodiscard]] double percentile(double share) const;

    [[nodiscard]] std::uint64_t total() const noexcept { return done + open; }
};

struct Branch {
    std::string name = {};
    const char* file = "";  ///< of the first site of that name here
    std::uint32_t line = 0;
    Sums sums = {};
    std::vector<std::unique_ptr<Branch>> children = {};  ///< in the order they were first entered

    [[nodiscard]] std::uint64_t self() const noexcept;

    /// Entered before the last reset only.
    [[nodiscard]] bool unused() const noexcept { return sums.calls == 0 && sums.open == 0; }

    Branch& child(const std::string& wanted);
};

struct Snapshot {
    Branch root = {};   ///< no zone itself
    Branch spans = {};  ///< one level
    double seconds_per_tick = 0;
    double wall_seconds = 0;  ///< since the first zone
    std::size_t threads = 0;
    std::uint64_t not_kept = 0;
    Sums steps = {};
};

Snapshot take_snapshot();

}  // namespace taffrail::zones
