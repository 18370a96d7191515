#include "query/chart/point_rank.h"

#include "query/chart/nearest.h"
#include "query/fake_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace taffrail::query {
namespace {

constexpr std::uint64_t kPoints = 60'000;

/// Steps with gaps and repeats, uneven times, whole epochs shared by thousands of points.
FakeRun long_run() {
    FakeRun run;
    std::mt19937_64 random(7);
    Step step = 5;
    std::int64_t time_ns = 1'700'000'000'000'000'000;
    for (std::uint64_t i = 0; i < kPoints; ++i) {
        Point point;
        step += static_cast<Step>(random() % 4);
        time_ns += static_cast<std::int64_t>(random() % 5'000'000) + 1000;
        point.step = step;
        point.time_ns = time_ns;
        point.epoch = static_cast<double>(i / 7000);
        point.samples = static_cast<std::int64_t>(i) * 32;
        point.value = i % 1000 == 3 ? std::nan("") : std::sin(static_cast<double>(i));
        run.series["loss"].push_back(point);
    }
    return run;
}

TEST(PointRank, IsTheNumberOfPointsBeforeAPlace) {
    const FakeRun run = long_run();
    const auto& points = run.series.at("loss");
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 60; ++trial) {
        const Point& point = points[random() % points.size()];
        const auto before = static_cast<std::uint64_t>(std::ranges::count_if(
            points, [&](const Point& other) { return other.step < point.step; }));
        EXPECT_EQ(rank_by_bins(run, "loss", Axis::Steps, static_cast<double>(point.step)), before);
    }
}

TEST(PointRank, FindsThePointOnEveryAxis) {
    const FakeRun run = long_run();
    const auto& points = run.series.at("loss");
    std::mt19937_64 random(2);
    for (int trial = 0; trial < 60; ++trial) {
        const std::uint64_t rank = trial == 0 ? 0 : trial == 1 ? kPoints - 1 : random() % kPoints;
        const Point& point = points[rank];
        const auto step = point_by_rank(run, "loss", Axis::Steps, rank, kPoints);
        ASSERT_TRUE(step);
        EXPECT_EQ(step->x, static_cast<double>(point.step));
        const auto time = point_by_rank(run, "loss", Axis::WallTime, rank, kPoints);
        ASSERT_TRUE(time);
        EXPECT_NEAR(time->x, static_cast<double>(point.time_ns), 256);
        ASSERT_TRUE(time->value);
        EXPECT_TRUE(*time->value == point.value ||
                    (std::isnan(*time->value) && std::isnan(point.value)));
        const auto epoch = point_by_rank(run, "loss", Axis::Epoch, rank, kPoints);
        ASSERT_TRUE(epoch) << rank;
        EXPECT_EQ(epoch->x, point.epoch);
        const auto samples = point_by_rank(run, "loss", Axis::Samples, rank, kPoints);
        ASSERT_TRUE(samples);
        EXPECT_EQ(samples->x, static_cast<double>(point.samples));
    }
}

TEST(PointRank, SaysNothingOfAnAxisThatSomePointsLack) {
    FakeRun run = long_run();
    run.series["loss"][17].epoch = std::nan("");
    EXPECT_FALSE(point_by_rank(run, "loss", Axis::Epoch, 40'000, kPoints));
    EXPECT_TRUE(point_by_rank(run, "loss", Axis::Steps, 40'000, kPoints));
}

}  // namespace
}  // namespace taffrail::query
