#include "base/clock.h"

#include "base/clock_ready.h"

#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace taffrail {
namespace {

std::int64_t read_clock(clockid_t id) noexcept {
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

#if defined(__x86_64__)
// CPUID 0x80000007 bit 8: the counter runs at one rate in every power state and never stops.
bool has_invariant_tsc() noexcept {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}
#endif

struct TickSample {
    std::uint64_t at_ticks;
    std::int64_t at_ns;
};

// Reads both counters as close together as they come: the narrowest of eight tries, since a thread
// that loses its processor between two readings would be off by all the time it waited.
TickSample sample_pair(clockid_t clock) noexcept {
    TickSample best{};
    std::uint64_t narrowest = UINT64_MAX;
    for (int attempt = 0; attempt < 8; ++attempt) {
        const std::uint64_t before = ticks();
        const std::int64_t now = read_clock(clock);
        const std::uint64_t after = ticks();
        if (after - before < narrowest) {
            narrowest = after - before;
            best = {before + (after - before) / 2, now};
        }
    }
    return best;
}

}  // namespace

namespace detail {
#if defined(__x86_64__)
const bool kTicksAreTsc = has_invariant_tsc();
#else
const bool kTicksAreTsc = true;
#endif
}  // namespace detail

namespace {

// Behind kTicksAreTsc on purpose: within a file, statics are set in order, and ticks() asks it.
const TickSample kProcessStart = sample_pair(CLOCK_MONOTONIC_RAW);

}  // namespace

bool clock_is_ready() noexcept {
    return kProcessStart.at_ns != 0;
}

bool ticks_are_tsc() noexcept {
    return detail::kTicksAreTsc;
}

std::int64_t wall_time_ns() noexcept {
    return read_clock(CLOCK_REALTIME);
}

std::int64_t monotonic_ns() noexcept {
    return read_clock(CLOCK_MONOTONIC);
}

double measure_ns_per_tick() noexcept {
#if defined(__x86_64__)
    if (!detail::kTicksAreTsc) {
        return 1.0;
    }
#endif
    TickSample now = sample_pair(CLOCK_MONOTONIC_RAW);
    // Below a millisecond the read jitter would show in the rate; that only happens at the start of
    // a process.
    while (now.at_ns - kProcessStart.at_ns < 1'000'000) {
        now = sample_pair(CLOCK_MONOTONIC_RAW);
    }
    return static_cast<double>(now.at_ns - kProcessStart.at_ns) /
           static_cast<double>(now.at_ticks - kProcessStart.at_ticks);
}

TickClock make_tick_clock() noexcept {
    TickClock clock;
    clock.ns_per_tick = measure_ns_per_tick();
    const TickSample anchor = sample_pair(CLOCK_REALTIME);
    clock.anchor_ticks = anchor.at_ticks;
    clock.anchor_wall_ns = anchor.at_ns;
    return clock;
}

}  // namespace taffrail
