// Each encoding against its own inverse on every shape that has a special case in it, and against
// bytes worked out by hand.
#include "codec/parquet/encodings.h"

#include "codec/parquet/byte_planes.h"
#include "codec/parquet/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cstring>
#include <limits>
#include <random>

namespace taffrail::parquet {
namespace {

std::vector<int> numbers(const Bytes& bytes) {
    std::vector<int> result;
    for (const std::byte byte : bytes) {
        result.push_back(static_cast<int>(byte));
    }
    return result;
}

template <typename T>
void expect_delta_round_trip(const std::vector<T>& values) {
    Bytes bytes;
    append_delta_packed(bytes, std::span<const T>(values));
    std::vector<T> back(values.size());
    RC_ASSERT(read_delta_packed(bytes, std::span<T>(back)));
    RC_ASSERT(back == values);
}

TEST(DeltaPacked, MatchesBytesWorkedOutByHand) {
    // 7, 5, 3, 1, 2: deltas -2 -2 -2 1, smallest -2, over it 0 0 0 3: two bits each.
    Bytes bytes;
    append_delta_packed(bytes, std::vector<std::int64_t>{7, 5, 3, 1, 2});
    const std::vector<int> expected{0x80, 1, 4, 5, 14, 3, 2, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(numbers(bytes), expected);
}

TEST(DeltaPacked, GivesBackWhatWentIn) {
    EXPECT_TRUE(rc::check("any int64", [](const std::vector<std::int64_t>& values) {
        expect_delta_round_trip(values);
    }));
    EXPECT_TRUE(rc::check("any int32", [](const std::vector<std::int32_t>& values) {
        expect_delta_round_trip(values);
    }));
    EXPECT_TRUE(rc::check("long and nearly regular", [] {
        std::vector<std::int64_t> values(*rc::gen::inRange<std::size_t>(0, 2000));
        const auto stride = *rc::gen::arbitrary<std::int64_t>();
        std::uint64_t value = 0;
        for (auto& each : values) {
            value += static_cast<std::uint64_t>(stride) +
                     static_cast<std::uint64_t>(*rc::gen::inRange(0, 4));
            each = static_cast<std::int64_t>(value);
        }
        expect_delta_round_trip(values);
    }));
}

TEST(DeltaPacked, WrapsAtTheEndsOfTheRange) {
    expect_delta_round_trip<std::int64_t>({INT64_MIN, INT64_MAX, INT64_MIN, 0, INT64_MAX, -1});
    expect_delta_round_trip<std::int32_t>({INT32_MIN, INT32_MAX, INT32_MIN, 0, INT32_MAX, -1});
}

TEST(DeltaPacked, RefusesEveryPrefixAndAWrongCount) {
    std::vector<std::int64_t> values;
    for (int i = 0; i < 300; ++i) {
        values.push_back(i * i);
    }
    Bytes bytes;
    append_delta_packed(bytes, std::span<const std::int64_t>(values));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(
            read_delta_packed(ByteSpan(bytes).first(length), std::span<std::int64_t>(values)))
            << length;
    }
    std::vector<std::int64_t> fewer(values.size() - 1);
    EXPECT_FALSE(read_delta_packed(bytes, std::span<std::int64_t>(fewer)));
}

TEST(Rle, MatchesBytesWorkedOutByHand) {
    Bytes bytes;
    append_rle(bytes, std::vector<std::uint32_t>(100, 1), 1);
    EXPECT_EQ(numbers(bytes), (std::vector<int>{0xC8, 1, 1}));
    bytes.clear();
    append_rle(bytes, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}, 3);
    EXPECT_EQ(numbers(bytes),
              (std::vector<int>{3, 0x88, 0xC6, 0xFA}));  // the example in Parquet's specification
}

TEST(Rle, GivesBackRunsAndNoise) {
    EXPECT_TRUE(rc::check("runs of any length, any width", [] {
        const unsigned bits = *rc::gen::inRange(1u, 21u);
        std::vector<std::uint32_t> values;
        const int runs = *rc::gen::inRange(0, 30);
        for (int i = 0; i < runs; ++i) {
            const auto length = *rc::gen::element<std::size_t>(1, 2, 3, 7, 8, 9, 15, 16, 100);
            values.insert(values.end(), length, *rc::gen::inRange<std::uint32_t>(0, 1u << bits));
        }
        Bytes bytes;
        append_rle(bytes, values, bits);
        std::vector<std::uint32_t> back(values.size());
        RC_ASSERT(read_rle(bytes, bits, back));
        RC_ASSERT(back == values);
    }));
}

TEST(BytePlanes, JoinsWhatItSplitBitForBit) {
    EXPECT_TRUE(
        rc::check("any bit pattern, any length", [](const std::vector<std::uint64_t>& patterns) {
            std::vector<double> values(patterns.size()), back(patterns.size());
            for (std::size_t i = 0; i < patterns.size(); ++i) {
                values[i] = std::bit_cast<double>(patterns[i]);
            }
            Bytes planes;
            append_byte_planes(planes, values);
            RC_ASSERT(planes.size() == 8 * patterns.size());
            for (std::size_t i = 0; i < patterns.size(); ++i) {
                for (std::size_t plane = 0; plane < 8; ++plane) {
                    RC_ASSERT(static_cast<std::uint64_t>(planes[plane * patterns.size() + i]) ==
                              ((patterns[i] >> (8 * plane)) & 0xFF));
                }
            }
            join_byte_planes(planes, back);
            for (std::size_t i = 0; i < patterns.size(); ++i) {
                RC_ASSERT(std::bit_cast<std::uint64_t>(back[i]) == patterns[i]);
            }
        }));
}

std::size_t packed_bytes(std::span<const double> values) {
    Bytes planes, frame;
    append_byte_planes(planes, values);
    append_zstd(frame, planes, values.size());
    Bytes back(planes.size());
    EXPECT_TRUE(unpack_zstd(frame, back));
    EXPECT_EQ(back, planes);
    return frame.size();
}

// Noise is packed without a search for repetitions; what does repeat must not pay for that.
TEST(Zstd, PlanesWithNoiseAndPlanesThatRepeatAreBothSmall) {
    std::mt19937_64 random(7);
    std::vector<double> noisy, schedule, ladder;
    std::vector<double> cycle;
    for (int i = 0; i < 500; ++i) {
        cycle.push_back(std::normal_distribution<>(0, 1)(random));
    }
    for (std::size_t i = 0; i < 16384; ++i) {
        noisy.push_back(static_cast<float>(std::normal_distribution<>(1, 0.03)(random)));
        schedule.push_back(cycle[i % cycle.size()]);
        ladder.push_back(static_cast<double>(i / 64));
    }
    EXPECT_LT(packed_bytes(noisy), 16384u * 3);
    EXPECT_LT(packed_bytes(schedule), 6000u) << "500 numbers of 8 bytes, then the same again";
    EXPECT_LT(packed_bytes(ladder), 1500u);
}

TEST(Zstd, UnpacksFramesCutAtPlanes) {
    for (const std::size_t size : {0u, 1u, 7u, 8u, 4096u, 300'000u}) {
        Bytes bytes(size);
        for (std::size_t i = 0; i < size; ++i) {
            bytes[i] = static_cast<std::byte>((i * i) >> 7);
        }
        for (const std::size_t plane : {std::size_t{0}, std::size_t{1000}, size / 8, size + 1}) {
            Bytes frame, back(size);
            append_zstd(frame, bytes, plane);
            EXPECT_TRUE(unpack_zstd(frame, back)) << size << " " << plane;
            EXPECT_EQ(back, bytes);
        }
    }
}

TEST(Crc32, MatchesTheCheckValue) {
    EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926u);
}

}  // namespace
}  // namespace taffrail::parquet
