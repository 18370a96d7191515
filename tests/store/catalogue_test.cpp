// The list of runs: found, named, edited, hidden, brought back.
#include "store/catalogue.h"

#include "io/files.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

class CatalogueTest : public ::testing::Test {
  protected:
    std::string add_run(const std::string& id, const std::string& name, std::int64_t start) {
        const std::string folder = make_run_folder(root_, id, name).value();
        tlog::FileIdentity identity = sample_identity(static_cast<std::uint64_t>(start));
        identity.run_id = id;
        identity.start_time_ns = start;
        auto log = open_log(folder, identity).value();
        log->append(sample_definitions()).value();
        log->append(SampleRows(identity.writer, 0, 8).batch()).value();
        log->close(RunState::Finished).value();
        return folder;
    }

    std::string root_ = fresh_folder("memory");
};

TEST_F(CatalogueTest, ListsNewestFirstAndFindsByIdPrefixNameAndPath) {
    add_run("01AAA", "same", 100);
    add_run("01AAB", "other", 300);
    const std::string newest = add_run("01BBB", "same", 200);
    auto catalogue = open_catalogue(root_).value();
    const auto runs = catalogue->runs();
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].id, "01AAB");
    EXPECT_EQ(runs[2].id, "01AAA");
    EXPECT_EQ(runs[0].state, RunState::Finished);
    EXPECT_EQ(catalogue->run("01AAA").value()->info().id, "01AAA");
    EXPECT_EQ(catalogue->run("01B").value()->info().id, "01BBB");
    EXPECT_EQ(catalogue->run("same").value()->info().id, "01BBB");
    EXPECT_EQ(catalogue->run(newest).value()->info().id, "01BBB");
    EXPECT_EQ(catalogue->run("01A").error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(catalogue->run("othr").error().message.find("other"), std::string::npos);
}

TEST_F(CatalogueTest, RefreshNamesWhatChanged) {
    const std::string first = add_run("01AAA", "one", 100);
    auto catalogue = open_catalogue(root_).value();
    EXPECT_TRUE(catalogue->refresh().value().empty());
    add_run("01BBB", "two", 200);
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"01BBB"});
    add_tag(first, "good").value();
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"01AAA"});
    EXPECT_EQ(catalogue->runs().back().tags, std::vector<std::string>{"good"});
    io::remove_tree(first).value();
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"01AAA"});
    EXPECT_EQ(catalogue->runs().size(), 1u);
}

TEST_F(CatalogueTest, TombstonesHideAndRestoreBringsBack) {
    const std::string folder = add_run("01AAA", "one", 100);
    set_deleted(folder, true).value();
    auto catalogue = open_catalogue(root_).value();
    EXPECT_TRUE(catalogue->runs().empty());
    ASSERT_EQ(catalogue->runs(true).size(), 1u);
    EXPECT_TRUE(catalogue->runs(true)[0].deleted);
    set_deleted(folder, false).value();
    catalogue->refresh().value();
    EXPECT_EQ(catalogue->runs().size(), 1u);
}

TEST_F(CatalogueTest, ARunningRunIsLookedAtEachTime) {
    const std::string folder = make_run_folder(root_, "01LIVE", "live").value();
    tlog::FileIdentity identity = sample_identity(5);
    identity.run_id = "01LIVE";
    auto log = open_log(folder, identity).value();
    auto catalogue = open_catalogue(root_).value();
    EXPECT_EQ(catalogue->runs().at(0).state, RunState::Running);
    log->append(sample_definitions()).value();
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"01LIVE"});
    EXPECT_TRUE(catalogue->refresh().value().empty());
    log->close(RunState::Aborted).value();
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"01LIVE"});
    EXPECT_EQ(catalogue->runs().at(0).state, RunState::Aborted);
}

TEST_F(CatalogueTest, OneRunFolderIsACatalogueOfOne) {
    const std::string folder = add_run("01AAA", "one", 100);
    auto catalogue = open_catalogue(folder + "/").value();
    ASSERT_EQ(catalogue->runs().size(), 1u);
    EXPECT_EQ(catalogue->run("one").value()->points("lone").value().size(), 2u);
    EXPECT_FALSE(open_catalogue("memory://store/nothing").ok());
}

TEST_F(CatalogueTest, TheSameIdTwiceIsRefused) {
    make_run_folder(root_, "01AAA", "x").value();
    EXPECT_EQ(make_run_folder(root_, "01AAA", "y").error().code, ErrorCode::AlreadyExists);
    EXPECT_TRUE(find_run_folder(root_, "01AAA").ok());
    EXPECT_EQ(find_run_folder(root_, "01ZZZ").error().code, ErrorCode::NotFound);
}

TEST_F(CatalogueTest, AStoreOfANewerFormatIsRefused) {
    io::make_directories(root_).value();
    io::write_file_atomically(io::join(root_, "TAFFRAIL"), as_bytes("taffrail 2 0000\n")).value();
    EXPECT_EQ(make_root(root_).error().code, ErrorCode::Unsupported);
}

TEST_F(CatalogueTest, ManyRunsAreListedInParallel) {
    for (int i = 0; i < 100; ++i) {
        add_run("01R" + std::to_string(1000 + i), "n", 100 + i);
    }
    auto catalogue = open_catalogue(root_).value();
    const auto runs = catalogue->runs();
    ASSERT_EQ(runs.size(), 100u);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(runs[i].id, "01R" + std::to_string(1099 - i));
    }
}

}  // namespace
}  // namespace taffrail::store
