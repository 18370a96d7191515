// Time for records: raw processor ticks on the hot path, turned into UTC nanoseconds on the
// collector.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace taffrail {

/// The cheapest monotonic counter there is: invariant TSC, else CLOCK_MONOTONIC_RAW in nanoseconds.
inline std::uint64_t ticks() noexcept;

/// Wall clock, UTC nanoseconds since 1970.
std::int64_t wall_time_ns() noexcept;
/// Monotonic nanoseconds.
std::int64_t monotonic_ns() noexcept;

/// Turns ticks into UTC: anchored once, so that a stepped wall clock never reorders the points of a
/// run.
struct TickClock {
    std::uint64_t anchor_ticks = 0;
    std::int64_t anchor_wall_ns = 0;
    double ns_per_tick = 1.0;

    [[nodiscard]] std::int64_t to_wall_ns(std::uint64_t at) const noexcept {
        // In a damaged file all three can be anything: the sum then wraps around, and a distance of
        // more than a century is none.
        const double elapsed =
            static_cast<double>(static_cast<std::int64_t>(at - anchor_ticks)) * ns_per_tick;
        const auto distance =
            elapsed > -4e18 && elapsed < 4e18 ? static_cast<std::int64_t>(elapsed) : 0;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(anchor_wall_ns) +
                                         static_cast<std::uint64_t>(distance));
    }
};

/// Anchors a clock now. The tick rate is measured once per process (a few milliseconds, in the
/// background of open).
TickClock make_tick_clock() noexcept;
/// True when ticks() reads the processor's counter.
bool ticks_are_tsc() noexcept;
/// Nanoseconds per tick, measured against CLOCK_MONOTONIC_RAW; more precise the longer the process
/// lives.
double measure_ns_per_tick() noexcept;

namespace detail {
extern const bool kTicksAreTsc;
}

inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    if (__builtin_expect(detail::kTicksAreTsc, 1)) {
        return __rdtsc();
    }
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
    return static_cast<std::uint64_t>(monotonic_ns());
}

}  // namespace taffrail
