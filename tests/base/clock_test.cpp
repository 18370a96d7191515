#include "base/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <limits>

namespace taffrail {
namespace {

TEST(TickClock, TakesAnyNumbersOfADamagedFile) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (double rate : {1.0, -1.0, 1e300, -1e300, kNan, 0.0}) {
        for (std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
            (void)TickClock{0, INT64_MAX, rate}.to_wall_ns(at);  // the sanitizer looks at these
            (void)TickClock{at, INT64_MIN, rate}.to_wall_ns(1);
        }
    }
    EXPECT_EQ((TickClock{100, 5'000, 2.0}.to_wall_ns(110)), 5'020);
    EXPECT_EQ((TickClock{100, 5'000, 2.0}.to_wall_ns(90)), 4'980);
    EXPECT_EQ((TickClock{100, 5'000, 1e300}.to_wall_ns(110)), 5'000);
}

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
