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

TEST(Crc32c, ContinuesOverPieces) {
    const auto whole = as_bytes("the taffrail log turns behind the ship");
    EXPECT_EQ(crc32c(whole.subspan(10), crc32c(whole.first(10))), crc32c(whole));
}

}  // namespace
}  // namespace taffrail
