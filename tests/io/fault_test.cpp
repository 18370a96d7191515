#include "io/fault.h"

#include "io/files.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace taffrail::io {
namespace {

class Faults : public testing::Test {
  protected:
    ~Faults() override { calls_->clear(); }

    std::string at(std::string_view name) { return "fault://" + folder_.file(name); }

    test::TemporaryFolder folder_;
    std::shared_ptr<FaultCalls> calls_ = FaultCalls::instance();
};

TEST_F(Faults, ShortWritesAndInterruptionsAreFinished) {
    calls_->add({.operation = Operation::Write, .short_write = 3});
    calls_->add({.operation = Operation::Sync, .error_number = EINTR, .times = 4});
    auto file = open(at("a"), OpenMode::CreateExclusive).value();
    const ByteSpan parts[] = {as_bytes("abcd"), {}, as_bytes("efghij"), as_bytes("k")};
    ASSERT_TRUE(file->append(parts).ok());
    ASSERT_TRUE(file->sync().ok());
    EXPECT_EQ(calls_->struck(), 8u);
    EXPECT_EQ(read_text(folder_.file("a")).value(), "abcdefghijk");
}

TEST_F(Faults, InterruptedWritesAreMadeAgain) {
    calls_->add({.operation = Operation::Write, .error_number = EINTR, .times = 3});
    auto file = open(at("a"), OpenMode::CreateExclusive).value();
    ASSERT_TRUE(file->append(as_bytes("abc")).ok());
    EXPECT_EQ(read_text(folder_.file("a")).value(), "abc");
}

TEST_F(Faults, AFailedAppendIsWrittenOverByTheNext) {
    auto file = open(at("a"), OpenMode::CreateExclusive).value();
    calls_->add(
        {.operation = Operation::Write, .error_number = ENOSPC, .times = 1, .partial = true});
    const Error full = file->append(as_bytes("abcdef")).error();
    EXPECT_EQ(full.code, ErrorCode::NoSpace);
    EXPECT_NE(full.message.find("free some space"), std::string::npos) << full.message;
    EXPECT_EQ(file->end(), 0u);
    ASSERT_TRUE(file->append(as_bytes("xyz!!!")).ok());
    EXPECT_EQ(read_text(folder_.file("a")).value(), "xyz!!!");
}

TEST_F(Faults, RulesNameTheirFilesAndCountTheirCalls) {
    calls_->add({.operation = Operation::Write,
                 .error_number = EIO,
                 .skip = 1,
                 .times = 1,
                 .path_part = "/b"});
    auto a = open(at("a"), OpenMode::CreateExclusive).value();
    auto b = open(at("b"), OpenMode::CreateExclusive).value();
    EXPECT_TRUE(a->append(as_bytes("1")).ok());
    EXPECT_TRUE(b->append(as_bytes("1")).ok());
    EXPECT_TRUE(a->append(as_bytes("2")).ok());
    EXPECT_EQ(b->append(as_bytes("2")).error().code, ErrorCode::Io);
    EXPECT_TRUE(b->append(as_bytes("2")).ok());
}

TEST_F(Faults, ReadOnlyFoldersSayWhatToDo) {
    calls_->add({.operation = Operation::Open, .error_number = EROFS});
    const Error error = open(at("a"), OpenMode::CreateExclusive).error();
    EXPECT_EQ(error.code, ErrorCode::PermissionDenied);
    EXPECT_NE(error.message.find("TAFFRAIL_DIR"), std::string::npos) << error.message;
}

TEST_F(Faults, TracesHoldEveryChangeInOrder) {
    calls_->start_trace();
    ASSERT_TRUE(write_file_atomically(at("a"), as_bytes("abc")).ok());
    const auto trace = calls_->stop_trace();
    ASSERT_EQ(trace.size(), 5u);
    EXPECT_EQ(trace[0].operation, Operation::Open);
    EXPECT_EQ(trace[1].operation, Operation::Write);
    EXPECT_EQ(as_text(trace[1].bytes), "abc");
    EXPECT_EQ(trace[2].operation, Operation::Sync);
    EXPECT_EQ(trace[3].operation, Operation::Rename);
    EXPECT_EQ(trace[4].operation, Operation::SyncFolder);
}

}  // namespace
}  // namespace taffrail::io
