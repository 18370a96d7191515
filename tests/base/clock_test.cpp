#include "base/clock.h"

#include <gtest/gtest.h>
#include <time.h>

namespace taffrail {
namespace {

// Against the kernel's own clock; the wait is long enough for the rate to show.
TEST(TickClock, RunsAtTheSpeedOfTheWall) {
    const TickClock clock = make_tick_clock();
    const std::int64_t start_ns = monotonic_ns();
    const std::uint64_t start = ticks();
    while (monotonic_ns() - start_ns < 20'000'000) {
    }
    const std::uint64_t end = ticks();
    const std::int64_t elapsed = monotonic_ns() - start_ns;
    const std::int64_t counted = clock.to_wall_ns(end) - clock.to_wall_ns(start);
    EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(elapsed),
                static_cast<double>(elapsed) * 0.2);
    EXPECT_NEAR(static_cast<double>(clock.to_wall_ns(ticks())), static_cast<double>(wall_time_ns()),
                5e9);
}

}  // namespace
}  // namespace taffrail
