#include "server/waiting_catalogue.h"

#include "io/files.h"
#include "io/temporary_folder.h"
#include "store/layout.h"
#include "store/open_log.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

void write_small_run(const std::string& root, const std::string& id) {
    const std::string folder = store::make_run_folder(root, id, "run").value();
    tlog::FileIdentity identity;
    identity.run_id = id;
    identity.writer = 1;
    store::open_log(folder, identity).value()->close(RunState::Finished).value();
}

TEST(WaitingCatalogue, FitsAFolderWithNothingInIt) {
    const test::TemporaryFolder folder;
    const std::string root = folder.file("runs");
    EXPECT_FALSE(WaitingCatalogue::fits(root)) << "a missing folder is a mistake in the path";
    ASSERT_TRUE(io::make_directories(root).ok());
    EXPECT_TRUE(WaitingCatalogue::fits(root));
    ASSERT_TRUE(io::write_file_atomically(root + "/x", as_bytes("x"), false).ok());
    EXPECT_FALSE(WaitingCatalogue::fits(root));
}

TEST(WaitingCatalogue, HasNoRunsUntilOneAppearsAndNamesItThen) {
    const test::TemporaryFolder folder;
    const std::string root = folder.file("runs");
    ASSERT_TRUE(io::make_directories(root).ok());
    WaitingCatalogue catalogue(root);
    EXPECT_TRUE(catalogue.refresh().value().empty());
    EXPECT_TRUE(catalogue.runs(false).empty());
    const auto none = catalogue.run("first");
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, ErrorCode::NotFound);
    write_small_run(root, "first");
    EXPECT_EQ(catalogue.refresh().value(), std::vector<std::string>{"first"});
    ASSERT_EQ(catalogue.runs(false).size(), 1u);
    EXPECT_TRUE(catalogue.run("first").ok());
    EXPECT_TRUE(catalogue.refresh().value().empty()) << "from now on only what changes";
    write_small_run(root, "second");
    EXPECT_EQ(catalogue.refresh().value(), std::vector<std::string>{"second"});
}

TEST(WaitingCatalogue, WaitsOnWhileTheFolderIsNothingYet) {
    const test::TemporaryFolder folder;
    const std::string root = folder.file("runs");
    ASSERT_TRUE(io::make_directories(root).ok());
    WaitingCatalogue catalogue(root);
    ASSERT_TRUE(io::write_file_atomically(root + "/notes.txt", as_bytes("not a run"), false).ok());
    EXPECT_TRUE(catalogue.refresh().value().empty());
    EXPECT_TRUE(catalogue.runs(false).empty());
    write_small_run(root, "first");
    EXPECT_EQ(catalogue.refresh().value(), std::vector<std::string>{"first"});
}

}  // namespace
}  // namespace taffrail::server
