// Sets of times as sorted ranges that do not touch: what ran when, and what it covers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace taffrail::profile::analysis {

/// [begin, end) in nanoseconds.
struct Range {
    std::int64_t begin_ns = 0, end_ns = 0;

    friend bool operator==(const Range&, const Range&) = default;
};

using Ranges = std::vector<Range>;

/// Adds without leaving the range of the type: hostile files have durations of centuries.
inline void add_to(std::int64_t& sum, std::int64_t more) noexcept {
    if (__builtin_add_overflow(sum, more, &sum)) {
        sum = more < 0 ? INT64_MIN : INT64_MAX;
    }
}

inline void take_from(std::int64_t& sum, std::int64_t less) noexcept {
    if (__builtin_sub_overflow(sum, less, &sum)) {
        sum = less > 0 ? INT64_MIN : INT64_MAX;
    }
}

/// Any ranges as a set: sorted, joined where they touch, without empty ones.
Ranges merged(Ranges ranges);
Ranges intersection(std::span<const Range> left, std::span<const Range> right);
/// What is in `left` and not in `right`.
Ranges without(std::span<const Range> left, std::span<const Range> right);
std::int64_t length_of(std::span<const Range> ranges) noexcept;
/// The part of `ranges` within `window`, found by bisection.
std::int64_t length_within(std::span<const Range> ranges, Range window) noexcept;

}  // namespace taffrail::profile::analysis
