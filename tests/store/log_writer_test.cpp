// What is appended is in the files, in order, whatever the sizes and intervals.
#include "store/log_writer.h"

#include "codec/tlog/decode.h"
#include "io/files.h"
#include "store/frame_file.h"
#include "store/layout.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

std::vector<tlog::FrameType> frame_types(const std::string& folder, std::uint64_t writer,
                                         std::uint32_t number) {
    std::vector<tlog::FrameType> types;
    FrameFile file(folder, io::join(io::join(folder, "live"), log_name(writer, number)));
    file.poll(
            [&](const FrameFile::Frame& frame) { return types.push_back(frame.header.type), true; },
            [](const tlog::DamagedRange& damage) { ADD_FAILURE() << damage.reason; })
        .value();
    return types;
}

TEST(LogWriter, WritesHeaderCheckpointBatchesAndEnd) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity()).value();
    ASSERT_TRUE(log->append(sample_definitions()).ok());
    ASSERT_TRUE(log->append(SampleRows(0xABC, 0, 10).batch()).ok());
    ASSERT_TRUE(log->close(RunState::Finished).ok());
    using enum tlog::FrameType;
    EXPECT_EQ(frame_types(folder, 0xABC, 0),
              (std::vector<tlog::FrameType>{Header, Checkpoint, Batch, Batch, Checkpoint, End}));
    EXPECT_GT(log->bytes_written(), 400u);
}

TEST(LogWriter, ClosingTwiceIsFineAndAppendingAfterwardsIsNot) {
    auto log = open_log(fresh_folder("memory"), sample_identity()).value();
    EXPECT_TRUE(log->close(RunState::Finished).ok());
    EXPECT_TRUE(log->close(RunState::Finished).ok());
    const auto appended = log->append(sample_definitions());
    ASSERT_FALSE(appended.ok());
    EXPECT_EQ(appended.error().code, ErrorCode::Closed);
}

TEST(LogWriter, RollsAtTheSizeAndEachFileStandsAlone) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity(), {.roll_bytes = 2000}).value();
    log->append(sample_definitions()).value();
    for (std::uint64_t seq = 0; seq < 400; seq += 20) {
        ASSERT_TRUE(log->append(SampleRows(0xABC, seq, 20).batch()).ok());
    }
    log->close(RunState::Finished).value();
    const auto files = list_logs(folder);
    ASSERT_GE(files.size(), 3u);
    for (const FileName& name : files) {
        const auto found = find_last_checkpoint(
            io::join(io::join(folder, "live"), log_name(name.writer, name.number)));
        ASSERT_TRUE(found.ok());
        const auto checkpoint = tlog::decode_checkpoint(found->payload);
        ASSERT_TRUE(checkpoint);
        EXPECT_EQ(checkpoint->keys.size(), 5u);
        EXPECT_EQ(checkpoint->identity.file_number, name.number);
    }
    auto reader = open_log_reader(folder, 0xABC).value();
    EXPECT_EQ(deliver(*reader).rows, expected_rows(400));
}

TEST(LogWriter, CheckpointsCarryTotalsAndFollowBytesAndTime) {
    const std::string folder = fresh_folder("memory");
    std::int64_t clock = 0;
    LogOptions options;
    options.monotonic_ns = [&clock] { return clock; };
    auto log = open_log(folder, sample_identity(), options).value();
    log->append(sample_definitions()).value();
    log->append(SampleRows(0xABC, 0, 8).batch()).value();
    using enum tlog::FrameType;
    EXPECT_EQ(frame_types(folder, 0xABC, 0),
              (std::vector<tlog::FrameType>{Header, Checkpoint, Batch, Batch}));
    clock += 31'000'000'000;
    log->append(SampleRows(0xABC, 8, 8).batch()).value();
    EXPECT_EQ(frame_types(folder, 0xABC, 0).back(), Checkpoint);
    const auto found =
        find_last_checkpoint(io::join(io::join(folder, "live"), log_name(0xABC, 0))).value();
    EXPECT_EQ(found.next_seq, 16u);
    const auto checkpoint = tlog::decode_checkpoint(found.payload);
    ASSERT_TRUE(checkpoint);
    ASSERT_EQ(checkpoint->series.size(), 3u);
    EXPECT_EQ(checkpoint->series[0].summary.count, 12u);
    EXPECT_EQ(checkpoint->series[0].summary.last, sample_value(0xABC, 1, 14));
    EXPECT_EQ(checkpoint->series[0].summary.min, sample_value(0xABC, 1, 0));
    EXPECT_EQ(checkpoint->ring_positions[0].position, 16u);
}

TEST(LogWriter, AnAdopterContinuesTheFilesOfADeadWriter) {
    const std::string folder = fresh_folder("memory");
    {
        auto dead = open_log(folder, sample_identity()).value();
        dead->append(sample_definitions()).value();
        dead->append(SampleRows(0xABC, 0, 10).batch()).value();
    }
    const WriterTail tail = read_writer_tail(folder, 0xABC).value();
    EXPECT_EQ(tail.next_seq, 10u);
    EXPECT_EQ(tail.ring_positions.at(0).position, 10u);
    EXPECT_EQ(tail.keys.size(), 5u);
    EXPECT_FALSE(tail.finished);
    auto adopter = open_log(folder, tail.identity).value();
    tlog::Batch definitions = sample_definitions();
    definitions.first_seq = tail.next_seq;
    adopter->append(definitions).value();
    adopter->append(SampleRows(0xABC, tail.next_seq, 6).batch()).value();
    adopter->close(RunState::Crashed).value();
    EXPECT_EQ(list_logs(folder).size(), 2u);
    const auto found =
        find_last_checkpoint(io::join(io::join(folder, "live"), log_name(0xABC, 1))).value();
    const auto checkpoint = tlog::decode_checkpoint(found.payload);
    ASSERT_TRUE(checkpoint);
    EXPECT_EQ(checkpoint->series.at(0).summary.count, 12u);  // rows of both files
    auto reader = open_log_reader(folder, 0xABC).value();
    EXPECT_EQ(deliver(*reader).rows, expected_rows(16));
    EXPECT_TRUE(read_writer_tail(folder, 0xABC)->finished);
    EXPECT_EQ(list_writers(folder), std::vector<std::uint64_t>{0xABC});
}

TEST(LogWriter, TailOfAWriterWithoutALogIsNotFound) {
    const auto tail = read_writer_tail(fresh_folder("memory"), 5);
    ASSERT_FALSE(tail.ok());
    EXPECT_EQ(tail.error().code, ErrorCode::NotFound);
}

TEST(LogWriter, SpoolEntriesStayPendingUntilDone) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity()).value();
    tlog::Batch batch = sample_definitions();
    batch.spool_pending = {{3, 0, 100, 50}, {4, 0, 150, 50}};
    log->append(batch).value();
    tlog::Batch done;
    done.spool_done = {3};
    log->append(done).value();
    const WriterTail tail = read_writer_tail(folder, 0xABC).value();
    ASSERT_EQ(tail.spool_pending.size(), 1u);
    EXPECT_EQ(tail.spool_pending[0].seq, 4u);
}

}  // namespace
}  // namespace taffrail::store
