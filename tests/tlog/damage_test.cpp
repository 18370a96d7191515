// Every way a 64 KiB log can be cut, flipped or holed: what is served is right, what is missing is
// named.
#include "tlog/log_builder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace taffrail::tlog {
namespace {

bool full() {
    const char* value = std::getenv("TAFFRAIL_FULL");
    return value != nullptr && *value == '1';
}

const BuiltLog& big_log() {
    static const BuiltLog log = build_log(64, 46);
    return log;
}

const Points& big_points() {
    static const Points points = expected_points(big_log().rows);
    return points;
}

// Served points are right, and each row that is absent lies inside a range reported missing.
void check_exact(const ReadBack& back, const std::string& what) {
    ASSERT_FALSE(back.doubled) << what;
    auto served = back.points.begin();
    std::uint64_t absent_rows = 0, last_absent = UINT64_MAX;
    for (const auto& point : big_points()) {
        if (served != back.points.end() && *served == point) {
            ++served;
            continue;
        }
        const std::uint64_t row = std::get<0>(point);
        if (row != last_absent) {
            last_absent = row;
            ++absent_rows;
            bool reported = false;
            for (const auto& [first, end] : back.missing_rows) {
                reported |= row >= first && row < end;
            }
            ASSERT_TRUE(reported) << what << ": row " << row << " vanished silently";
        }
    }
    ASSERT_TRUE(served == back.points.end()) << what << ": a point that was never logged";
    std::uint64_t missing = 0;
    for (const auto& [first, end] : back.missing_rows) {
        missing += end - first;
    }
    ASSERT_EQ(absent_rows, missing) << what;
}

TEST(Damage, LogIsAtLeast64KiB) {
    EXPECT_GE(big_log().bytes.size(), 64u << 10);
}

TEST(Damage, EveryPrefixIsAShorterLogNotADamagedOne) {
    const BuiltLog& log = big_log();
    const std::size_t stride = full() ? 1 : 211;
    std::size_t whole_frames = 0;
    for (std::size_t length = 0; length <= log.bytes.size(); length += stride) {
        while (whole_frames < log.frames.size() &&
               log.frames[whole_frames].first + log.frames[whole_frames].second <= length) {
            ++whole_frames;
        }
        const ReadBack back = read_back(ByteSpan(log.bytes).first(length));
        ASSERT_EQ(back.damaged_ranges, 0u) << length;
        ASSERT_EQ(back.frames, whole_frames) << length;
    }
}

TEST(Damage, PrefixesAroundEachFrameEdge) {
    const BuiltLog& log = big_log();
    for (std::size_t i = 0; i < log.frames.size(); ++i) {
        for (const std::uint64_t cut : {0, 1, 3, 4, 47, 48, 49}) {
            const ReadBack back = read_back(ByteSpan(log.bytes).first(log.frames[i].first + cut));
            ASSERT_EQ(back.frames, i) << cut;
            ASSERT_EQ(back.pending_bytes, cut);
            ASSERT_EQ(back.damaged_ranges, 0u);
        }
    }
}

TEST(Damage, EverySingleBitFlipCostsItsFrameAndIsReported) {
    Bytes bytes = big_log().bytes;
    const std::size_t stride = full() ? 1 : 1999;
    const std::uint64_t last_frame = big_log().frames.back().first;
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += stride) {
        const auto mask = static_cast<std::byte>(1u << (bit % 8));
        bytes[bit / 8] ^= mask;
        const ReadBack back = read_back(bytes);
        check_exact(back, "bit " + std::to_string(bit));
        if (bit / 8 < last_frame) {
            ASSERT_EQ(back.damaged_ranges, 1u) << bit;
            ASSERT_EQ(back.frames, big_log().frames.size() - 1) << bit;
        } else {
            ASSERT_GT(back.pending_bytes, 0u) << bit;  // nothing valid follows: not damage yet
        }
        bytes[bit / 8] ^= mask;
    }
}

TEST(Damage, EveryBitOfOneFrameHeader) {
    Bytes bytes = big_log().bytes;
    const std::size_t start = big_log().frames[5].first;
    for (std::size_t bit = 0; bit < 48 * 8; bit += full() ? 1 : 3) {
        const auto mask = static_cast<std::byte>(1u << (bit % 8));
        bytes[start + bit / 8] ^= mask;
        const ReadBack back = read_back(bytes);
        check_exact(back, "header bit " + std::to_string(bit));
        ASSERT_EQ(back.damaged_bytes, big_log().frames[5].second);
        bytes[start + bit / 8] ^= mask;
    }
}

TEST(Damage, ZeroHolesCostTheFramesTheyTouch) {
    const BuiltLog& log = big_log();
    const std::size_t stride = full() ? 128 : 1531;
    for (const std::size_t hole : {512u, 4096u}) {
        for (std::size_t start = 0; start + hole + 5000 < log.bytes.size(); start += stride) {
            Bytes bytes = log.bytes;
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(start), hole, std::byte{0});
            const ReadBack back = read_back(bytes);
            check_exact(back, "hole at " + std::to_string(start));
            std::size_t touched = 0;
            for (const auto& [offset, length] : log.frames) {
                touched += offset < start + hole && start < offset + length ? 1 : 0;
            }
            ASSERT_EQ(back.frames, log.frames.size() - touched) << start;
        }
    }
}

TEST(Damage, CopiedWhileLiveIsAPrefix) {
    // A copy may have caught the size before the content: zeros behind a cut.
    const BuiltLog& log = big_log();
    for (std::size_t length = 100; length < log.bytes.size(); length += full() ? 97 : 2003) {
        Bytes bytes(log.bytes.begin(), log.bytes.begin() + static_cast<std::ptrdiff_t>(length));
        bytes.resize(length + 4096);
        const ReadBack back = read_back(bytes);
        ASSERT_EQ(back.damaged_ranges, 0u) << length;
        ASSERT_GE(back.pending_bytes, 4096u);
    }
}

}  // namespace
}  // namespace taffrail::tlog
