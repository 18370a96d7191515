// The list of runs with a cache between programs: faster, never different.
#include "io/files.h"
#include "model/key_cache.h"
#include "model/run_cache.h"
#include "model/run_keys.h"
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

namespace taffrail::store {
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

/// What a filter by a metric asks a store of many runs.
std::string keys_text(const Catalogue& catalogue, std::string_view id) {
    std::string text;
    const auto found = model::keys_of(catalogue, id);
    for (const KeyInfo& key : found.value().keys) {
        text += key.key + " " + std::to_string(static_cast<int>(key.kind)) + " " +
                std::to_string(key.count) + " " + std::to_string(key.scalar.min) + " " +
                std::to_string(key.scalar.max) + " " + std::to_string(key.scalar.sum) + " " +
                std::to_string(key.scalar.last) + " " + std::to_string(key.scalar.last_step) + " " +
                std::to_string(key.scalar.last_time_ns) + (key.definition ? " defined" : "") + "\n";
    }
    return text;
}

TEST_F(CatalogueCacheTest, FindingG14_KeysOfRunsAtRestAreKnownToTheNextProgram) {
    const std::string cache = model::KeyCache::path_for(root_);
    std::string cold;
    {
        const auto catalogue = open_catalogue(root_).value();
        cold = keys_text(*catalogue, "01AAA");
        EXPECT_NE(cold, "");
        EXPECT_EQ(cold, keys_text(*catalogue, "01AAA")) << "kept by the program itself, too";
    }
    ASSERT_TRUE(io::exists(cache));
    // The logs are made unreadable in place, which neither times nor sizes of folders tell: who
    // answers now has not opened the run.
    const auto catalogue = open_catalogue(root_).value();
    const std::string folder =
        dynamic_cast<NativeCatalogue&>(*catalogue).folder_of("01AAA").value();
    for (const auto& log : std::filesystem::directory_iterator(folder + "/live")) {
        const std::string path = log.path().string();
        const auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
        io::open(path, io::OpenMode::ReadWrite).value()->write_at(0, Bytes(size)).value();
    }
    EXPECT_EQ(keys_text(*catalogue, "01AAA"), cold);
    // A change of the run is a reason to look.
    add_tag(folder, "changed").value();
    EXPECT_NE(keys_text(*open_catalogue(root_).value(), "01AAA"), cold);
}

TEST_F(CatalogueCacheTest, FindingG14_ADamagedListOfKeysIsNone) {
    const std::string cache = model::KeyCache::path_for(root_);
    const std::string cold = keys_text(*open_catalogue(root_).value(), "01AAA");
    const Bytes good = io::read_file(cache).value();
    for (const std::size_t at : {0u, 5u, 9u, 20u}) {
        Bytes bad = good;
        bad[at] ^= std::byte{1};
        io::write_file_atomically(cache, bad, false).value();
        EXPECT_EQ(keys_text(*open_catalogue(root_).value(), "01AAA"), cold) << at;
    }
    io::write_file_atomically(cache, ByteSpan(good).first(good.size() / 2), false).value();
    EXPECT_EQ(keys_text(*open_catalogue(root_).value(), "01AAA"), cold);
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
}  // namespace taffrail::store
