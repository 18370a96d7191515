#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <random>

namespace taffrail {
namespace {

TEST(Crc32c, MatchesThePublishedCheckValue) {
    EXPECT_EQ(crc32c(as_bytes("123456789")), 0xE3069283u);
    EXPECT_EQ(crc32c({}), 0u);
}

TEST(Crc32c, HardwareAndTableAgreeOnEveryLengthAndAlignment) {
    std::mt19937 random(1);
    Bytes bytes(300);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    for (std::size_t begin = 0; begin < 9; ++begin) {
        for (std::size_t length = 0; length + begin <= bytes.size(); ++length) {
            const ByteSpan part(bytes.data() + begin, length);
            ASSERT_EQ(crc32c(part), crc32c_portable(part)) << begin << '+' << length;
        }
    }
}

TEST(Crc32c, HardwareAndTableAgreeAroundTheLengthsWhereStretchesBegin) {
    std::mt19937 random(2);
    Bytes bytes(3 * 3 * 2048 + 64);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random());
    }
    for (const std::size_t about : {384u, 2 * 384u, 6144u, 6144u + 384u, 2 * 6144u, 3 * 6144u}) {
        for (std::size_t length = about - 17; length <= about + 17; ++length) {
            const ByteSpan part(bytes.data() + length % 7, length);
            ASSERT_EQ(crc32c(part, 0x1234567u), crc32c_portable(part, 0x1234567u)) << length;
        }
    }
}

TEST(Crc32c, ContinuesOverPieces) {
    const auto whole = as_bytes("the taffrail log turns behind the ship");
    EXPECT_EQ(crc32c(whole.subspan(10), crc32c(whole.first(10))), crc32c(whole));
}

}  // namespace
}  // namespace taffrail
