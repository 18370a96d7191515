#include "query/chart/line_cache.h"

#include <gtest/gtest.h>

namespace taffrail::query {
namespace {

using std::chrono::seconds;

AxisLines line_of(std::size_t points) {
    AxisLine line;
    line.x.resize(points);
    line.y.resize(points);
    return std::make_shared<const std::vector<AxisLine>>(1, line);
}

constexpr LineCache::Clock::time_point kStart{};

TEST(LineCaches, GiveALineBackUntilItsRunChanges) {
    LineCache cache;
    const AxisLines line = line_of(10);
    cache.keep("a", 1, line, kStart);
    EXPECT_EQ(cache.find("a", 1, kStart), line);
    EXPECT_EQ(cache.find("b", 1, kStart), nullptr);
    EXPECT_EQ(cache.find("a", 2, kStart), nullptr);
    const AxisLines longer = line_of(11);
    cache.keep("a", 2, longer, kStart);
    EXPECT_EQ(cache.find("a", 2, kStart), longer);
    EXPECT_EQ(cache.find("a", 1, kStart), nullptr) << "one revision of a line is kept";
    EXPECT_EQ(line->front().x.size(), 10u) << "who still holds the old one keeps it";
}

TEST(LineCaches, HoldNoMoreThanTheirLimitOfTheLinesUsedLast) {
    LineCache cache(3 * 16 * 1000);
    cache.keep("a", 1, line_of(1000), kStart);
    cache.keep("b", 1, line_of(1000), kStart);
    EXPECT_NE(cache.find("a", 1, kStart), nullptr);  // used again: b is the oldest now
    cache.keep("c", 1, line_of(1000), kStart);
    EXPECT_EQ(cache.find("b", 1, kStart), nullptr);
    EXPECT_NE(cache.find("a", 1, kStart), nullptr);
    EXPECT_NE(cache.find("c", 1, kStart), nullptr);
    EXPECT_LE(cache.bytes(), 3u * 16 * 1000);
    cache.keep("huge", 1, line_of(100'000), kStart);
    EXPECT_EQ(cache.find("huge", 1, kStart), nullptr);
    EXPECT_NE(cache.find("a", 1, kStart), nullptr) << "what does not fit drives nothing out";
}

TEST(LineCaches, ForgetWhatNobodyUses) {
    LineCache cache;
    cache.keep("a", 1, line_of(1000), kStart);
    cache.keep("b", 1, line_of(1000), kStart);
    (void)cache.find("a", 1, kStart + seconds(8));
    cache.forget_unused_since(kStart + seconds(5));
    EXPECT_NE(cache.find("a", 1, kStart + seconds(9)), nullptr);
    EXPECT_EQ(cache.find("b", 1, kStart + seconds(9)), nullptr);
    cache.forget_unused_since(kStart + seconds(20));
    EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace taffrail::query
