// Backwards, a log on the disk is read from its end: the same rows, the same damage, and no more
// bytes than the rows taken need.
#include "io/counting_file_system.h"
#include "io/files.h"
#include "model/read_all.h"
#include "store/layout.h"
#include "store/log_end_rows.h"
#include "store/run_reader.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <tuple>
#include <vector>

namespace taffrail::store {
namespace {

using tests::read_all;
using tests::ReadSeries;

auto fields_of(const Point& point) {
    return std::tuple(point.step, point.time_ns, point.value, point.samples, point.rank,
                      point.attempt, point.phase, point.writer, point.seq);
}

auto words_of(const Damage& damage) {
    return std::tuple(damage.file, damage.offset, damage.length, damage.first_seq, damage.last_seq,
                      damage.reason);
}

/// Rows of two keys whose values do not compress; every fifth row a lone value of the first key.
struct LossRows {
    LossRows(std::uint64_t first, std::size_t count, std::mt19937& random, Step step_of_first) {
        batch.keys = {{1, Kind::Scalar, "loss"}, {2, Kind::Scalar, "other"}};
        batch.schemas = {{1, {1, 2}}};
        for (std::uint64_t row = first; row < first + count; ++row) {
            Part& part = row % 5 == 4 ? lone : wide;
            part.seq.push_back(row);
            part.step.push_back(step_of_first + static_cast<Step>(row));
            part.time.push_back(1'000'000'000 + static_cast<std::int64_t>(row) * 1000);
            part.samples.push_back(row % 3 == 0 ? INT64_MIN : static_cast<std::int64_t>(row));
            part.phase.push_back(row % 1000 < 100 ? 1 : 0);
            part.route.push_back(row % 17 == 0 ? kAllSinks | tlog::kHidden : kAllSinks);
            part.loss.push_back(static_cast<double>(random()) * 0x1p-32 +
                                static_cast<double>(random()));
            part.other.push_back(static_cast<double>(random()));
        }
        batch.wide.push_back({1, wide.axes(), {wide.loss, wide.other}});
        lone_keys.assign(lone.seq.size(), 1);
        batch.long_rows.push_back({lone_keys, lone.axes(), lone.loss});
        batch.first_seq = first;
        batch.rows = static_cast<std::uint32_t>(count);
    }

    struct Part {
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time, samples;
        std::vector<std::uint8_t> phase;
        std::vector<std::uint32_t> route;
        std::vector<double> loss, other;

        [[nodiscard]] tlog::Axes axes() const {
            return {seq, step, time, {}, samples, phase, route};
        }
    };

    Part wide, lone;
    std::vector<std::uint32_t> lone_keys;
    tlog::Batch batch;
};

class ReadFromEnd : public ::testing::Test {
  protected:
    ~ReadFromEnd() override { (void)io::remove_tree(folder_); }

    std::unique_ptr<record::LogWriter> begin(std::uint64_t writer, std::uint32_t attempt,
                                             std::int32_t rank, Step resume = INT64_MIN,
                                             std::uint64_t roll_bytes = 200u << 10) {
        tlog::FileIdentity identity = sample_identity(writer);
        identity.attempt = attempt;
        identity.rank = rank;
        identity.start_time_ns = 1000 + attempt;
        identity.resume_step = resume;
        return open_log(folder_, identity,
                        {.roll_bytes = roll_bytes, .checkpoint_bytes = 16u << 10})
            .value();
    }

    void write(record::LogWriter& log, std::uint64_t first, std::uint64_t rows,
               Step step_of_first = 0) {
        for (std::uint64_t row = first; row < first + rows; row += kBatch) {
            log.append(LossRows(row, std::min<std::uint64_t>(kBatch, first + rows - row), random_,
                                step_of_first)
                           .batch)
                .value();
        }
    }

    /// Of readers that were asked nothing before, so that the one reads logs from their ends and
    /// the other all of them.
    void expect_same(ReadRequest request) const {
        const ReadSeries forwards = read_all(*RunReader::open(folder_).value(), "loss", request);
        request.direction = Direction::Backwards;
        ReadSeries backwards = read_all(*RunReader::open(folder_).value(), "loss", request);
        std::ranges::reverse(backwards.points);
        ASSERT_EQ(backwards.points.size(), forwards.points.size());
        for (std::size_t i = 0; i < forwards.points.size(); ++i) {
            ASSERT_EQ(fields_of(backwards.points[i]), fields_of(forwards.points[i])) << i;
        }
        ASSERT_EQ(backwards.damage.size(), forwards.damage.size());
        for (std::size_t i = 0; i < forwards.damage.size(); ++i) {
            EXPECT_EQ(words_of(backwards.damage[i]), words_of(forwards.damage[i]));
        }
    }

    void expect_same() const {
        const Columns all = Columns::all();
        expect_same({.columns = all, .attempts = Attempts::All});
        expect_same({.columns = all});
        expect_same({.columns = all, .from = 700, .to = 2500});
        expect_same({.columns = {Column::Value}});
    }

    [[nodiscard]] std::string log_url(std::uint64_t writer, std::uint32_t number) const {
        return io::join(io::join(folder_, kLiveFolder), log_name(writer, number));
    }

    void flip(const std::string& url, std::uint64_t offset) const {
        auto file = io::open(url, io::OpenMode::ReadWrite).value();
        Bytes byte(1);
        file->read_at(offset, byte).value();
        byte[0] ^= std::byte{0x10};
        file->write_at(offset, ByteSpan(byte)).value();
    }

    [[nodiscard]] bool is_begun_at_its_end(std::uint64_t writer) const {
        return LogEndRows::begin(folder_, writer, "loss", {},
                                 std::make_unique<WriterData>(folder_, writer))
                   .value() != nullptr;
    }

    static constexpr std::uint64_t kBatch = 250;
    std::mt19937 random_{7};
    std::string folder_ = fresh_folder("file") + "/01SAMPLE-x";
};

TEST_F(ReadFromEnd, CostsWhatIsTakenOfARunThatLivesOrWasKilled) {
    const auto counted = test::CountingFileSystem::install();
    constexpr std::uint64_t kRows = 400'000;
    auto log = begin(1, 0, 0, INT64_MIN, 4u << 20);
    write(*log, 0, kRows);
    auto resumed = begin(2, 1, 0, 50'000, 4u << 20);
    write(*resumed, 0, kRows, 50'000);
    std::uint64_t logged = 0;
    for (const FileName& name : list_logs(folder_)) {
        logged += io::stat(log_url(name.writer, name.number)).value().size;
    }
    ASSERT_GT(logged, 10u << 20);
    const auto run = RunReader::open("counting://" + folder_).value();
    const std::uint64_t before = counted->bytes;
    const auto cursor =
        run->read("loss", {.columns = {Column::Step}, .direction = Direction::Backwards}).value();
    const Chunk last = std::get<Chunk>(cursor->next().value());
    EXPECT_EQ(last.step()[0], static_cast<Step>(50'000 + kRows - 1));
    EXPECT_LE(counted->bytes - before, 1u << 20) << "of " << logged;
    std::uint64_t taken = last.rows();
    while (taken < kRows / 10) {
        taken += std::get<Chunk>(cursor->next().value()).rows();
    }
    EXPECT_LE(counted->bytes - before, logged / 5) << "a tenth of one attempt of two";
}

TEST_F(ReadFromEnd, GivesTheSameRowsOfAttemptsAndRanks) {
    std::vector<std::unique_ptr<record::LogWriter>> logs;
    std::uint64_t writer = 1;
    for (std::uint32_t attempt = 0; attempt < 3; ++attempt) {
        for (const std::int32_t rank : {0, 1, 2}) {
            if (attempt == 2 && rank == 1) {
                continue;  // follows rank 0
            }
            logs.push_back(begin(writer++, attempt, rank, attempt == 1 ? 2000 : INT64_MIN));
            const auto some = static_cast<std::uint64_t>(rank) * 700;
            write(*logs.back(), 1, 3000 + some, attempt * 1500);
        }
    }
    ASSERT_TRUE(is_begun_at_its_end(1));
    expect_same();
    for (auto& log : logs) {
        log->close(RunState::Finished).value();
    }
    expect_same();
}

TEST_F(ReadFromEnd, GivesTheSameRowsBehindASealedPart) {
    auto log = begin(1, 0, 0);
    write(*log, 1, 6000);
    log->close(RunState::Finished).value();
    seal_finished(folder_).value();
    auto resumed = begin(2, 1, 0, 5000);
    write(*resumed, 1, 6000, 4000);
    expect_same();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    expect_same();
    // The same writer goes on behind what was sealed of it.
    auto more = begin(1, 0, 0);
    write(*more, 6001, 3000);
    expect_same();
}

TEST_F(ReadFromEnd, StatesDamageAsExactlyAsForwards) {
    auto log = begin(1, 0, 0, INT64_MIN, 100u << 10);
    write(*log, 1, 20'000);
    ASSERT_GE(list_logs(folder_, 1).size(), 3u);
    expect_same();
    const std::uint64_t bytes = io::stat(log_url(1, 1)).value().size;
    flip(log_url(1, 1), bytes / 2);
    ASSERT_TRUE(is_begun_at_its_end(1));
    expect_same();
    // A copy taken while it was written: the file ends before the next one begins.
    io::open(log_url(1, 0), io::OpenMode::ReadWrite).value()->truncate(bytes / 2).value();
    expect_same();
    const auto read = read_all(*RunReader::open(folder_).value(), "loss",
                               {.columns = {Column::Step}, .direction = Direction::Backwards});
    EXPECT_GE(read.damage.size(), 2u);
}

TEST_F(ReadFromEnd, TellsOfValuesThatAFullRingDidNotTake) {
    auto log = begin(1, 0, 0);
    write(*log, 1, 1000);
    tlog::Batch lost;
    lost.first_seq = 1001;
    lost.gaps = {{0, 12, 1, 2}};
    log->append(lost).value();
    write(*log, 1001, 6000);
    expect_same();
    const auto read = read_all(*RunReader::open(folder_).value(), "loss",
                               {.columns = {Column::Step}, .direction = Direction::Backwards});
    ASSERT_EQ(read.damage.size(), 1u);
    EXPECT_NE(read.damage[0].reason.find("12 values"), std::string::npos);
}

TEST_F(ReadFromEnd, ASnapshotDoesNotGrowAndNeedsNoRun) {
    auto log = begin(1, 0, 0);
    write(*log, 1, 8000);
    auto run = RunReader::open(folder_).value();
    const std::size_t before = RunReader::open(folder_).value()->points("loss").value().size();
    const auto cursor =
        run->read("loss", {.columns = {Column::Step}, .direction = Direction::Backwards}).value();
    write(*log, 8001, 8000);
    run.reset();
    io::remove_tree(folder_).value();
    EXPECT_EQ(read_all(*cursor, {Column::Step}).points.size(), before);
}

TEST_F(ReadFromEnd, AKeyThatIsNotThereIsRefused) {
    auto log = begin(1, 0, 0);
    write(*log, 1, 500);
    const auto run = RunReader::open(folder_).value();
    EXPECT_EQ(run->read("los", {.direction = Direction::Backwards}).error().code,
              ErrorCode::NotFound);
}

}  // namespace
}  // namespace taffrail::store
