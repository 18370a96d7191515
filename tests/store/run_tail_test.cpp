// The end of a run costs what is shown, not what was logged.
#include "io/files.h"
#include "store/run_reader.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace taffrail::storage {
namespace {

using Shown = std::vector<std::tuple<std::int64_t, std::string, double>>;

/// Bytes this process read by system calls so far.
std::uint64_t bytes_read() {
    std::ifstream io("/proc/self/io");
    std::string name;
    std::uint64_t bytes = 0;
    io >> name >> bytes;
    return bytes;
}

class RunTailTest : public ::testing::Test {
  protected:
    ~RunTailTest() override { (void)io::remove_tree(root_); }

    void write(std::uint64_t rows) {
        for (const std::uint64_t end = next_ + rows; next_ < end; next_ += kBatch) {
            log_->append(SampleRows(kWriter, next_, kBatch).batch()).value();
        }
    }

    static Shown take(RunTail& tail) {
        Shown shown;
        tail.next([&](const Record& record) {
                shown.emplace_back(record.time_ns, std::string(record.key), record.scalar);
            })
            .value();
        return shown;
    }

    /// What the slow way shows: every point, sorted.
    static Shown newest(const RecordedRun& run, std::size_t count, const std::string& only = "") {
        Shown all;
        for (const char* key : {"train/loss", "train/acc", "lone"}) {
            if (!only.empty() && only != key) {
                continue;
            }
            const auto points = run.points(key).value();
            for (const Point& point : points) {
                all.emplace_back(point.time_ns, key, point.value);
            }
        }
        std::ranges::sort(all);
        return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
    }

    static Shown tail_of(const RecordedRun& run, std::size_t count) {
        return take(*run.tail({.count = count, .wanted = {}}).value());
    }

    static constexpr std::uint64_t kWriter = 7, kBatch = 4000;
    // Many times the distance of two checkpoints.
    static constexpr std::uint64_t kRows = 200 * kBatch;
    std::string root_ = fresh_folder("file");
    std::string folder_ = root_ + "/01SAMPLE-x";
    std::uint64_t next_ = 0;
    std::unique_ptr<record::LogWriter> log_ = [this] {
        auto log = open_log(folder_, sample_identity(kWriter),
                            {.roll_bytes = 4u << 20, .checkpoint_bytes = 256u << 10})
                       .value();
        log->append(sample_definitions()).value();
        return log;
    }();
};

TEST_F(RunTailTest, FindingR06_ShowsWhatTheWholeRunWouldShow) {
    write(40 * kBatch);
    const auto run = RunReader::open(folder_).value();
    const auto whole = RunReader::open(folder_).value();
    for (const std::size_t count : {0u, 1u, 2u, 10u, 5000u, 100'000u}) {
        EXPECT_EQ(tail_of(*run, count), newest(*whole, count)) << count;
    }
    const auto only = [](std::string_view key) { return key == "lone"; };
    EXPECT_EQ(take(*run->tail({.count = 30, .wanted = only}).value()), newest(*whole, 30, "lone"));
    log_->close(RunState::Finished).value();
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    const auto sealed = RunReader::open(folder_).value();
    for (const std::size_t count : {1u, 2u, 10u, 5000u}) {
        EXPECT_EQ(tail_of(*sealed, count), newest(*whole, count)) << count;
    }
}

TEST_F(RunTailTest, FindingG03_ReadsTheEndOnlyLiveAndSealed) {
    write(kRows);
    std::uint64_t bytes = 0;
    for (const auto& entry : io::list(folder_ + "/live").value()) {
        bytes += io::stat(folder_ + "/live/" + entry.name).value().size;
    }
    const std::uint64_t most = 2u << 20;
    ASSERT_GT(bytes, 3 * most) << "too short to tell";
    const std::uint64_t before = bytes_read();
    EXPECT_EQ(tail_of(*RunReader::open(folder_).value(), 1).size(), 1u);
    EXPECT_LE(bytes_read() - before, most);

    log_->close(RunState::Finished).value();
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    const std::uint64_t sealed_before = bytes_read();
    EXPECT_EQ(tail_of(*RunReader::open(folder_).value(), 1).size(), 1u);
    EXPECT_LE(bytes_read() - sealed_before, most);
}

TEST_F(RunTailTest, FindingG08_FollowingReadsTheNewPointsOnly) {
    write(kRows);
    const auto run = RunReader::open(folder_).value();
    const auto tail = run->tail({.count = 3, .wanted = {}}).value();
    EXPECT_EQ(take(*tail).size(), 3u);
    EXPECT_TRUE(take(*tail).empty());
    const std::uint64_t before = bytes_read();
    write(kBatch);
    run->refresh().value();
    const Shown shown = take(*tail);
    EXPECT_EQ(shown.size(), kBatch / 4 * 7);  // three of four rows have two keys
    EXPECT_TRUE(std::ranges::is_sorted(shown));
    EXPECT_EQ(std::get<0>(shown.front()),
              1'000'000'000 + static_cast<std::int64_t>(next_ - kBatch) * 1000);
    EXPECT_LE(bytes_read() - before, 1u << 20);
}

}  // namespace
}  // namespace taffrail::storage
