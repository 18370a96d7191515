#include "base/md5.h"

#include "base/sha256.h"

#include <gtest/gtest.h>

using namespace taffrail;

// The test suite of RFC 1321, and the examples of RFC 4648.
TEST(Md5, HasTheDigestsOfItsStandard) {
    EXPECT_EQ(to_hex(md5(as_bytes(""))), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(to_hex(md5(as_bytes("message digest"))), "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST(Base64, HasTheExamplesOfItsStandard) {
    const auto encoded = [](std::string_view text) {
        return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    };
    EXPECT_EQ(encoded(""), "");
    EXPECT_EQ(encoded("f"), "Zg==");
    EXPECT_EQ(encoded("fo"), "Zm8=");
    EXPECT_EQ(encoded("foo"), "Zm9v");
    EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
    EXPECT_EQ(encoded("\xFF\xFE"), "//4=");
}
