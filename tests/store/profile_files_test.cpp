// Profiles in a manifest: listed, checked, copied; and never touched.
#include "store/profile_files.h"

#include "io/files.h"
#include "store/manifest.h"
#include "store/run_check.h"
#include "test_files.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace taffrail::store {
namespace {

struct ProfileFiles : testing::Test {
    ProfileFiles() { std::filesystem::create_directories(run + "/profiles"); }

    void put(const std::string& name, std::string_view text) const {
        ASSERT_TRUE(io::write_file_atomically(run + "/profiles/" + name, as_bytes(text)).ok());
    }

    std::vector<std::string> damage() const {
        std::vector<std::string> reasons;
        for (const Damage& each : check_run_files(run)) {
            reasons.push_back(each.reason);
        }
        return reasons;
    }

    test::TestFolder folder;
    const std::string run = folder / "run";
};

TEST_F(ProfileFiles, AreListedWhenAManifestIsWritten) {
    put("a-00000.tprof", "abc");
    put("b-00000.tprof", "");
    put("fit-profiler.txt", "a table");
    ASSERT_TRUE(write_manifest(run, "id", {}).ok());
    const auto manifest = read_manifest(run);
    ASSERT_TRUE(manifest.has_value());
    ASSERT_EQ(manifest->profiles.size(), 2u);
    EXPECT_EQ(manifest->profiles[0].name, "a-00000.tprof");
    EXPECT_EQ(manifest->profiles[0].bytes, 3u);
    EXPECT_EQ(manifest->profiles[1].bytes, 0u);
    EXPECT_TRUE(damage().empty());
}

// A writer that is still there appends; what stood there stays.
TEST_F(ProfileFiles, MayGrowButNotChange) {
    put("a-00000.tprof", "abc");
    ASSERT_TRUE(write_manifest(run, "id", {}).ok());
    put("a-00000.tprof", "abcdef");
    EXPECT_TRUE(damage().empty());
    put("a-00000.tprof", "abX");
    EXPECT_EQ(damage(),
              std::vector<std::string>{"its bytes are not those that the manifest lists"});
    put("a-00000.tprof", "ab");
    EXPECT_EQ(damage(), std::vector<std::string>{"the file ends early"});
    std::filesystem::remove(run + "/profiles/a-00000.tprof");
    EXPECT_EQ(damage().size(), 1u);
}

TEST_F(ProfileFiles, AreCopiedButNotWhatIsNoFileOfTheRun) {
    put("a-00000.tprof", std::string(3'000'000, 'x'));
    put("fit-profiler.txt", "a table");
    put("a.open", "of a process");
    put("../../secret", "elsewhere");
    std::filesystem::create_symlink(folder / "secret", run + "/profiles/link.tprof");
    const std::string copy = folder / "copy";
    ASSERT_TRUE(copy_profile_files(run, copy).ok());
    std::vector<std::string> names;
    for (const auto& entry : *io::list(copy + "/profiles")) {
        names.push_back(entry.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a-00000.tprof", "fit-profiler.txt"}));
    EXPECT_EQ(io::stat(copy + "/profiles/a-00000.tprof")->size, 3'000'000u);
}

}  // namespace
}  // namespace taffrail::store
