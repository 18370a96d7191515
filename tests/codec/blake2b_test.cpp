#include "codec/blake2b.h"

#include <gtest/gtest.h>

#include <string>

namespace taffrail {
namespace {

// Values of Python's hashlib.blake2b(…, digest_size=8).
TEST(Blake2b, AgreesWithThePublishedFunction) {
    EXPECT_EQ(blake2b_64_hex(as_bytes("")), "e4a6a0577479b2b4");
    EXPECT_EQ(blake2b_64_hex(as_bytes("r1")), "83dd8a0c5b69bd30");
    EXPECT_EQ(blake2b_64_hex(as_bytes(std::string(128, 'a'))), "f06643fe9c7e18da");
    EXPECT_EQ(blake2b_64_hex(as_bytes(std::string(300, 'b'))), "d47759750ca026af");
}

TEST(Blake2b, TakesASalt) {
    EXPECT_EQ(blake2b_64(as_bytes("x"), 7), 13786498476019973587u);
}

}  // namespace
}  // namespace taffrail
