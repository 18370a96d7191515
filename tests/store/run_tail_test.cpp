// The end of a run costs what is shown, not what was logged.
#include "io/files.h"
#include "store/console_end.h"
#include "store/console_tail.h"
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

namespace taffrail::store {
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

    /// Every point, sorted: what the slow way looks at.
    static Shown all_points(const RecordedRun& run) {
        Shown all;
        for (const char* key : {"train/loss", "train/acc", "lone"}) {
            const auto points = run.points(key).value();
            for (const Point& point : points) {
                all.emplace_back(point.time_ns, key, point.value);
            }
        }
        std::ranges::sort(all);
        return all;
    }

    static Shown newest(const Shown& all, std::size_t count) {
        return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
    }

    static Shown tail_of(const RecordedRun& run, std::size_t count) {
        return take(*run.tail({.count = count, .wanted = {}}).value());
    }

    static constexpr std::uint64_t kWriter = 7, kBatch = 2000;
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
    write(12 * kBatch);
    const auto run = RunReader::open(folder_).value();
    const Shown all = all_points(*RunReader::open(folder_).value());
    for (const std::size_t count : {0u, 1u, 2u, 10u, 5000u}) {
        EXPECT_EQ(tail_of(*run, count), newest(all, count)) << count;
    }
    Shown lone = all;
    std::erase_if(lone, [](const auto& each) { return std::get<1>(each) != "lone"; });
    const auto only = [](std::string_view key) { return key == "lone"; };
    EXPECT_EQ(take(*run->tail({.count = 30, .wanted = only}).value()), newest(lone, 30));
    log_->close(RunState::Finished).value();
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    const auto sealed = RunReader::open(folder_).value();
    for (const std::size_t count : {1u, 2u, 10u, 5000u}) {
        EXPECT_EQ(tail_of(*sealed, count), newest(all, count)) << count;
    }
}

/// Rows of two keys whose values do not compress.
struct Noise {
    explicit Noise(std::uint64_t first, std::size_t count) {
        for (std::uint64_t row = first; row < first + count; ++row) {
            seq.push_back(row);
            step.push_back(static_cast<std::int64_t>(row));
            time.push_back(1'000'000'000 + static_cast<std::int64_t>(row) * 1000);
            for (auto* column : {&loss, &accuracy}) {
                state = state * 6364136223846793005ull + 1442695040888963407ull;
                column->push_back(static_cast<double>(state >> 11) * 0x1p-53);
            }
        }
        batch.wide.push_back({1, {seq, step, time, {}, {}, {}, {}}, {loss, accuracy}});
        batch.first_seq = first;
        batch.rows = static_cast<std::uint32_t>(count);
    }

    std::uint64_t state = 1;
    std::vector<std::uint64_t> seq;
    std::vector<std::int64_t> step, time;
    std::vector<double> loss, accuracy;
    tlog::Batch batch;
};

TEST_F(RunTailTest, FindingG03_ReadsTheEndOnlyLiveAndSealed) {
    constexpr std::uint64_t kRows = 600'000, kOnce = 20'000;
    for (std::uint64_t row = 0; row < kRows; row += kOnce) {
        log_->append(Noise(row, kOnce).batch).value();
    }
    const auto bytes_below = [this](const std::string& name) {
        std::uint64_t bytes = 0;
        for (const auto& entry : io::list(folder_ + "/" + name).value()) {
            bytes += io::stat(folder_ + "/" + name + "/" + entry.name).value().size;
        }
        return bytes;
    };
    const auto last_costs = [this] {
        const std::uint64_t before = bytes_read();
        const Shown shown = tail_of(*RunReader::open(folder_).value(), 1);
        const std::uint64_t cost = bytes_read() - before;
        EXPECT_EQ(shown.size(), 1u);
        EXPECT_EQ(std::get<0>(shown.at(0)), 1'000'000'000 + (std::int64_t{kRows} - 1) * 1000);
        return cost;
    };
    EXPECT_LE(last_costs(), bytes_below("live") / 3);
    log_->close(RunState::Finished).value();
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    EXPECT_LE(last_costs(), bytes_below("data") / 3);
}

// A job that talks for days: the last lines are in the last kilobytes.
TEST_F(RunTailTest, FindingR06_TheEndOfTheConsoleIsReadAlone) {
    std::uint64_t state = 1;
    for (int i = 0; i < 20'000; ++i) {
        // Lines of both streams, cut anywhere, that do not compress.
        std::string out = "line " + std::to_string(i) + " ", error = "warning ";
        for (int word = 0; word < 8; ++word) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            out += std::to_string(state) + (word == 3 ? "\n" : "");
        }
        error += std::to_string(state) + "\n";
        tlog::Batch batch;
        batch.first_seq = 1'000'000 + static_cast<std::uint64_t>(i);
        batch.console.push_back({1, 1000 + i * 10, out});
        if (i % 7 == 0) {
            batch.console.push_back({2, 1001 + i * 10, error});
        }
        log_->append(batch).value();
    }
    const auto text_of = [](const std::vector<ConsoleLine>& lines) {
        std::string text;
        for (const ConsoleLine& line : lines) {
            text += std::to_string(line.time_ns) + (line.is_error ? " ! " : " ") + line.text + "\n";
        }
        return text;
    };
    const auto same_as_the_whole = [&] {
        const auto all = RunReader::open(folder_).value()->console(0, SIZE_MAX);
        ASSERT_GT(all.size(), 20'000u);
        for (const std::size_t count : {0u, 1u, 2u, 10u, 300u}) {
            const std::uint64_t before = bytes_read();
            const auto last = last_console_lines(folder_, count);
            const std::uint64_t cost = bytes_read() - before;
            ASSERT_TRUE(last) << count;
            EXPECT_EQ(text_of(*last),
                      text_of({all.end() - static_cast<std::ptrdiff_t>(count), all.end()}));
            EXPECT_LE(cost, 1u << 20) << count << ": a third of it";
        }
    };
    log_->close(RunState::Finished).value();
    same_as_the_whole();
    const auto whole = last_console_lines(folder_, 100'000);
    if (whole) {
        EXPECT_EQ(text_of(*whole), text_of(RunReader::open(folder_).value()->console(0, SIZE_MAX)));
    }
    seal_finished(folder_).value();
    drop_sealed_logs(folder_, std::chrono::nanoseconds(0)).value();
    same_as_the_whole();
}

TEST_F(RunTailTest, FindingG08_FollowingReadsTheNewPointsOnly) {
    write(40 * kBatch);
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
    EXPECT_LE(bytes_read() - before, 256u << 10);
}

TEST_F(RunTailTest, FindingG08_FollowingTheConsoleReadsTheNewLinesOnly) {
    int number = 0;
    const auto say = [&](std::string_view text, std::uint8_t stream = 1) {
        tlog::Batch batch;
        batch.first_seq = next_;
        batch.console.push_back({stream, 1000 + number++, text});
        log_->append(batch).value();
    };
    const auto text_of = [](const std::vector<ConsoleLine>& lines) {
        std::string text;
        for (const ConsoleLine& line : lines) {
            text += (line.is_error ? "! " : "") + line.text + "|";
        }
        return text;
    };
    // Points on both sides of the text: they are what is not to be read.
    write(20 * kBatch);
    for (int i = 0; i < 100; ++i) {
        say("line " + std::to_string(i) + "\n");
    }
    write(20 * kBatch);
    say("half");
    ConsoleTail tail(folder_);
    const std::uint64_t begun = bytes_read();
    const auto first = tail.begin(2);
    ASSERT_TRUE(first);
    EXPECT_EQ(text_of(*first), "line 98|line 99|");
    EXPECT_LE(bytes_read() - begun, 3u << 20) << "back to the text, not to the beginning";
    EXPECT_EQ(text_of(tail.next().value()), "");
    const std::uint64_t before = bytes_read();
    say(" done\nnext\nopen");
    say("oh\n", 2);
    EXPECT_EQ(text_of(tail.next().value()), "half done|next|! oh|");
    EXPECT_EQ(text_of(tail.next().value()), "");
    EXPECT_LE(bytes_read() - before, 256u << 10);
    EXPECT_EQ(text_of(tail.open_lines()), "open|");
    // A rank that comes later brings all its lines.
    const auto other = open_log(folder_, sample_identity(kWriter + 1)).value();
    tlog::Batch batch;
    batch.console.push_back({1, 2000, "other\n"});
    other->append(batch).value();
    EXPECT_EQ(text_of(tail.next().value()), "other|");
}

}  // namespace
}  // namespace taffrail::store
