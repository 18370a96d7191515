// What people set on runs afterwards, and what is refused instead of done in silence.
#include "cli/store_commands.h"
#include "transfer/adopt.h"

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
    ASSERT_TRUE(transfer::note_sink(folder, {.name = "csv", .type = "csv", .mask = 1}).ok());
    const Outcome unknown = run({"sync", name, "-s", "cvs", "--root", root_});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.errors, HasSubstr("no sink 'cvs'; did you mean 'csv'?"));
}

TEST_F(StoreCommands, SyncGivesAWholeRunToASinkItNeverHad) {
    const std::string name = names()[0];
    const std::string target = io::join(folder_, "late");
    const std::vector<std::string> asked = {"sync",   name,  "--root", root_,
                                            "--sink", "csv", "-o",     "log_dir=" + target};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), asked.begin(), asked.end());
        return run(more);
    };
    const Outcome dry = with({"--dry-run"});
    EXPECT_EQ(dry.code, 0) << dry.errors;
    EXPECT_THAT(dry.out, HasSubstr("csv would receive "));
    EXPECT_FALSE(io::exists(target));
    const Outcome first = with({"--yes"});
    EXPECT_EQ(first.code, 0) << first.errors;
    EXPECT_THAT(first.out, HasSubstr("all of it goes to csv log_dir=" + target));
    EXPECT_THAT(first.out, Not(HasSubstr("csv received 0 records")));
    EXPECT_TRUE(io::exists(target));
    EXPECT_THAT(with({"--yes"}).out, HasSubstr("csv received 0 records"));
    EXPECT_THAT(with({"--dry-run"}).out, HasSubstr("csv would receive 0 records"));
    EXPECT_EQ(run({"sync", name, "--root", root_, "-o", "a=b"}).code, 2);
    EXPECT_EQ(run({"sync", name, "--root", root_, "--sink", "csv", "-o", "ab"}).code, 2);
}

TEST_F(StoreCommands, SyncSaysWhatIsWrongWithOptionsOfANewSink) {
    const Outcome wrong =
        run({"sync", names()[0], "--root", root_, "--sink", "csv", "-o", "logdir=x", "--yes"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.errors, HasSubstr("log_dir"));
}

// The options of a sink stand in the run folder: whoever made it chose the place.
TEST_F(StoreCommands, FindingS15_SyncShowsWhereItWritesAndAsks) {
    const std::string name = names()[0];
    const std::string folder = listed(root_).at(name).string_or("location", "");
    const std::string target = io::join(folder_, "target");
    ASSERT_TRUE(
        transfer::note_sink(
            folder, {.name = "csv", .type = "csv", .mask = 1, .options = {{"log_dir", target}}})
            .ok());
    const Outcome asked = run({"sync", name, "--root", root_});
    EXPECT_EQ(asked.code, 1);
    EXPECT_THAT(asked.out, HasSubstr("csv (csv) writes to log_dir=" + target));
    EXPECT_FALSE(io::exists(target));
    EXPECT_EQ(run({"sync", name, "--root", root_, "--yes"}).code, 0);
}

TEST_F(StoreCommands, FindingS15_StoredVariablesAreNeverExpanded) {
    const std::string name = names()[0];
    const std::string folder = listed(root_).at(name).string_or("location", "");
    setenv("TAFFRAIL_TEST_PLACE", io::join(folder_, "victim").c_str(), 1);
    // Noted by ourselves, a variable is replaced where it was meant.
    const transfer::NotedSink noted{.name = "csv",
                                    .type = "csv",
                                    .mask = 1,
                                    .options = {{"log_dir", "$TAFFRAIL_TEST_PLACE/logs"}}};
    ASSERT_TRUE(transfer::note_sink(folder, noted).ok());
    ASSERT_EQ(transfer::noted_sinks(folder).size(), 1u);
    EXPECT_EQ(transfer::noted_sinks(folder)[0].options[0].second, io::join(folder_, "victim/logs"));
    for (const char* place : {"$TAFFRAIL_TEST_PLACE/logs", "${TAFFRAIL_TEST_PLACE}", "~/logs"}) {
        Bytes bytes;
        append_varint(bytes, 1);
        append_text(bytes, "csv");
        append_text(bytes, "csv");
        append_varint(bytes, 1);
        append_text(bytes, "log_dir");
        append_text(bytes, place);
        io::write_file_atomically(io::join(folder, "cursors/csv.sink"), bytes, false).value();
        const Outcome refused = run({"sync", name, "--root", root_, "--yes"});
        EXPECT_EQ(refused.code, 1) << place;
        EXPECT_THAT(refused.errors, HasSubstr("not expanded")) << place;
        EXPECT_FALSE(io::exists(io::join(folder_, "victim"))) << place;
    }
}

TEST_F(StoreCommands, FindingS01_GcRemovesLinksAndNothingBehindThem) {
    const std::string name = names()[0], other = names()[1];
    const std::string folder = listed(root_).at(name).string_or("location", "");
    const std::string precious = io::join(folder_, "precious");
    io::make_directories(precious).value();
    io::write_file_atomically(io::join(precious, "thesis.tex"), as_bytes("..."), false).value();
    ASSERT_EQ(symlink(precious.c_str(), io::join(folder, "notes").c_str()), 0);
    ASSERT_EQ(run({"rm", name, "--root", root_, "--yes"}).code, 0);
    ASSERT_EQ(run({"gc", "--root", root_, "--yes"}).code, 0);
    EXPECT_FALSE(io::exists(folder));
    EXPECT_TRUE(io::exists(io::join(precious, "thesis.tex")));

    // A whole run that is a link: the link goes, and the command says that it is one.
    const std::string run_folder = listed(root_).at(other).string_or("location", "");
    ASSERT_EQ(run({"rm", other, "--root", root_, "--yes"}).code, 0);
    const std::string moved = io::join(folder_, "moved");
    io::rename(run_folder, moved).value();
    ASSERT_EQ(symlink(moved.c_str(), run_folder.c_str()), 0);
    const Outcome done = run({"gc", "--root", root_, "--yes"});
    EXPECT_EQ(done.code, 0);
    EXPECT_THAT(done.out, HasSubstr("the link to " + other));
    EXPECT_FALSE(io::exists(run_folder));
    EXPECT_TRUE(io::exists(io::join(moved, "live")));
}

}  // namespace
}  // namespace taffrail::cli
