#include "io/user_folders.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace taffrail::io {
namespace {

TEST(UserCacheFolder, IsWhereTheUserWantsItElseBelowHome) {
    ::setenv("HOME", "/home/me", 1);
    ::setenv("XDG_CACHE_HOME", "/fast/cache", 1);
    EXPECT_EQ(user_cache_folder(), "/fast/cache");
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    EXPECT_EQ(user_cache_folder(), "/home/me/.cache") << "only absolute paths count";
    ::unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(user_cache_folder(), "/home/me/.cache");
    ::unsetenv("HOME");
    EXPECT_EQ(user_cache_folder(), "");
}

}  // namespace
}  // namespace taffrail::io
