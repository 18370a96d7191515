// The reader rules of the live log, one by one.
#include "codec/tlog/scanner.h"

#include "tlog/log_builder.h"

#include <gtest/gtest.h>

namespace taffrail::tlog {
namespace {

Bytes frame(const BuiltLog& log, std::size_t i) {
    const auto [offset, length] = log.frames[i];
    return {log.bytes.begin() + static_cast<std::ptrdiff_t>(offset),
            log.bytes.begin() + static_cast<std::ptrdiff_t>(offset + length)};
}

Bytes join(const BuiltLog& log, const std::vector<std::size_t>& order) {
    Bytes bytes;
    for (const std::size_t i : order) {
        append(bytes, frame(log, i));
    }
    return bytes;
}

TEST(FrameScanner, ReadsAWholeFile) {
    const BuiltLog log = build_log(10, 16);
    const ReadBack back = read_back(log.bytes);
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_EQ(back.damaged_ranges, 0u);
    EXPECT_EQ(back.pending_bytes, 0u);
    EXPECT_TRUE(back.ended);
}

TEST(FrameScanner, WindowSizeDoesNotMatter) {
    BuiltLog log = build_log(6, 16);
    log.bytes[log.frames[3].first + 60] ^= std::byte{4};
    const ReadBack whole = read_back(log.bytes);
    for (const std::size_t window : {1u, 7u, 48u, 49u, 100u, 333u, 4096u}) {
        const ReadBack back = read_back(log.bytes, window);
        EXPECT_EQ(back.points, whole.points) << window;
        EXPECT_EQ(back.damaged_bytes, whole.damaged_bytes) << window;
        EXPECT_EQ(back.missing_rows, whole.missing_rows) << window;
    }
}

TEST(FrameScanner, SkipsDoubledFramesQuietly) {
    const BuiltLog log = build_log(4, 8);
    const ReadBack back = read_back(join(log, {0, 1, 2, 2, 3, 3, 3, 4, 5, 6}));
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_FALSE(back.doubled);
    EXPECT_EQ(back.duplicates, 3u);
    EXPECT_EQ(back.damaged_ranges, 0u);
}

TEST(FrameScanner, SkipsADoubledTail) {
    const BuiltLog log = build_log(4, 8);
    const ReadBack back = read_back(join(log, {0, 1, 2, 3, 4, 3, 4, 5, 6}));
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_EQ(back.duplicates, 2u);
}

TEST(FrameScanner, ServesSwappedFramesAndSaysSo) {
    const BuiltLog log = build_log(4, 8);
    const ReadBack back = read_back(join(log, {0, 1, 2, 4, 3, 5, 6}));
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_GE(back.damaged_ranges, 1u);
    EXPECT_EQ(back.damaged_bytes, 0u);
}

TEST(FrameScanner, NamesTheRowsOfAMissingFrame) {
    const BuiltLog log = build_log(4, 8);
    const ReadBack back = read_back(join(log, {0, 1, 2, 4, 5, 6}));
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    EXPECT_EQ(back.missing_rows, (std::vector<Range>{{8, 16}}));
}

TEST(FrameScanner, MissingBeginningIsDamage) {
    const BuiltLog log = build_log(4, 8);
    const ReadBack back = read_back(join(log, {1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_EQ(back.damaged_ranges, 1u);
}

TEST(FrameScanner, ZerosAtTheEndArePending) {
    BuiltLog log = build_log(4, 8);
    const std::size_t size = log.bytes.size();
    log.bytes.resize(size + 4096);
    const ReadBack back = read_back(log.bytes);
    EXPECT_EQ(back.damaged_ranges, 0u);
    EXPECT_EQ(back.pending_bytes, 4096u);
    EXPECT_EQ(back.points.size(), expected_points(log.rows).size());
}

TEST(FrameScanner, AHoleThatFillsLaterIsReadThen) {
    const BuiltLog log = build_log(4, 8);
    Bytes holed = log.bytes;
    const std::size_t hole = log.frames[4].first;
    std::fill(holed.begin() + static_cast<std::ptrdiff_t>(hole), holed.end(), std::byte{0});
    FrameScanner scanner;
    std::size_t frames = 0;
    auto drain = [&](ByteSpan file) {
        while (true) {
            const auto outcome = scanner.next(file.subspan(scanner.offset()), true);
            ASSERT_NE(outcome, FrameScanner::Outcome::Damage);
            if (outcome == FrameScanner::Outcome::Pending) {
                return;
            }
            ++frames;
        }
    };
    drain(holed);
    EXPECT_EQ(frames, 4u);
    EXPECT_EQ(scanner.offset(), hole);
    drain(log.bytes);
    EXPECT_EQ(frames, log.frames.size());
}

TEST(FrameScanner, FramesOfAnotherFileAreDamage) {
    const BuiltLog log = build_log(3, 8);
    const BuiltLog other = build_log(3, 8, 78);
    Bytes bytes = join(log, {0, 1, 2});
    append(bytes, frame(other, 3));
    append(bytes, join(log, {3, 4, 5}));
    const ReadBack back = read_back(bytes);
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_FALSE(back.doubled);
    EXPECT_EQ(back.damaged_bytes, frame(other, 3).size());
}

TEST(FrameScanner, GarbageFullOfMagicIsSteppedOver) {
    const BuiltLog log = build_log(3, 8);
    Bytes bytes = join(log, {0, 1, 2});
    for (int i = 0; i < 1000; ++i) {
        append(bytes, kFrameMagic);
    }
    const Bytes header = frame(log, 3);
    append(bytes, ByteSpan(header).first(47));  // a valid header but for its last byte
    append(bytes, join(log, {3, 4, 5}));
    const ReadBack back = read_back(bytes);
    EXPECT_EQ(back.points, expected_points(log.rows));
    EXPECT_EQ(back.damaged_bytes, 4000u + 47);
}

TEST(FrameScanner, CanBeginAtAKnownFrame) {
    const BuiltLog log = build_log(4, 8);
    FrameScanner scanner;
    scanner.begin_at(log.frames[3].first, 77);
    EXPECT_EQ(scanner.next(ByteSpan(log.bytes).subspan(scanner.offset()), true),
              FrameScanner::Outcome::Frame);
    EXPECT_EQ(scanner.frame().first_seq, 8u);
    EXPECT_EQ(scanner.next_seq(), 16u);
}

}  // namespace
}  // namespace taffrail::tlog
