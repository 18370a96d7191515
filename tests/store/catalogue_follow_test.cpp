// Following a root for hours: what it costs when nothing happens, and that nothing is missed.
#include "io/counting_file_system.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/sample_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

namespace taffrail::store {
namespace {

using testing::IsEmpty;

class CatalogueFollow : public testing::Test {
  protected:
    CatalogueFollow() : root_(folder_.file("root")) { make_root(root_).value(); }

    std::string make_run(const std::string& id) {
        const std::string folder = make_run_folder(root_, id, "run").value();
        tlog::FileIdentity identity = sample_identity(7);
        identity.run_id = id;
        auto log = open_log(folder, identity).value();
        log->append(sample_definitions()).value();
        log->append(SampleRows(7, 0, 8).batch()).value();
        log->close(RunState::Finished).value();
        return folder;
    }

    /// Finished runs that were at rest for an hour.
    void make_copies(int count) {
        const std::string first = make_run("01AAA");
        for (int i = 0; i < count; ++i) {
            std::filesystem::copy(first, root_ + "/runs/01B" + std::to_string(1000 + i) + "-copy",
                                  std::filesystem::copy_options::recursive);
        }
        const auto then = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
            std::filesystem::last_write_time(entry.path(), then);
        }
        std::filesystem::last_write_time(root_ + "/runs", then);
    }

    static std::vector<std::string> ids(const Result<std::vector<model::RunChange>>& changes) {
        std::vector<std::string> all;
        for (const model::RunChange& change : changes.value()) {
            all.push_back((change.info ? "" : "-") + change.id);
        }
        return all;
    }

    test::TemporaryFolder folder_;
    const std::string root_;
};

TEST_F(CatalogueFollow, FindingG01_RunsAtRestAreNotAskedAgain) {
    make_copies(400);
    const auto counting = test::CountingFileSystem::install();
    NativeCatalogue catalogue("counting://" + root_, false);
    ASSERT_TRUE(catalogue.refresh().ok());
    ASSERT_EQ(catalogue.runs(true).size(), 401u);
    ASSERT_THAT(catalogue.follow().value(), IsEmpty());
    counting->questions = 0;
    constexpr int kCalls = 20;
    for (int i = 0; i < kCalls; ++i) {
        ASSERT_THAT(catalogue.follow().value(), IsEmpty());
    }
    // A slow sweep of 32 runs with three stat calls each, whatever the number of runs.
    EXPECT_LE(counting->questions, kCalls * (32 * 3 + 4));
}

TEST_F(CatalogueFollow, FindingG01_TheKernelTellsOfEditsBeforeTheSweepComesBy) {
    make_copies(400);
    NativeCatalogue catalogue(root_, false);
    ASSERT_TRUE(catalogue.refresh().ok());
    ASSERT_THAT(catalogue.follow().value(), IsEmpty());
    const std::string edited = root_ + "/runs/01B1399-copy";
    ASSERT_TRUE(add_tag(edited, "kept").ok());
    const auto changes = catalogue.follow().value();
    ASSERT_EQ(changes.size(), 1u);
    ASSERT_TRUE(changes.front().info);
    EXPECT_EQ(changes.front().info->location, edited);
    EXPECT_THAT(changes.front().info->tags, testing::Contains("kept"));
    EXPECT_THAT(catalogue.follow().value(), IsEmpty());
}

TEST_F(CatalogueFollow, FindingG01_NewAndRemovedRunsAreTold) {
    make_copies(3);
    NativeCatalogue catalogue(root_, false);
    ASSERT_TRUE(catalogue.refresh().ok());
    ASSERT_THAT(catalogue.follow().value(), IsEmpty());
    const std::string folder = make_run("01NEW");
    EXPECT_EQ(ids(catalogue.follow()), std::vector<std::string>{"01NEW"});
    ASSERT_TRUE(io::remove_tree(folder).ok());
    EXPECT_EQ(ids(catalogue.follow()), std::vector<std::string>{"-01NEW"});
    EXPECT_THAT(catalogue.follow().value(), IsEmpty());
    EXPECT_EQ(catalogue.runs(true).size(), 4u);
}

TEST_F(CatalogueFollow, FindingG01_TheSweepFindsWhatTheKernelDoesNotTell) {
    make_copies(100);
    const auto counting = test::CountingFileSystem::install();
    NativeCatalogue catalogue("counting://" + root_, false);  // no kernel behind this scheme
    ASSERT_TRUE(catalogue.refresh().ok());
    ASSERT_THAT(catalogue.follow().value(), IsEmpty());
    ASSERT_TRUE(io::make_directories(root_ + "/runs/01B1050-copy/meta/x").ok());
    bool told = false;
    for (int i = 0; i < 4 && !told; ++i) {
        told = !catalogue.follow().value().empty();
    }
    EXPECT_TRUE(told) << "101 runs are swept by four calls";
}

TEST_F(CatalogueFollow, FindingG01_ARunThatGoesOnIsFollowedAtEveryCall) {
    make_copies(3);
    NativeCatalogue catalogue(root_, false);
    ASSERT_TRUE(catalogue.refresh().ok());
    ASSERT_THAT(catalogue.follow().value(), IsEmpty());
    const std::string folder = make_run_folder(root_, "01LIVE", "run").value();
    tlog::FileIdentity identity = sample_identity(9);
    identity.run_id = "01LIVE";
    auto log = open_log(folder, identity).value();
    log->append(sample_definitions()).value();
    (void)catalogue.follow().value();
    for (std::uint64_t row = 0; row < 3; ++row) {
        log->append(SampleRows(9, row * 8, 8).batch()).value();
        EXPECT_EQ(ids(catalogue.follow()), std::vector<std::string>{"01LIVE"}) << row;
    }
    log->close(RunState::Finished).value();
    const auto last = catalogue.follow().value();
    ASSERT_EQ(last.size(), 1u);
    EXPECT_EQ(last.front().info->state, RunState::Finished);
    EXPECT_THAT(catalogue.follow().value(), IsEmpty());
}

}  // namespace
}  // namespace taffrail::store
