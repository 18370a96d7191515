// What people set on runs afterwards, and what is refused instead of done in silence.
#include "cli/store_commands.h"
#include "run/adopt.h"

#include <gmock/gmock.h>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(StoreCommands, NotesAreClearedByAnEmptyText) {
    const std::string name = names()[0];
    ASSERT_EQ(run({"note", name, "hello", "--root", root_}).code, 0);
    ASSERT_EQ(run({"note", name, "--root", root_}).out, "hello\n");
    EXPECT_EQ(run({"note", name, "", "--root", root_}).code, 0);
    EXPECT_EQ(run({"note", name, "--root", root_}).out, "\n");
    EXPECT_THAT(run({"show", name, "--root", root_}).out, Not(HasSubstr("hello")));
}

TEST_F(StoreCommands, TagsThatMakeNoSenseAreRefused) {
    const std::string name = names()[0];
    EXPECT_EQ(run({"tag", name, "--root", root_}).code, 2);
    EXPECT_EQ(run({"tag", name, "", "--root", root_}).code, 2);
    EXPECT_EQ(run({"tag", name, " ", "--root", root_}).code, 2);
    ASSERT_EQ(run({"tag", name, "baseline", "--root", root_}).code, 0);
    const Outcome absent = run({"tag", name, "new", "--remove", "basline", "--root", root_});
    EXPECT_EQ(absent.code, 1);
    EXPECT_THAT(absent.errors, HasSubstr("no tag 'basline'; did you mean 'baseline'?"));
    EXPECT_THAT(run({"show", name, "--root", root_}).out, Not(HasSubstr("#new")));
}

TEST_F(StoreCommands, SyncNamesTheSinksThereAre) {
    const std::string name = names()[0];
    const Outcome none = run({"sync", name, "--root", root_});
    EXPECT_EQ(none.code, 1);
    EXPECT_THAT(none.errors, HasSubstr(name + " was given no sinks"));
    EXPECT_EQ(run({"sync", root_}).code, 1);

    const std::string folder = listed(root_).at(name).string_or("location", "");
    ASSERT_TRUE(running::note_sink(folder, {.name = "csv", .type = "csv", .mask = 1}).ok());
    const Outcome unknown = run({"sync", name, "-s", "cvs", "--root", root_});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.errors, HasSubstr("no sink 'cvs'; did you mean 'csv'?"));
}

}  // namespace
}  // namespace taffrail::cli
