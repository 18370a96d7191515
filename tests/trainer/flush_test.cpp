// max_queue and flush_secs of the TensorBoard sink on a real run: rows wait in memory for so many
// or so long, and no longer.
#include <taffrail/run.h>

#include "io/files.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace taffrail::trainer_test {

namespace {

using namespace std::chrono_literals;

class SinkFlush : public testing::Test {
  protected:
    using Run = taffrail::Run;

    // A run with a sink of these options; what was written so far is only its header.
    void open(OptionMap options) {
        options.emplace_back("log_dir", folder_.file("tb"));
        run_ = Run::open({.root = folder_.file("runs"),
                          .flush_interval = 10ms,
                          .environment = false,
                          .machine_load = {}})
                   .value();
        (void)run_.add_sink("tensorboard", options).value();
        // A sink takes what there is when its thread begins, and counts from then on.
        ASSERT_TRUE(grows(0, 10s)) << "the header";
        wait_until_quiet();
    }

    void log_rows(int count) {
        for (int i = 0; i < count; ++i) {
            run_.log("loss", 0.5, next_step_++);
        }
        ASSERT_TRUE(run_.flush().ok());
    }

    std::uint64_t bytes() const {
        std::uint64_t total = 0;
        if (const auto entries = io::list(folder_.file("tb")); entries.ok()) {
            for (const auto& entry : *entries) {
                const auto file = io::stat(io::join(folder_.file("tb"), entry.name));
                total += file.ok() ? file->size : 0;
            }
        }
        return total;
    }

    // Whether the files outgrow `before` within this time.
    bool grows(std::uint64_t before, std::chrono::milliseconds within) const {
        const auto end = std::chrono::steady_clock::now() + within;
        while (std::chrono::steady_clock::now() < end) {
            if (bytes() > before) {
                return true;
            }
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

    // A delivery takes whatever arrives meanwhile: the next count begins behind it.
    void wait_until_quiet() const {
        while (grows(bytes(), 200ms)) {
        }
    }

    // Nothing after `count` - 1 rows, all of them after one more.
    void expect_growth_at(int count) {
        log_rows(count - 1);
        const std::uint64_t before = bytes();
        EXPECT_FALSE(grows(before, 400ms))
            << count - 1 << " rows are kept in memory: " << before << " bytes became " << bytes();
        log_rows(1);
        EXPECT_TRUE(grows(before, 10s)) << count << " rows are written";
        wait_until_quiet();
    }

    test::TemporaryFolder folder_;
    Run run_;
    Step next_step_ = 0;
};

TEST_F(SinkFlush, FileGrowsAtTheTenthRowByDefault) {
    open({});
    expect_growth_at(10);
    expect_growth_at(10);
}

TEST_F(SinkFlush, QueueOfOneShowsEveryRowAtOnce) {
    open({{"max_queue", "1"}});
    for (int i = 0; i < 3; ++i) {
        const std::uint64_t before = bytes();
        log_rows(1);
        EXPECT_TRUE(grows(before, 10s));
        wait_until_quiet();
    }
}

TEST_F(SinkFlush, QueueOfAHundredWritesAHundredthAsOften) {
    open({{"max_queue", "100"}});
    expect_growth_at(100);
}

TEST_F(SinkFlush, TimeWritesWhatTheQueueDoesNot) {
    open({{"max_queue", "1000"}, {"flush_secs", "1.5"}});
    log_rows(1);
    const std::uint64_t before = bytes();
    EXPECT_FALSE(grows(before, 700ms)) << "not yet";
    EXPECT_TRUE(grows(before, 10s));
}

TEST_F(SinkFlush, RowsInMemoryAreWrittenWhenTheRunEnds) {
    open({{"max_queue", "1000"}});
    log_rows(5);
    const std::uint64_t before = bytes();
    ASSERT_TRUE(run_.finish().ok());
    EXPECT_GT(bytes(), before);
}

}  // namespace

}  // namespace taffrail::trainer_test
