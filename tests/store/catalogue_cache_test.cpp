// The list of runs with a cache between programs: faster, never different.
#include "io/files.h"
#include "model/run_cache.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/sample_batch.h"
#include "test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace taffrail::storage {
namespace {

class CatalogueCacheTest : public ::testing::Test {
  protected:
    CatalogueCacheTest() {
        if (const char* before = std::getenv("XDG_CACHE_HOME")) {
            cache_before_ = before;
        }
        ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
        // One real run, copied: two hundred real ones would spend their time in fsync.
        root_ = folder_ / "root";
        make_root(root_).value();
        const std::string first = make_run_folder(root_, "01AAA", "first").value();
        tlog::FileIdentity identity = sample_identity(7);
        identity.run_id = "01AAA";
        auto log = open_log(first, identity).value();
        log->append(sample_definitions()).value();
        log->append(SampleRows(7, 0, 8).batch()).value();
        log->close(RunState::Finished).value();
        for (int i = 0; i < 210; ++i) {
            std::filesystem::copy(first, root_ + "/runs/01B" + std::to_string(1000 + i) + "-copy",
                                  std::filesystem::copy_options::recursive);
        }
    }

    ~CatalogueCacheTest() override {
        cache_before_ ? ::setenv("XDG_CACHE_HOME", cache_before_->c_str(), 1)
                      : ::unsetenv("XDG_CACHE_HOME");
    }

    std::vector<std::string> list() {
        std::vector<std::string> lines;
        const auto runs = open_catalogue(root_).value()->runs();
        for (const RunInfo& run : runs) {
            std::string line =
                run.location + " " + run.name + " " + std::string(to_string(run.state));
            for (const std::string& tag : run.tags) {
                line += " " + tag;
            }
            lines.push_back(std::move(line));
        }
        return lines;
    }

    test::TestFolder folder_;
    std::string root_;
    std::optional<std::string> cache_before_;
};

TEST_F(CatalogueCacheTest, ListsTheSameWithAndWithoutIt) {
    const std::vector<std::string> cold = list();
    ASSERT_EQ(cold.size(), 211u);
    const std::string cache = model::run_cache_path(root_);
    ASSERT_TRUE(io::exists(cache));
    ASSERT_EQ(model::read_run_cache(cache).size(), 211u);
    EXPECT_EQ(list(), cold);

    add_tag(root_ + "/runs/01B1005-copy", "good").value();
    io::remove_tree(root_ + "/runs/01B1006-copy").value();
    const std::vector<std::string> warm = list();
    io::remove(cache).value();
    EXPECT_EQ(warm, list());
    EXPECT_EQ(warm.size(), 210u);
    EXPECT_TRUE(
        std::ranges::any_of(warm, [](const std::string& line) { return line.ends_with(" good"); }));
}

// Old folders are checked by their times alone; a change must still show.
TEST_F(CatalogueCacheTest, SeesChangesInFoldersThatWereOldWhenTheyWereListed) {
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_ + "/runs")) {
        std::filesystem::last_write_time(entry.path(), long_ago);
    }
    const std::vector<std::string> cold = list();
    EXPECT_EQ(list(), cold);
    add_tag(root_ + "/runs/01B1007-copy", "good").value();
    EXPECT_NE(list(), cold);
    EXPECT_TRUE(std::ranges::any_of(
        list(), [](const std::string& line) { return line.ends_with(" good"); }));
}

TEST_F(CatalogueCacheTest, SurvivesACacheThatIsNoCache) {
    const std::vector<std::string> cold = list();
    io::write_file_atomically(model::run_cache_path(root_), as_bytes("nonsense")).value();
    EXPECT_EQ(list(), cold);
}

}  // namespace
}  // namespace taffrail::storage
