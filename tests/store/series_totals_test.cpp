#include "store/series_totals.h"

#include "model/series_summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace taffrail::store {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SeriesTotals, ColumnAndSinglePointsAgree) {
    const std::vector<double> values = {kNan, 3, -1, kInfinity, 2.5, kNan, -7, 0.5, 4};
    std::vector<std::uint64_t> seq;
    std::vector<std::int64_t> step, time;
    for (std::size_t i = 0; i < values.size(); ++i) {
        seq.push_back(i + 10);
        step.push_back(static_cast<std::int64_t>(100 - i));
        time.push_back(static_cast<std::int64_t>(i));
    }
    const tlog::Axes axes{seq, step, time, {}, {}, {}, {}};
    SeriesTotals column, single;
    column.add(values, axes, range_of(axes));
    for (std::size_t i = 0; i < values.size(); ++i) {
        single.add(values[i], step[i], time[i], seq[i]);
    }
    for (const SeriesTotals& totals : {column, single}) {
        EXPECT_EQ(totals.summary.count, 9u);
        EXPECT_EQ(totals.summary.nan_count, 2u);
        EXPECT_EQ(totals.summary.positive_infinity_count, 1u);
        EXPECT_EQ(totals.summary.min, -7);
        EXPECT_EQ(totals.summary.max, 4);
        EXPECT_EQ(totals.summary.sum, 3 - 1 + 2.5 - 7 + 0.5 + 4);
        EXPECT_EQ(totals.summary.last, 4);
        EXPECT_EQ(totals.summary.first_step, 92) << "steps fall: the smallest came last";
        EXPECT_EQ(totals.summary.last_step, 100);
    }
}

TEST(SeriesTotals, AllNanHasNoExtremesUntilAValueComes) {
    SeriesTotals totals;
    totals.add(kNan, 0, 0, 0);
    EXPECT_EQ(totals.summary.nan_count, 1u);
    totals.add(-5, 1, 1, 1);
    EXPECT_EQ(totals.summary.min, -5);
    EXPECT_EQ(totals.summary.max, -5);
}

TEST(SeriesTotals, TheNewestFiniteRowIsTheLast) {
    SeriesTotals totals;
    totals.add(1, 0, 0, 5);
    totals.add(2, 1, 1, 3);  // of another section of the same batch: an older row
    totals.add(kNan, 2, 2, 9);
    EXPECT_EQ(totals.summary.last, 1);
    EXPECT_EQ(totals.summary.last_time_ns, 2) << "of the newest row, whatever it holds";
}

TEST(SeriesTotals, FindingR07_InfinitiesAreCountedAndLeftOutOfTheMean) {
    SeriesTotals totals, later;
    for (const double value : {1.0, 3.0, kInfinity}) {
        totals.add(value, 0, 0, 0);
    }
    EXPECT_EQ(totals.summary.finite_count(), 2u);
    EXPECT_EQ(totals.summary.mean(), 2.0);
    EXPECT_EQ(totals.summary.largest(), 3);
    later.add(-kInfinity, 1, 1, 1);
    EXPECT_EQ(later.summary.mean(), std::nullopt);
    EXPECT_EQ(later.summary.smallest(), std::nullopt) << "nothing finite is no value";
    model::merge(totals.summary, later.summary);
    EXPECT_EQ(totals.summary.positive_infinity_count, 1u);
    EXPECT_EQ(totals.summary.negative_infinity_count, 1u);
    EXPECT_EQ(totals.summary.mean(), 2.0);
}

TEST(SeriesTotals, MergeTakesTheLaterLast) {
    SeriesTotals earlier, later;
    earlier.add(1, 10, 100, 0);
    later.add(2, 5, 200, 0);
    SeriesTotals merged = later;
    model::merge(merged.summary, earlier.summary);
    EXPECT_EQ(merged.summary.count, 2u);
    EXPECT_EQ(merged.summary.last, 2);
    EXPECT_EQ(merged.summary.first_step, 5);
    EXPECT_EQ(merged.summary.last_step, 10);
    EXPECT_EQ(merged.summary.min, 1);
}

}  // namespace
}  // namespace taffrail::store
