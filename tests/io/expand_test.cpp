#include "io/expand.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace taffrail::io {
namespace {

TEST(ExpandPath, ReplacesHomeAndVariables) {
    ::setenv("TAFFRAIL_TEST_A", "alpha", 1);
    ::setenv("HOME", "/home/me", 1);
    EXPECT_EQ(expand_path("~/x"), "/home/me/x");
    EXPECT_EQ(expand_path("$TAFFRAIL_TEST_A/${TAFFRAIL_TEST_A}b"), "alpha/alphab");
    EXPECT_EQ(expand_path("a$TAFFRAIL_TEST_UNSET/${TAFFRAIL_TEST_UNSET}/$"),
              "a$TAFFRAIL_TEST_UNSET/${TAFFRAIL_TEST_UNSET}/$");
    EXPECT_EQ(expand_path("a~b"), "a~b");
}

}  // namespace
}  // namespace taffrail::io
