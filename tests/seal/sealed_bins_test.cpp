// Bins out of sealed files against brute force on the edges that come back, on every axis, over
// several files and attempts.
#include "base/bytes.h"
#include "model/attempts.h"
#include "model/axes.h"
#include "model/bins.h"
#include "model/points_in_order.h"
#include "model/positions.h"
#include "model/series_cursor.h"
#include "seal/file_check.h"
#include "seal/log_maker.h"
#include "seal/seal.h"
#include "seal/sealed_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace taffrail::seal {
namespace {

using testing::LogMaker;
using ::testing::NanSensitiveDoubleEq;
using ::testing::Pointwise;

constexpr std::int64_t kOrigin = 1'700'000'000'000'000'000;
constexpr Axis kAxes5[] = {Axis::Steps, Axis::WallTime, Axis::RelativeTime, Axis::Epoch,
                           Axis::Samples};

void expect_bins(const Bins& actual, const std::vector<Point>& points, const BinRequest& request) {
    std::vector<double> x, value;
    for (const Point& point : points) {
        x.push_back(model::position_of(point, request.axis, kOrigin));
        value.push_back(point.value);
    }
    if (actual.raw) {
        const Bins expected = model::bins_of_points(x, value, request).value();
        EXPECT_TRUE(expected.raw);
        EXPECT_EQ(actual.x, expected.x);
        EXPECT_THAT(actual.last, Pointwise(NanSensitiveDoubleEq(), expected.last));
        return;
    }
    const test::PointsInOrder in_order = test::points_in_order(x, value, request.scale);
    const Bins expected = model::stats_on_edges(in_order.x, in_order.value, actual.edges);
    EXPECT_EQ(actual.count, expected.count);
    EXPECT_EQ(actual.nan_count, expected.nan_count);
    EXPECT_EQ(actual.positive_infinity_count, expected.positive_infinity_count);
    EXPECT_THAT(actual.min, Pointwise(NanSensitiveDoubleEq(), expected.min));
    EXPECT_THAT(actual.max, Pointwise(NanSensitiveDoubleEq(), expected.max));
    EXPECT_THAT(actual.last, Pointwise(NanSensitiveDoubleEq(), expected.last));
    for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_TRUE(std::isnan(expected.mean[i])
                        ? std::isnan(actual.mean[i])
                        : std::abs(actual.mean[i] - expected.mean[i]) < 1e-9);
    }
}

double noisy(std::size_t column, std::int64_t step) {
    const auto mixed = (static_cast<std::uint64_t>(step) * 2654435761u + column) % 10007;
    return mixed == 3 ? std::nan("") : mixed == 4 ? HUGE_VAL : static_cast<double>(mixed) / 10007;
}

class SealedBins : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::string("memory://sealed_bins/") +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
        io::make_directories(folder_ + "/live").value();
    }

    void TearDown() override { io::remove_tree(folder_).value(); }

    SealReport seal(const std::vector<const LogMaker*>& logs) {
        std::vector<std::string> paths;
        for (const LogMaker* log : logs) {
            paths.push_back(folder_ + "/live/" + std::to_string(paths.size()) + ".tlog");
            log->save(paths.back());
        }
        return seal_run(folder_, paths).value();
    }

    void expect_all_axes(const SealedRun& run, const std::string& key,
                         const std::vector<Point>& points) {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> share(0, 1);
        for (const Axis axis : kAxes5) {
            for (const Scale scale : {Scale::Linear, Scale::Log}) {
                for (const std::size_t width : {1u, 40u, 1000u}) {
                    BinRequest request{.axis = axis, .scale = scale, .width = width};
                    expect_bins(run.bins(key, request, kOrigin).value(), points, request);
                    const auto last = static_cast<double>(points.size());
                    request.from = last * share(random);
                    request.to = *request.from + last * share(random) / 4;
                    if (axis == Axis::Steps) {
                        expect_bins(run.bins(key, request, kOrigin).value(), points, request);
                    }
                }
            }
        }
    }

    /// Every point, in its place on every axis.
    static void expect_curves(const SealedRun& run, std::string_view key,
                              const std::vector<Point>& points) {
        for (const Axis axis : kAxes5) {
            model::SeriesRows rows;
            rows.sources = run.rows(key);
            rows.origin_ns = kOrigin;
            ReadRequest request;
            request.columns = model::columns_of(axis) | Columns{Column::Value};
            request.axis = axis;
            const auto cursor = model::make_cursor(std::move(rows), request);
            std::vector<double> read_x, read_y;
            const auto end = model::for_each_chunk(*cursor, [&](const Chunk& chunk) {
                for (std::size_t row = 0; row < chunk.rows(); ++row) {
                    read_x.push_back(model::Positions(axis, kOrigin).at(chunk, row));
                    read_y.push_back(chunk.value()[row]);
                }
                return Result<void>();
            });
            EXPECT_TRUE(end.value().damage.empty());
            std::vector<double> x, y;
            for (const Point& point : points) {
                x.push_back(model::position_of(point, axis, kOrigin));
                y.push_back(point.value);
            }
            EXPECT_EQ(read_x, x);
            EXPECT_THAT(read_y, Pointwise(NanSensitiveDoubleEq(), y));
        }
    }

    std::string folder_;
};

TEST_F(SealedBins, EqualBruteForceOnEveryAxis) {
    LogMaker log({.run_id = "r", .writer = 1});
    for (int i = 0; i < 4; ++i) {
        log.set_epoch(i * 20);
        log.wide({"a", "b"}, 20'000, noisy);
        log.lone({"lone", "other"}, 3000, noisy);
    }
    const auto run = SealedRun::open(folder_, seal({&log}).files);
    expect_all_axes(*run, "a", log.points["a"]);
    expect_all_axes(*run, "lone", log.points["lone"]);
    EXPECT_TRUE(run->segments("a", Axis::Steps, 0).has_value());
    expect_curves(*run, "a", log.points["a"]);
    expect_curves(*run, "lone", log.points["lone"]);
    EXPECT_TRUE(run->rows("nobody").empty());
}

TEST_F(SealedBins, ContinueOverSeveralSealings) {
    LogMaker first({.run_id = "r", .writer = 1, .file_number = 0}),
        second({.run_id = "r", .writer = 1, .file_number = 1});
    first.set_epoch(1);
    first.wide({"a", "b"}, 30'001, noisy);
    second.set_next_seq(first.next_seq());
    second.set_next_step(30'001);
    second.set_epoch(40);
    second.wide({"a", "b"}, 20'000, noisy);
    SealReport report = seal({&first});
    const SealReport more = seal({&second});
    report.files.insert(report.files.end(), more.files.begin(), more.files.end());
    const auto run = SealedRun::open(folder_, report.files);
    std::vector<Point> points = first.points["a"];
    points.insert(points.end(), second.points["a"].begin(), second.points["a"].end());
    ASSERT_EQ(run->segments("a", Axis::Steps, 0)->size(), 2u);
    expect_all_axes(*run, "a", points);
    expect_curves(*run, "a", points);
}

TEST_F(SealedBins, ShowTheNewestAttemptOfARepeatedRange) {
    LogMaker first({.run_id = "r", .writer = 1, .attempt = 0}),
        second({.run_id = "r", .writer = 2, .attempt = 1});
    first.wide({"a", "b"}, 10'000, noisy);
    second.set_next_step(6'000);
    second.wide({"a", "b"}, 10'000, [](std::size_t, std::int64_t) { return -5.0; });
    const auto run = SealedRun::open(folder_, seal({&first, &second}).files);
    std::vector<Point> points = first.points["a"];
    points.insert(points.end(), second.points["a"].begin(), second.points["a"].end());
    EXPECT_FALSE(run->segments("a", Axis::Steps, 0).has_value());
    const BinRequest winning{.width = 100};
    const Bins bins = run->bins("a", winning, 0).value();
    EXPECT_EQ(bins.points, 16'000u);
    expect_bins(bins, model::choose_attempt(points, {}, std::nullopt), winning);
    const BinRequest old{.width = 100, .attempt = 0};
    EXPECT_EQ(run->bins("a", old, 0).value().points, 10'000u);
}

TEST_F(SealedBins, SortRanksThatLoggedTheSameSteps) {
    LogMaker zero({.run_id = "r", .writer = 1, .rank = 0}),
        one({.run_id = "r", .writer = 2, .rank = 1});
    zero.wide({"a", "b"}, 6'000, noisy);
    one.wide({"a", "b"}, 6'000, noisy);
    const auto run = SealedRun::open(folder_, seal({&zero, &one}).files);
    std::vector<Point> points = zero.points["a"];
    points.insert(points.end(), one.points["a"].begin(), one.points["a"].end());
    const BinRequest request{.width = 50};
    expect_bins(run->bins("a", request, 0).value(), points, request);
}

TEST_F(SealedBins, UseAnotherMetricAsTheAxis) {
    LogMaker log({.run_id = "r", .writer = 1});
    log.wide({"loss", "tokens"}, 8'000, [](std::size_t column, std::int64_t step) {
        return column == 0 ? noisy(0, step) : 1000.0 - static_cast<double>(step);
    });
    const auto run = SealedRun::open(folder_, seal({&log}).files);
    const Bins bins =
        run->bins("loss", {.axis = Axis::Metric, .metric = "tokens", .width = 100}, 0).value();
    EXPECT_EQ(bins.points, 8'000u);
    EXPECT_NEAR(bins.edges.front(), 1000.0 - 7999, 1e-9);
    EXPECT_FALSE(run->bins("loss", {.axis = Axis::Metric, .metric = "absent"}, 0).ok());
}

TEST_F(SealedBins, ReportEveryFlippedByteInsteadOfWrongNumbers) {
    LogMaker log({.run_id = "r", .writer = 1});
    log.wide({"a", "b"}, 4'200, noisy);
    const SealReport report = seal({&log});
    const auto file = std::find_if(
        report.files.begin(), report.files.end(),
        [](const SealedFileInfo& each) { return each.kind == SealedFileInfo::Kind::Scalars; });
    const std::string path = folder_ + "/data/" + file->name;
    const Bytes good = io::read_file(path).value();
    const std::vector<Point>& points = log.points["a"];
    // Every byte in the full run; else a spread that still meets pages, pyramid, index, trailer and
    // footer.
    const std::size_t stride = std::getenv("TAFFRAIL_FULL") != nullptr ? 1 : 211;
    for (std::size_t at = 0; at < good.size();
         at += good.size() - at < 1500 ? std::min<std::size_t>(stride, 7) : stride) {
        Bytes bad = good;
        bad[at] ^= std::byte{0x10};
        io::open(path, io::OpenMode::Truncate).value()->append(bad).value();
        const auto run = SealedRun::open(folder_, std::vector{*file});
        const std::vector<Point> read = run->points("a").value();
        // The pyramid may still know what a page has lost.
        EXPECT_THAT(run->bins("a", {.width = 20}, 0).value().points,
                    ::testing::AnyOf(read.size(), points.size()));
        ASSERT_TRUE(run->is_damaged() || read.size() == points.size()) << "byte " << at;
        ASSERT_FALSE(check_file(path, *file).empty()) << "byte " << at;
        ASSERT_GE(read.size() + 16 * 1024, points.size()) << "byte " << at;  // one page at most
        for (std::size_t i = 0, of = 0; i < read.size(); ++i, ++of) {
            while (of < points.size() && points[of].seq != read[i].seq) {
                ++of;
            }
            ASSERT_LT(of, points.size()) << "byte " << at << " point " << i;
            ASSERT_EQ(std::memcmp(&read[i].value, &points[of].value, 8), 0)
                << "byte " << at << " point " << i;
            ASSERT_EQ(read[i].step, points[of].step);
        }
    }
}

}  // namespace
}  // namespace taffrail::seal
