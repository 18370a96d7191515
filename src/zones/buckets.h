// A sketch of durations: eight buckets for each power of two, so a percentile is right within 6 %,
// whatever the clock and however many there were. Adding is one shift and one store.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace taffrail::zones {

inline constexpr std::size_t kBuckets = 496;

inline std::size_t bucket_of(std::uint64_t ticks) noexcept {
    if (ticks < 8) {
        return static_cast<std::size_t>(ticks);
    }
    // The first four digits count from 8 to 15; written so that it is three instructions.
    const auto power = static_cast<unsigned>(63 ^ std::countl_zero(ticks));
    return static_cast<std::size_t>((ticks >> (power - 3)) + std::uint64_t{8} * power - 24);
}

/// The middle of a bucket.
inline double ticks_of_bucket(std::size_t bucket) noexcept {
    if (bucket < 8) {
        return static_cast<double>(bucket);
    }
    const auto width = static_cast<double>(std::uint64_t{1} << (bucket / 8 - 1));
    return width * (static_cast<double>(8 + bucket % 8) + 0.5);
}

}  // namespace taffrail::zones
