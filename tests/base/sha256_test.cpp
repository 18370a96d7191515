#include "base/sha256.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <sys/wait.h>
#include <unistd.h>

namespace taffrail {
namespace {

constexpr char kOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string digest_of(std::string_view text) {
    return to_hex(sha256(std::as_bytes(std::span(text.data(), text.size()))));
}

TEST(Sha256, IsThatOfTheStandardsExample) {
    EXPECT_EQ(digest_of("abc"), kOfAbc);
}

TEST(Hex, GoesThereAndBack) {
    Bytes all;
    for (int byte = 0; byte < 256; ++byte) {
        all.push_back(static_cast<std::byte>(byte));
    }
    EXPECT_EQ(to_hex(ByteSpan(all)).substr(0, 6), "000102");
    EXPECT_EQ(from_hex(to_hex(ByteSpan(all))), all);
    EXPECT_EQ(from_hex("0aFFzz7"), (Bytes{std::byte{10}, std::byte{255}, std::byte{0}}));
    EXPECT_EQ(from_hex(""), Bytes());
}

// A run in a static of the program finishes after the handlers that libraries left for the exit.
TEST(Sha256, WorksWhenOpensslHasCleanedUp) {
    const pid_t child = fork();
    if (child == 0) {
        OPENSSL_cleanup();
        _exit(digest_of("abc") == kOfAbc ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace
}  // namespace taffrail
