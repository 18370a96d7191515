#include "io/inside.h"

#include "io/files.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace taffrail::io {
namespace {

// run/ with a file, a folder and a stranger's file beside it.
class Inside : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(make_directories(join(run_, "data")).ok());
        put(join(run_, "data/log"), "log");
        put(folder_.file("secret"), "secret");
    }

    static void put(const std::string& path, std::string_view text) {
        ASSERT_TRUE(write_file_atomically(path, as_bytes(text), false).ok());
    }

    void link(const std::string& to, std::string_view name) {
        ASSERT_EQ(symlink(to.c_str(), join(run_, name).c_str()), 0);
    }

    std::string read(std::string_view name) {
        const auto bytes = read_inside(run_, join(run_, name));
        return bytes.ok() ? std::string(as_text(*bytes)) : bytes.error().message;
    }

    ErrorCode refusal(std::string_view name, OpenMode mode = OpenMode::Read) {
        const auto file = open_inside(run_, join(run_, name), mode);
        return file.ok() ? ErrorCode::Internal : file.error().code;
    }

    test::TemporaryFolder folder_;
    const std::string run_ = folder_.file("run");
};

TEST_F(Inside, ReadsFilesAndLinksThatStay) {
    link("data/log", "same");
    link("../run/data", "around");
    link(run_ + "/data/log", "absolute");
    EXPECT_EQ(read("data/log"), "log");
    EXPECT_EQ(read("same"), "log");
    EXPECT_EQ(read("around/log"), "log");
    EXPECT_EQ(read("absolute"), "log");
    EXPECT_EQ(read("../run/data/log"), "log");
    EXPECT_EQ(stat_inside(run_, run_)->type, EntryType::Directory);
    EXPECT_EQ(refusal("data/none"), ErrorCode::NotFound);
    EXPECT_EQ(refusal("none/none"), ErrorCode::NotFound);
}

TEST_F(Inside, FindingS12_RefusesDevicesPipesAndLinksThatLeave) {
    link("../secret", "out");
    link(folder_.path(), "above");
    link("/dev/zero", "zero");
    link("gone", "dangling");
    ASSERT_EQ(mkfifo(join(run_, "pipe").c_str(), 0600), 0);
    for (const char* name : {"out", "above/secret", "above/run/../secret", "../secret", "zero",
                             "pipe", "data/../../secret"}) {
        EXPECT_EQ(refusal(name), ErrorCode::PermissionDenied) << name;
        EXPECT_FALSE(exists_inside(run_, join(run_, name))) << name;
    }
    EXPECT_EQ(refusal("dangling"), ErrorCode::NotFound);
    EXPECT_NE(read("out").find("outside"), std::string::npos) << read("out");
    EXPECT_NE(read("pipe").find("a named pipe"), std::string::npos) << read("pipe");
    EXPECT_FALSE(list_inside(run_, join(run_, "above")).ok());
    for (const DirectoryEntry& entry : list_inside(run_, run_).value()) {
        EXPECT_EQ(entry.type, entry.name == "data" ? EntryType::Directory : EntryType::Other)
            << entry.name;
    }
}

TEST_F(Inside, FollowsALinkToTheWholeFolderForReadingOnly) {
    const std::string linked = folder_.file("linked");
    ASSERT_EQ(symlink("run", linked.c_str()), 0);
    EXPECT_TRUE(is_link(linked));
    EXPECT_TRUE(is_link(linked + "/"));
    EXPECT_FALSE(is_link(run_));
    EXPECT_EQ(as_text(read_inside(linked, join(linked, "data/log")).value()), "log");
    for (const OpenMode mode : {OpenMode::ReadWrite, OpenMode::CreateExclusive,
                                OpenMode::CreateOrOpen, OpenMode::Truncate}) {
        EXPECT_EQ(open_inside(linked, join(linked, "data/log"), mode).error().code,
                  ErrorCode::PermissionDenied);
    }
    EXPECT_FALSE(remove_inside(linked, join(linked, "data/log")).ok());
    EXPECT_EQ(read("data/log"), "log");
}

TEST_F(Inside, WritesAndRemovesThroughNoLink) {
    link("data/log", "same");
    link("data", "around");
    link("../secret", "out");
    EXPECT_EQ(refusal("same", OpenMode::Truncate), ErrorCode::PermissionDenied);
    EXPECT_EQ(refusal("around/new", OpenMode::CreateExclusive), ErrorCode::PermissionDenied);
    EXPECT_EQ(refusal("out", OpenMode::ReadWrite), ErrorCode::PermissionDenied);
    EXPECT_FALSE(remove_inside(run_, join(run_, "around/log")).ok());
    EXPECT_TRUE(remove_inside(run_, join(run_, "out")).ok());
    EXPECT_FALSE(is_link(join(run_, "out")));
    EXPECT_EQ(read_text(folder_.file("secret")).value(), "secret");
    EXPECT_TRUE(open_inside(run_, join(run_, "data/new"), OpenMode::CreateExclusive).ok());
    EXPECT_TRUE(remove_inside(run_, join(run_, "data/new")).ok());
}

TEST_F(Inside, ReadsNoMoreThanItsLimit) {
    EXPECT_TRUE(read_inside(run_, join(run_, "data/log"), 3).ok());
    const auto refused = read_inside(run_, join(run_, "data/log"), 2);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("3 bytes"), std::string::npos);
}

TEST_F(Inside, HoldsOnAFileSystemWithoutLinksToo) {
    const std::string run = "memory://inside-test/run";
    ASSERT_TRUE(make_directories(run).ok());
    put(join(run, "log"), "log");
    EXPECT_TRUE(read_inside(run, join(run, "log")).ok());
    EXPECT_FALSE(read_inside(run, "memory://inside-test/other").ok());
    EXPECT_FALSE(read_inside(run, join(run, "../run/log")).ok());
    EXPECT_FALSE(read_inside(run, join(run_, "data/log")).ok());
}

TEST_F(Inside, FindingS01_ATreeIsRemovedWithItsLinksAndNothingBehindThem) {
    link("..", "above");
    link("../secret", "out");
    link(".", "data/self");
    ASSERT_EQ(mkfifo(join(run_, "pipe").c_str(), 0600), 0);
    ASSERT_TRUE(remove_tree(run_).ok());
    EXPECT_FALSE(exists(run_));
    EXPECT_EQ(read_text(folder_.file("secret")).value(), "secret");
}

TEST_F(Inside, FindingS01_RemovingALinkToAFolderLeavesTheFolder) {
    const std::string linked = folder_.file("linked");
    ASSERT_EQ(symlink("run", linked.c_str()), 0);
    ASSERT_TRUE(remove_tree(linked + "/").ok());
    EXPECT_FALSE(is_link(linked));
    EXPECT_EQ(read("data/log"), "log");
}

TEST(PlainName, IsOneNameInOneFolder) {
    EXPECT_TRUE(is_plain_name("0001-3.tlog"));
    EXPECT_TRUE(is_plain_name("a..b"));
    for (const char* name : {"", ".", "..", ".hidden", "a/b", "/etc", "../x", "a\nb", "a\x7f"}) {
        EXPECT_FALSE(is_plain_name(name)) << name;
    }
    EXPECT_FALSE(is_plain_name(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace taffrail::io
