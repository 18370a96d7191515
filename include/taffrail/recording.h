// How a run records: what happens when its rings are full, when its log is forced to the disk, and
// what is counted.
#pragma once

#include <cstdint>

namespace taffrail {

/// What to do when the rings and their budget are full.
enum class Overflow : std::uint8_t {
    Block,     ///< wait at most RunOptions::overflow_wait, then count the gap exactly
    CountGap,  ///< count the gap exactly, at once
};

/// When the log is forced to the disk itself (kill -9 never loses anything, whatever is chosen
/// here).
enum class Durability : std::uint8_t {
    Async,  ///< at least every 5 s, at roll and finish
    Sync,   ///< every flush (100 ms)
};

/// Counters of a run; all monotonic.
struct RunStats {
    std::uint64_t records = 0;     ///< values taken by log calls
    std::uint64_t written = 0;     ///< values in the log
    std::uint64_t gaps = 0;        ///< values counted as lost by overflow, exact
    std::uint64_t blocked_ns = 0;  ///< time log calls waited for room
    std::uint64_t errors = 0;      ///< tier 1 failures (bad shape, unknown dtype, after finish, …)
    std::uint64_t bytes_written = 0;
};

}  // namespace taffrail
