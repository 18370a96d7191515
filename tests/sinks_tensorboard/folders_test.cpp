#include "sinks/tensorboard/folders.h"

#include "io/files.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>

namespace taffrail::sinks::tensorboard {

using namespace sources::tensorboard;

namespace {

TEST(VersionedFolder, CountsOneUp) {
    const std::string root = testing::fresh_folder();
    EXPECT_EQ(versioned_folder(root, "exp", ""), root + "/exp/version_0");
    ASSERT_TRUE(io::make_directories(root + "/exp/version_7").ok());
    ASSERT_TRUE(io::make_directories(root + "/exp/version_x").ok());
    EXPECT_EQ(versioned_folder(root, "exp", ""), root + "/exp/version_8");
    EXPECT_EQ(versioned_folder(root, "", "best"), root + "/best");
    EXPECT_EQ(versioned_folder(root, "exp", "3"), root + "/exp/version_3");
}

TEST(DefaultLogDir, LooksLikeTorchs) {
    const std::string folder = default_log_dir("_note", 0);
    EXPECT_TRUE(folder.starts_with("runs/"));
    EXPECT_TRUE(folder.ends_with("_note"));
}

}  // namespace
}  // namespace taffrail::sinks::tensorboard
