#include "codec/gzip.h"

#include <gtest/gtest.h>

namespace taffrail {
namespace {

TEST(Gzip, RoundTripsAndJoinsMembers) {
    const std::string text(100000, 'x');
    Bytes twice = gzip(as_bytes(text));
    append(twice, ByteSpan(gzip(as_bytes("tail"), 1)));
    EXPECT_EQ(as_text(gunzip(twice).value()), text + "tail");
    const Bytes stream = zlib(as_bytes(text));  // a head of two bytes, and a checksum of four
    const ByteSpan inside = ByteSpan(stream).subspan(2, stream.size() - 6);
    EXPECT_EQ(as_text(inflate(inside).value()), text);
    EXPECT_TRUE(gunzip(gzip({})).value().empty());
}

TEST(Gzip, RefusesDamageAndBombs) {
    const Bytes packed = gzip(as_bytes(std::string(1 << 20, 'x')));
    EXPECT_EQ(gunzip(packed, 1000).error().code, ErrorCode::Unsupported);
    EXPECT_EQ(gunzip(packed, 1 << 20).value().size(), 1u << 20);
    EXPECT_EQ(gunzip(ByteSpan(packed).first(packed.size() - 1)).error().code, ErrorCode::Corrupt);
    EXPECT_EQ(gunzip({}).error().code, ErrorCode::Corrupt);
}

TEST(Gzip, CrcMatchesTheStandardCheckValue) {
    EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926u);
    EXPECT_EQ(crc32(as_bytes("6789"), crc32(as_bytes("12345"))), 0xCBF43926u);
}

}  // namespace
}  // namespace taffrail
