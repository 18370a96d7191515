#include "model/series_cursor.h"

#include "model/attempts.h"
#include "model/axes.h"
#include "model/point_rows.h"
#include "model/read_all.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

namespace taffrail::model {
namespace {

constexpr std::int64_t kZero = 5000;

auto place(const Point& point) {
    return std::tuple(point.attempt, point.rank, point.writer, point.seq);
}

/// The points of a run of some processes, each in a stretch of its own or several that interleave.
std::vector<std::vector<Point>> random_stretches(std::mt19937& random) {
    std::vector<std::vector<Point>> stretches;
    const bool interleaved = random() % 2 == 0;
    for (std::uint32_t attempt = 0; attempt < random() % 3 + 1; ++attempt) {
        for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(random() % 2 + 1); ++rank) {
            std::vector<std::vector<Point>> own(interleaved ? 2 : 1);
            Step step = static_cast<Step>(random() % 50);
            const std::size_t rows = random() % 400;
            for (std::uint64_t seq = 0; seq < rows; ++seq) {
                Point point;
                point.attempt = attempt;
                point.rank = rank;
                point.writer = attempt * 10 + static_cast<std::uint64_t>(rank);
                point.seq = seq;
                point.step = step += static_cast<Step>(random() % 4) - (random() % 30 == 0 ? 9 : 0);
                point.time_ns = kZero + static_cast<std::int64_t>(attempt * 100'000 + seq);
                point.value = static_cast<double>(random() % 1000);
                point.phase = static_cast<Phase>(seq / 30 % 3);
                if (random() % 3 != 0) {
                    point.epoch = static_cast<double>(step) / 10;
                    point.samples = step * 64;
                }
                own[random() % own.size()].push_back(point);
            }
            std::ranges::move(own, std::back_inserter(stretches));
        }
    }
    return stretches;
}

SeriesRows rows_of(const std::vector<std::vector<Point>>& stretches) {
    SeriesRows series;
    for (const auto& stretch : stretches) {
        series.sources.push_back(std::make_unique<PointRows>(stretch));
    }
    series.origin_ns = kZero;
    return series;
}

/// The definition, point by point.
std::vector<Point> naive(std::vector<Point> points, const ReadRequest& request,
                         const WinningRule& rule) {
    std::ranges::stable_sort(points, {}, place);
    const Axis axis = request.axis.value_or(Axis::Steps);
    const auto x = [&](const Point& point) { return position_of(point, axis, kZero); };
    std::erase_if(points, [&](const Point& point) {
        const bool placed =
            !(request.axis || request.from || request.to) || std::isfinite(x(point));
        return !placed || (request.from && x(point) < *request.from) ||
               (request.to && x(point) > *request.to) ||
               (request.attempts == Attempts::Winning && !rule.wins(point));
    });
    if (request.axis) {
        std::ranges::stable_sort(points, {}, x);
    }
    if (request.direction == Direction::Backwards) {
        std::ranges::reverse(points);
    }
    return points;
}

TEST(SeriesCursor, EqualsTheDefinitionForEveryKindOfRequest) {
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        const auto stretches = random_stretches(random);
        std::vector<Point> all;
        for (const auto& stretch : stretches) {
            all.insert(all.end(), stretch.begin(), stretch.end());
        }
        const auto rule = std::make_shared<const WinningRule>(std::span<const AttemptProcess>(),
                                                              attempt_steps(all));
        ReadRequest request;
        request.columns = Columns::all();
        request.attempts = random() % 2 == 0 ? Attempts::Winning : Attempts::All;
        request.direction = random() % 2 == 0 ? Direction::Forwards : Direction::Backwards;
        if (random() % 2 == 0) {
            request.axis = static_cast<Axis>(random() % 5);
        }
        if (random() % 2 == 0) {
            request.from = static_cast<double>(random() % 300);
            request.to = *request.from + static_cast<double>(random() % 500);
        }
        SeriesRows series = rows_of(stretches);
        if (request.attempts == Attempts::Winning) {
            series.superseded_from = [rule](std::int32_t rank, std::uint32_t attempt) {
                return rule->superseded_from(rank, attempt);
            };
        }
        const auto read =
            tests::read_all(*make_cursor(std::move(series), request), request.columns);
        const auto expected = naive(all, request, *rule);
        ASSERT_EQ(read.points.size(), expected.size()) << round;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(place(read.points[i]), place(expected[i])) << round << ' ' << i;
            ASSERT_EQ(read.points[i].step, expected[i].step);
            ASSERT_EQ(read.points[i].value, expected[i].value);
            ASSERT_EQ(read.points[i].phase, expected[i].phase);
            ASSERT_EQ(read.points[i].samples, expected[i].samples);
            ASSERT_EQ(std::isnan(read.points[i].epoch), std::isnan(expected[i].epoch));
        }
    }
}

TEST(SeriesCursor, RowsThatTwoSourcesHaveCountOnce) {
    std::vector<Point> points(100);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].seq = i;
    }
    SeriesRows series =
        rows_of({{points.begin(), points.begin() + 70}, {points.begin() + 30, points.end()}});
    series.may_repeat = true;
    const auto read =
        tests::read_all(*make_cursor(std::move(series), {.columns = {Column::Seq}}), {Column::Seq});
    ASSERT_EQ(read.points.size(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(read.points, {}, &Point::seq));
}

TEST(SeriesCursor, ChunksHoldTheColumnsAskedForAndOutliveTheCursor) {
    std::vector<Point> points(200'000);
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].step = static_cast<Step>(i);
        points[i].epoch = i % 3 == 0 ? std::nan("") : 1.0;
    }
    const Columns columns = {Column::Step, Column::Epoch};
    auto cursor = make_cursor(rows_of({points}), {.columns = columns});
    std::vector<Chunk> chunks;
    const auto end = for_each_chunk(*cursor, [&](const Chunk& chunk) {
        chunks.push_back(chunk);
        return Result<void>();
    });
    ASSERT_TRUE(end.ok());
    cursor.reset();
    std::size_t row = 0;
    for (const Chunk& chunk : chunks) {
        tests::expect_sound(chunk, columns);
        EXPECT_TRUE(chunk.value().empty());
        for (std::size_t i = 0; i < chunk.rows(); ++i, ++row) {
            ASSERT_EQ(chunk.step()[i], static_cast<Step>(row));
            ASSERT_EQ(chunk.is_valid(Column::Epoch, i), row % 3 != 0);
        }
    }
    EXPECT_EQ(row, points.size());
    EXPECT_LE(chunks.size(), 5u);
}

TEST(SeriesCursor, BackwardsAFewRowsCostAFew) {
    class Counting final : public RowSource {
      public:
        explicit Counting(std::uint64_t& read) : read_(read) {}

        std::uint64_t rows() const override { return 1u << 30; }

        bool is_rising(Axis) const override { return true; }

        void read(std::uint64_t first, std::uint64_t count, ChunkBuilder& to,
                  std::vector<Damage>&) override {
            read_ += count;
            for (std::uint64_t i = 0; i < count; ++i) {
                to.next<Step>(Column::Step)[i] = static_cast<Step>(first + i);
            }
            to.grow(static_cast<std::size_t>(count));
        }

      private:
        std::uint64_t& read_;
    };

    std::uint64_t read = 0;
    SeriesRows series;
    series.sources.push_back(std::make_unique<Counting>(read));
    const auto cursor = make_cursor(std::move(series),
                                    {.columns = {Column::Step}, .direction = Direction::Backwards});
    const Chunk chunk = std::get<Chunk>(cursor->next().value());
    EXPECT_EQ(chunk.step()[0], (1 << 30) - 1);
    EXPECT_EQ(chunk.step()[1], (1 << 30) - 2);
    EXPECT_LE(read, 4096u);
}

TEST(SeriesCursor, TheEndSaysWhatIsLost) {
    SeriesRows series;
    series.damage.push_back({.file = "a", .reason = "gone"});
    const auto cursor = make_cursor(std::move(series), {});
    for (int i = 0; i < 2; ++i) {
        const auto end = cursor->next().value();
        ASSERT_TRUE(std::holds_alternative<ReadEnd>(end));
        EXPECT_EQ(std::get<ReadEnd>(end).damage.size(), 1u);
    }
}

TEST(SeriesCursor, RefusesWhatMakesNoSense) {
    EXPECT_FALSE(check(ReadRequest{.axis = Axis::Metric}).ok());
    EXPECT_FALSE(check(ReadRequest{.from = std::nan("")}).ok());
    EXPECT_FALSE(check(ReadRequest{.from = 2, .to = 1}).ok());
    EXPECT_TRUE(check(ReadRequest{.from = 1, .to = 1}).ok());
}

}  // namespace
}  // namespace taffrail::model
