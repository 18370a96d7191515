// A series read in columns: the same rows from a log, sealed, with and without the logs, forwards
// and backwards; what is lost is said at the end.
#include "io/files.h"
#include "model/read_all.h"
#include "store/layout.h"
#include "store/run_reader.h"
#include "store/sealing.h"
#include "store/sealing_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace taffrail::store {
namespace {

using namespace std::chrono_literals;
using tests::read_all;

constexpr Columns kStepAndValue = {Column::Step, Column::Value};

auto all_of(const Point& point) {
    return std::tuple(point.step, point.time_ns, point.value, point.rank, point.attempt,
                      point.phase, point.writer, point.seq);
}

class ReadTest : public SealingTest {
  protected:
    void expect_rows(const RecordedRun& run) const {
        const auto read = read_all(run, "train/loss", {.columns = Columns::all()});
        EXPECT_TRUE(read.damage.empty());
        ASSERT_EQ(read.points.size(), expected_.size());
        for (std::size_t i = 0; i < expected_.size(); ++i) {
            ASSERT_EQ(all_of(read.points[i]), all_of(expected_[i])) << i;
        }
        auto backwards = read_all(run, "train/loss",
                                  {.columns = Columns::all(), .direction = Direction::Backwards});
        std::ranges::reverse(backwards.points);
        ASSERT_TRUE(std::ranges::equal(backwards.points, read.points, {}, all_of, all_of));
        const auto some = read_all(run, "train/loss", {.from = 100, .to = 250});
        EXPECT_EQ(some.points.size(),
                  static_cast<std::size_t>(std::ranges::count_if(expected_, [](const Point& point) {
                      return point.step >= 100 && point.step <= 250;
                  })));
    }

    std::vector<Point> expected_;
};

TEST_F(ReadTest, TheSameRowsInEveryStateOfARun) {
    add(1, 0, 0, 400);
    add(2, 1, 400, 200);
    expected_ = RunReader::open(folder_).value()->points("train/loss").value();
    ASSERT_GT(expected_.size(), 400u);
    for (const Point& point : expected_) {
        ASSERT_EQ(point.value, sample_value(point.writer, 1, point.seq));
    }
    expect_rows(*RunReader::open(folder_).value());
    const auto reader = RunReader::open(folder_).value();
    seal_finished(folder_).value();
    expect_rows(*RunReader::open(folder_).value());
    reader->refresh().value();
    expect_rows(*reader);
    drop_sealed_logs(folder_, 0ns).value();
    ASSERT_TRUE(list_logs(folder_).empty());
    expect_rows(*RunReader::open(folder_).value());
}

TEST_F(ReadTest, ASealedPartAndALiveTailAreOneSeries) {
    add(1, 0, 0, 400);
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, 0ns).value();
    add(2, 1, 400, 200);
    const auto run = RunReader::open(folder_).value();
    const auto read = read_all(*run, "train/loss", {.columns = Columns::all()});
    EXPECT_TRUE(std::ranges::is_sorted(
        read.points, {}, [](const Point& point) { return std::tuple(point.attempt, point.seq); }));
    EXPECT_EQ(read.points.size(), run->points("train/loss").value().size());
    EXPECT_EQ(read.points.front().attempt, 0u);
    EXPECT_EQ(read.points.back().attempt, 1u);
}

TEST_F(ReadTest, ASnapshotDoesNotGrowAndNeedsNoRun) {
    auto log = open_log(folder_, sample_identity(1)).value();
    log->append(sample_definitions()).value();
    log->append(SampleRows(1, 0, 4000).batch()).value();
    auto run = RunReader::open(folder_).value();
    auto cursor = run->read("train/loss", {}).value();
    const std::size_t before = run->points("train/loss").value().size();
    log->append(SampleRows(1, 4000, 4000).batch()).value();
    run->refresh().value();
    EXPECT_GT(run->points("train/loss").value().size(), before);
    run.reset();
    EXPECT_EQ(read_all(*cursor, kStepAndValue).points.size(), before);
}

TEST_F(ReadTest, DamageIsMendedFromTheLogsOrSaidAtTheEnd) {
    add(1, 0, 0, 400);
    const auto files = seal_finished(folder_).value().files;
    const std::size_t whole = RunReader::open(folder_).value()->points("train/loss").value().size();
    for (const auto& file : files) {
        if (file.kind == seal::SealedFileInfo::Kind::Scalars) {
            const std::string path = io::join(io::join(folder_, kDataFolder), file.name);
            Bytes bytes = io::read_file(path).value();
            for (std::size_t i = 4; i < bytes.size() / 3; ++i) {
                bytes[i] ^= std::byte{1};  // the first pages, not the index
            }
            io::write_file_atomically(path, bytes, false).value();
        }
    }
    EXPECT_EQ(read_all(*RunReader::open(folder_).value(), "train/loss", {}).points.size(), whole);
    for (const FileName& name : list_logs(folder_)) {
        io::remove(io::join(io::join(folder_, kLiveFolder), log_name(name.writer, name.number)))
            .value();
    }
    const auto run = RunReader::open(folder_).value();
    const auto read = read_all(*run, "train/loss", {.columns = Columns::all()});
    EXPECT_LT(read.points.size(), whole);
    EXPECT_FALSE(read.damage.empty()) << "a damaged series is not a short one";
}

TEST_F(ReadTest, WhatIsAskedWronglyIsRefused) {
    add(1, 0, 0, 40);
    const auto run = RunReader::open(folder_).value();
    EXPECT_EQ(run->read("train/los", {}).error().code, ErrorCode::NotFound);
    EXPECT_EQ(run->read("train/loss", {.axis = Axis::Metric}).error().code,
              ErrorCode::InvalidArgument);
    EXPECT_EQ(run->read("train/loss", {.from = 3, .to = 2}).error().code,
              ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace taffrail::store
