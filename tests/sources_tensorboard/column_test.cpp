#include "sources/tensorboard/column.h"

#include "sources/tensorboard/column_rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace taffrail::sources::tensorboard {
namespace {

struct Sample {
    std::int64_t step;
    double wall, value;
    bool narrow;
};

std::vector<Sample> arbitrary_samples() {
    const auto count = *rc::gen::inRange(0, 400);
    std::vector<Sample> samples;
    for (int i = 0; i < count; ++i) {
        const bool narrow = *rc::gen::weightedElement<bool>({{5, true}, {1, false}});
        const auto bits = *rc::gen::arbitrary<std::uint32_t>();
        samples.push_back({*rc::gen::arbitrary<std::int64_t>(),
                           std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>()),
                           narrow ? static_cast<double>(std::bit_cast<float>(bits))
                                  : std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>()),
                           narrow});
    }
    return samples;
}

void add(ScalarColumn& column, const Sample& sample, ScalarColumn::Origin origin) {
    if (sample.narrow) {
        column.append(sample.step, sample.wall, static_cast<float>(sample.value), origin);
    } else {
        column.append_double(sample.step, sample.wall, sample.value, origin);
    }
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

RC_GTEST_PROP(ScalarColumn, GivesBackEveryBit, ()) {
    const auto samples = arbitrary_samples();
    const auto cut =
        static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, samples.size() + 1));
    ScalarColumn column, later;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        add(i < cut ? column : later, samples[i], {.file = 1, .attempt = i < cut ? 0U : 2U});
    }
    column.join(std::move(later), 3);
    RC_ASSERT(column.count() == samples.size());
    std::size_t at = 0;
    std::uint64_t nans = 0;
    column.for_each([&](const ColumnPoint& point) {
        RC_ASSERT(point.step == samples[at].step);
        RC_ASSERT(std::bit_cast<std::uint64_t>(point.wall_time) ==
                  std::bit_cast<std::uint64_t>(samples[at].wall));
        RC_ASSERT(same_bits(point.value, samples[at].value));
        RC_ASSERT(point.attempt == (at < cut ? 0U : 5U));
        nans += std::isnan(point.value) ? 1 : 0;
        ++at;
    });
    RC_ASSERT(at == samples.size());
    RC_ASSERT(column.summary().nan_count == nans);
}

// Stretches in any order, while the column grows behind the snapshot.
RC_GTEST_PROP(ColumnRows, GiveTheRowsThatWereThere, ()) {
    const auto samples = arbitrary_samples();
    const auto cut =
        static_cast<std::size_t>(*rc::gen::inRange<std::size_t>(0, samples.size() + 1));
    ScalarColumn column, later;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        add(i < cut ? column : later, samples[i], {.file = 1, .attempt = i < cut ? 0U : 2U});
    }
    column.join(std::move(later), 3);
    ColumnRows rows(column.snapshot());
    for (int i = 0; i < 50; ++i) {
        column.append(i, 1, 2.0F, {.file = 9, .attempt = 9});
    }
    RC_ASSERT(rows.rows() == samples.size());
    for (int stretch = 0; stretch < 5; ++stretch) {
        const auto first = *rc::gen::inRange<std::size_t>(0, samples.size() + 1);
        const auto count = *rc::gen::inRange<std::size_t>(0, samples.size() - first + 1);
        model::ChunkBuilder builder(Columns::all(), std::max<std::size_t>(count, 1));
        std::vector<Damage> damage;
        rows.read(first, count, builder, damage);
        const auto chunk = std::move(builder).finish(Columns::all());
        RC_ASSERT(chunk.rows() == count);
        for (std::size_t row = 0; row < count; ++row) {
            const Point point = chunk.point(row);
            const std::size_t at = first + row;
            RC_ASSERT(point.step == samples[at].step);
            RC_ASSERT(point.time_ns == to_time_ns(samples[at].wall));
            RC_ASSERT(same_bits(point.value, samples[at].value));
            RC_ASSERT(point.attempt == (at < cut ? 0U : 5U));
            RC_ASSERT(point.seq == at && point.writer == 1 && point.rank == 0);
            RC_ASSERT(std::isnan(point.epoch) && point.samples == INT64_MIN);
        }
    }
}

TEST(ColumnRows, RiseWhereTheirStepsAndTimesDo) {
    ScalarColumn column;
    column.append(1, 10, 1.0F, {});
    column.append(1, 12, 1.0F, {});
    column.append(3, 11, 1.0F, {});
    const ColumnRows rows(column.snapshot());
    EXPECT_TRUE(rows.is_rising(Axis::Steps));
    EXPECT_FALSE(rows.is_rising(Axis::WallTime));
    EXPECT_FALSE(rows.is_rising(Axis::Epoch));
}

TEST(ScalarColumn, TakesAboutNineBytesForAnOrdinarySeries) {
    ScalarColumn column;
    for (int i = 0; i < 100'000; ++i) {
        column.append(i, 1.7e9 + i * 0.731, static_cast<float>(i), {});
    }
    EXPECT_LT(static_cast<double>(column.memory()) / 100'000, 11.0);
}

TEST(ScalarColumn, SummaryLeavesNanOutAndCountsIt) {
    ScalarColumn column;
    column.append(3, 10, 2.0F, {});
    column.append(4, 11, std::numeric_limits<float>::quiet_NaN(), {});
    column.append(5, 12, -1.0F, {});
    const SeriesSummary summary = column.summary();
    EXPECT_EQ(summary.count, 3u);
    EXPECT_EQ(summary.nan_count, 1u);
    EXPECT_EQ(summary.min, -1);
    EXPECT_EQ(summary.max, 2);
    EXPECT_EQ(summary.sum, 1);
    EXPECT_EQ(summary.last, -1);
    EXPECT_EQ(summary.first_step, 3);
    EXPECT_EQ(summary.last_time_ns, 12'000'000'000);
}

TEST(ScalarColumn, FindingO06_TheRangeIsTheSmallestAndTheLargestStep) {
    ScalarColumn column;
    for (const std::int64_t step : {5, 9, 1, 8}) {
        column.append(step, static_cast<double>(10 + step), 1.0F, {});
    }
    EXPECT_EQ(column.summary().first_step, 1);
    EXPECT_EQ(column.summary().last_step, 9);
}

TEST(ToTimeNs, KeepsMicrosecondsOfPresentTimes) {
    EXPECT_EQ(to_time_ns(1700000000.123456) / 1000, 1700000000123456);
    EXPECT_EQ(to_time_ns(std::numeric_limits<double>::quiet_NaN()), 0);
    EXPECT_EQ(to_time_ns(std::numeric_limits<double>::infinity()), 0);
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
