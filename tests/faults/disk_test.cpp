// Disks that fill up, break or vanish under a run: nothing is dropped silently, and all of it is
// there afterwards.
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/fault.h"
#include "io/temporary_folder.h"
#include "run/read_back.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>

namespace taffrail {
namespace {

using namespace std::chrono_literals;

class Disks : public testing::Test {
  protected:
    using Run = taffrail::Run;

    void SetUp() override {
        before_ = set_diagnostic_handler([this](DiagnosticLevel, std::string_view line) {
            const std::lock_guard guard(mutex_);
            said_.emplace_back(line);
        });
    }

    void TearDown() override {
        calls_->clear();
        set_diagnostic_handler(before_);
        reset_diagnostics();
    }

    // Logs live on the faulty file system; rings need a real one, which is the same folder without
    // the scheme.
    RunOptions options(const std::string& root) {
        RunOptions made;
        made.root = root;
        made.environment = false;
        made.machine_load.reset();
        made.flush_interval = 5ms;
        made.finish_timeout = 20s;
        return made;
    }

    static void log_some(Run& run, Step from, Step to) {
        Row row = run.row("a", "b");
        for (Step step = from; step < to; ++step) {
            row.log(step, static_cast<double>(step), static_cast<double>(step) * 2);
        }
    }

    static void expect_all(const std::string& folder, Step count) {
        const auto all = test::read_back(folder);
        ASSERT_EQ(static_cast<Step>(all.at("b").size()), count);
        for (Step step = 0; step < count; ++step) {
            ASSERT_EQ(all.at("b")[static_cast<std::size_t>(step)].scalar,
                      static_cast<double>(step) * 2);
        }
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<io::FaultCalls> calls_ = io::FaultCalls::instance();
    DiagnosticHandler before_;
    std::mutex mutex_;
    std::vector<std::string> said_;
};

TEST_F(Disks, FullForAWhileLosesNothing) {
    taffrail::Run run = Run::open(options("fault://" + folder_.file("store"))).value();
    log_some(run, 0, 1000);
    ASSERT_TRUE(run.flush().ok());
    calls_->add({.operation = io::Operation::Write,
                 .error_number = ENOSPC,
                 .path_part = ".tlog",
                 .partial = true});
    calls_->add({.operation = io::Operation::Open, .error_number = ENOSPC, .path_part = ".tlog"});
    log_some(run, 1000, 5000);
    const auto refused = run.flush();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::NoSpace);
    EXPECT_FALSE(run.check().ok());
    calls_->clear();
    log_some(run, 5000, 6000);
    ASSERT_TRUE(run.flush().ok());
    (void)run.finish();
    EXPECT_EQ(run.stats().gaps, 0u);
    expect_all(run.folder(), 6000);
    EXPECT_FALSE(said_.empty()) << "it must say so";
}

TEST_F(Disks, FailedSyncsAreWrittenAnew) {
    taffrail::Run run = Run::open(options("fault://" + folder_.file("store"))).value();
    log_some(run, 0, 1000);
    calls_->add(
        {.operation = io::Operation::Sync, .error_number = EIO, .times = 2, .path_part = ".tlog"});
    (void)run.commit();
    log_some(run, 1000, 2000);
    calls_->clear();
    ASSERT_TRUE(run.commit().ok());
    (void)run.finish();
    const auto all = test::read_back(run.folder());
    std::set<std::pair<std::uint64_t, std::uint64_t>> rows;
    for (const auto& record : all.at("a")) {
        rows.emplace(record.writer, record.seq);
    }
    EXPECT_EQ(rows.size(), 2000u) << "rows by (writer, number), each at least once";
}

// A run that logs a little and then trains on in silence: its last rows are synced all the same,
// with nobody asking. The sync is seen by the fault that meets it.
TEST_F(Disks, TheLastRowsAreSyncedWithoutBeingAsked) {
    taffrail::Run run = Run::open(options("fault://" + folder_.file("store"))).value();
    log_some(run, 0, 100);
    ASSERT_TRUE(run.flush().ok());
    calls_->add(
        {.operation = io::Operation::Sync, .error_number = EIO, .times = 1, .path_part = ".tlog"});
    const auto began = std::chrono::steady_clock::now();
    const auto waited = [&] { return std::chrono::steady_clock::now() - began; };
    while (calls_->struck() == 0 && waited() < 60s) {
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_EQ(calls_->struck(), 1u) << "five seconds are promised, a minute was given";
    calls_->clear();
    ASSERT_TRUE(run.finish().ok());
    expect_all(run.folder(), 100);
}

TEST_F(Disks, ShortAndInterruptedWritesGoUnnoticed) {
    calls_->add(
        {.operation = io::Operation::Write, .skip = 3, .path_part = ".tlog", .short_write = 7});
    taffrail::Run run = Run::open(options("fault://" + folder_.file("store"))).value();
    for (Step first = 0; first < 500; first += 25) {
        log_some(run, first, first + 25);
        ASSERT_TRUE(run.flush().ok());  // a frame of its own, whatever the collector's pace
    }
    ASSERT_TRUE(run.finish().ok());
    EXPECT_GT(calls_->struck(), 10u);
    expect_all(run.folder(), 500);
}

TEST_F(Disks, ReadOnlyFoldersAreRefusedWithARemedy) {
    calls_->add({.operation = io::Operation::MakeFolder, .error_number = EROFS});
    const auto run = Run::open(options("fault://" + folder_.file("store")));
    ASSERT_FALSE(run.ok());
    EXPECT_EQ(run.error().code, ErrorCode::PermissionDenied);
    EXPECT_NE(run.error().message.find("TAFFRAIL_DIR"), std::string::npos) << run.error().message;
}

TEST_F(Disks, ARunFolderDeletedWhileWritingDoesNotStopTheProgram) {
    taffrail::Run run = Run::open(options(folder_.file("store"))).value();
    log_some(run, 0, 1000);
    ASSERT_TRUE(run.flush().ok());
    ASSERT_TRUE(io::remove_tree(run.folder()).ok());
    for (Step step = 0; step < 20; ++step) {
        log_some(run, 1000 + step * 100, 1100 + step * 100);
        run.log_text("text", std::string(10'000, 'x'));
        std::this_thread::sleep_for(2ms);
    }
    (void)run.flush();
    (void)run.finish();
    EXPECT_GE(run.stats().records, 6000u);
}

// A real file system of one mebibyte, filled by somebody else and freed again. Needs the right to
// mount.
TEST_F(Disks, ASmallTmpfsFilledAndFreed) {
    const std::string mount_point = folder_.file("tmpfs");
    ASSERT_TRUE(io::make_directories(mount_point).ok());
    if (mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=3M") != 0) {
        GTEST_SKIP() << "no right to mount";
    }
    {
        RunOptions small = options(io::join(mount_point, "store"));
        small.ring_bytes = 64 << 10;
        small.ring_budget_bytes = 64 << 10;
        small.overflow_wait = 20s;
        taffrail::Run run = Run::open(small).value();
        log_some(run, 0, 1000);
        ASSERT_TRUE(run.flush().ok());
        const std::string hog = io::join(mount_point, "hog");
        {
            auto file = io::open(hog, io::OpenMode::CreateExclusive).value();
            const Bytes block(4096);
            while (file->append(block).ok()) {
            }
        }
        std::thread later([&] {
            std::this_thread::sleep_for(300ms);
            (void)io::remove(hog);
        });
        log_some(run, 1000, 60'000);  // blocks while it is full, then goes on
        later.join();
        ASSERT_TRUE(run.flush().ok());
        (void)run.finish();
        EXPECT_EQ(run.stats().gaps, 0u);
        expect_all(run.folder(), 60'000);
    }
    umount(mount_point.c_str());
}

}  // namespace
}  // namespace taffrail
