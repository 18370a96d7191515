#include "io/folder_watch.h"

#include "io/files.h"
#include "io/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace taffrail::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FolderWatch, FindingG01_TellsWhoseFoldersChanged) {
    const test::TemporaryFolder folder;
    const std::string a = folder.file("a"), b = folder.file("b");
    ASSERT_TRUE(make_directories(a).ok());
    ASSERT_TRUE(make_directories(b).ok());
    const auto watch = FolderWatch::make();
    ASSERT_NE(watch, nullptr);
    EXPECT_TRUE(watch->add(a, 1));
    EXPECT_TRUE(watch->add(b, 2));
    EXPECT_TRUE(watch->add(b, 2)) << "twice is once";
    EXPECT_FALSE(watch->add(folder.file("none"), 3));
    EXPECT_THAT(watch->take().owners, IsEmpty());

    ASSERT_TRUE(write_file_atomically(a + "/x", as_bytes("x"), false).ok());
    EXPECT_THAT(watch->take().owners, ElementsAre(1)) << "several changes, told once";
    EXPECT_THAT(watch->take().owners, IsEmpty()) << "and once only";

    ASSERT_TRUE(remove(a + "/x").ok());
    ASSERT_TRUE(make_directories(b + "/sub").ok());
    EXPECT_THAT(watch->take().owners, ElementsAre(1, 2));
    ASSERT_TRUE(remove_tree(b).ok());
    EXPECT_THAT(watch->take().owners, ElementsAre(2));
    EXPECT_EQ(watch->size(), 1u) << "a folder that has gone takes its watch along";
    watch->remove(1);
    ASSERT_TRUE(write_file_atomically(a + "/y", as_bytes("y"), false).ok());
    EXPECT_THAT(watch->take().owners, IsEmpty());
}

}  // namespace
}  // namespace taffrail::io
