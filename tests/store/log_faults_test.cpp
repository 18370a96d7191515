// Full disks, broken disks, deleted folders: the log goes on, and readers get each row once.
#include "base/diagnostics.h"
#include "io/fault.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/log_writer.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace taffrail::store {
namespace {

using io::Fault;
using io::Operation;

class LogFaults : public ::testing::Test {
  protected:
    void SetUp() override {
        before_ = set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
        faults_ = io::FaultCalls::instance();
        faults_->clear();
    }

    void TearDown() override {
        faults_->clear();
        set_diagnostic_handler(before_);
        (void)io::remove_tree(folder_);
    }

    void begin(LogOptions options = {}) {
        log_ = open_log(folder_, sample_identity(), options).value();
        log_->append(sample_definitions()).value();
    }

    Result<void> add(std::size_t rows) {
        const SampleRows sample(0xABC, next_, rows);
        auto result = log_->append(sample.batch());
        next_ += result.ok() ? rows : 0;
        return result;
    }

    void expect_all_rows() {
        auto reader = open_log_reader(folder_, 0xABC).value();
        const Delivered delivered = deliver(*reader);
        EXPECT_EQ(delivered.rows, expected_rows(next_));
        EXPECT_FALSE(delivered.wrong_value);
    }

    std::string folder_ = fresh_folder("fault");
    std::shared_ptr<io::FaultCalls> faults_;
    std::unique_ptr<record::LogWriter> log_;
    std::uint64_t next_ = 0;
    DiagnosticHandler before_;
};

TEST_F(LogFaults, WriteErrorMovesOnToANewFile) {
    begin();
    add(10).value();
    faults_->add({.operation = Operation::Write,
                  .error_number = EIO,
                  .times = 1,
                  .path_part = ".tlog",
                  .partial = true});
    EXPECT_TRUE(add(10).ok());
    add(10).value();
    log_->close(RunState::Finished).value();
    EXPECT_EQ(list_logs(folder_).size(), 2u);
    expect_all_rows();
}

TEST_F(LogFaults, FailedSyncRewritesTheUnsyncedTail) {
    begin();
    add(10).value();
    log_->sync().value();
    add(10).value();
    add(10).value();
    faults_->add(
        {.operation = Operation::Sync, .error_number = EIO, .times = 1, .path_part = ".tlog"});
    EXPECT_TRUE(log_->sync().ok());
    EXPECT_EQ(faults_->struck(), 1u);
    add(10).value();
    log_->close(RunState::Finished).value();
    ASSERT_EQ(list_logs(folder_).size(), 2u);
    expect_all_rows();
    // The disk lost everything of the first file behind its last good sync: still nothing is
    // missing but what was synced there and is thus safe.
    const WriterTail tail = read_writer_tail(folder_, 0xABC).value();
    EXPECT_EQ(tail.next_seq, next_);
}

TEST_F(LogFaults, SecondFileAloneHoldsWhatWasNotSynced) {
    begin();
    add(12).value();
    faults_->add(
        {.operation = Operation::Sync, .error_number = EIO, .times = 1, .path_part = ".tlog"});
    log_->sync().value();
    log_->close(RunState::Finished).value();
    io::remove(io::join(io::join(folder_, "live"), log_name(0xABC, 0))).value();
    expect_all_rows();
}

TEST_F(LogFaults, FullDiskFailsTheAppendAndNothingElse) {
    begin();
    add(10).value();
    faults_->add({.operation = Operation::Write,
                  .error_number = ENOSPC,
                  .path_part = ".tlog",
                  .partial = true});
    const auto full = add(10);
    ASSERT_FALSE(full.ok());
    EXPECT_EQ(full.error().code, ErrorCode::NoSpace);
    EXPECT_FALSE(add(10).ok());
    faults_->clear();
    EXPECT_TRUE(add(10).ok());
    log_->close(RunState::Finished).value();
    EXPECT_EQ(list_logs(folder_).size(), 1u);
    expect_all_rows();
}

TEST_F(LogFaults, FullDiskAtTheVeryBeginningLeavesNoStubs) {
    faults_->add({.operation = Operation::Write, .error_number = ENOSPC, .path_part = ".tlog"});
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(open_log(folder_, sample_identity()).ok());
    }
    EXPECT_TRUE(list_logs(folder_).empty());
}

TEST_F(LogFaults, FullDiskGoesToTheSpoolAndComesHome) {
    const std::string spool = fresh_folder("fault");
    std::int64_t clock = 0;
    LogOptions options;
    options.spool = spool;
    options.monotonic_ns = [&clock] { return clock; };
    begin(options);
    add(10).value();
    faults_->add(
        {.operation = Operation::Write, .error_number = ENOSPC, .path_part = folder_.substr(8)});
    EXPECT_TRUE(add(10).ok());
    EXPECT_TRUE(add(10).ok());
    auto reader = open_log_reader(folder_, 0xABC, spool).value();
    EXPECT_EQ(deliver(*reader).rows, expected_rows(next_));
    clock += 11'000'000'000;
    EXPECT_TRUE(add(10).ok());  // still full: the spool goes on
    faults_->clear();
    clock += 11'000'000'000;
    EXPECT_TRUE(add(10).ok());
    log_->close(RunState::Finished).value();
    expect_all_rows();
    EXPECT_TRUE(list_logs(io::join(spool, folder_.substr(folder_.rfind('/') + 1))).empty());
    (void)io::remove_tree(spool);
}

// The promise of Durability::Async, with a clock that only this test moves.
TEST_F(LogFaults, SyncsAtLeastEveryFiveSeconds) {
    std::int64_t clock = 0;
    LogOptions options;
    options.monotonic_ns = [&clock] { return clock; };
    begin(options);
    faults_->start_trace();
    for (int tenths = 0; tenths < 200; ++tenths) {
        clock += 100'000'000;
        add(1).value();
    }
    std::uint64_t written_since_sync = 0;
    int syncs = 0;
    for (const io::TraceEntry& entry : faults_->stop_trace()) {
        if (entry.path.find(".tlog") == std::string::npos) {
            continue;
        }
        syncs += entry.operation == Operation::Sync;
        written_since_sync = entry.operation == Operation::Write ? written_since_sync + 1 : 0;
        EXPECT_LE(written_since_sync, 51u) << "a row each tenth of a second";
    }
    EXPECT_EQ(syncs, 4) << "in twenty seconds, and no more often: a sync is dear";
}

TEST_F(LogFaults, FolderDeletedWhileWriting) {
    begin();
    add(10).value();
    log_->sync().value();
    io::remove_tree(folder_).value();
    add(10).value();
    EXPECT_TRUE(log_->sync().ok());
    add(10).value();
    log_->close(RunState::Finished).value();
    auto reader = open_log_reader(folder_, 0xABC).value();
    const auto rows = deliver(*reader).rows;
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.front().first, 10u);  // what had been synced before is gone with the folder
    EXPECT_EQ(rows.back().first, 29u);
}

TEST_F(LogFaults, ShortWritesAreFinished) {
    faults_->add({.operation = Operation::Write, .path_part = ".tlog", .short_write = 13});
    begin();
    add(30).value();
    log_->close(RunState::Finished).value();
    faults_->clear();
    expect_all_rows();
}

TEST_F(LogFaults, FailedPackSyncKeepsTheBlobs) {
    begin();
    const Bytes bytes(50000, std::byte{7});
    BlobRef ref;
    ref.size = bytes.size();
    log_->put_blob(bytes, ref).value();
    faults_->add(
        {.operation = Operation::Sync, .error_number = EIO, .times = 1, .path_part = ".tpak"});
    EXPECT_TRUE(log_->sync().ok());
    EXPECT_EQ(list_packs(folder_).size(), 2u);
}

TEST_F(LogFaults, ReadOnlyFolderSaysSo) {
    faults_->add({.operation = Operation::Open, .error_number = EROFS, .path_part = ".tlog"});
    const auto opened = open_log(folder_, sample_identity());
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find(".tlog"), std::string::npos);
}

}  // namespace
}  // namespace taffrail::store
