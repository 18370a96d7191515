// Commands on real files: made-up runs, edits, import and export.
#include "cli/store_commands.h"

#include "base/strings.h"

namespace taffrail::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(StoreCommands, TheSameSeedGivesTheSameRuns) {
    const std::string other = io::join(folder_, "other");
    ASSERT_TRUE(generate_demo_runs(
                    other, {.runs = 3, .points = 60, .seed = 5, .now_ns = kNow, .seal = false})
                    .ok());
    const auto points_of = [&](const std::string& root) {
        return run({"export", root, "--format", "csv"}).out;
    };
    EXPECT_EQ(points_of(root_), points_of(other));
    EXPECT_THAT(points_of(root_), HasSubstr("train/loss"));
}

TEST_F(StoreCommands, RunsEndWhenTheyEnded) {
    const Json json = parse_json(run({"ls", root_, "--json"}).out).value();
    EXPECT_LE((*json.array())[0].integer_or("end_time", 0), kNow);
    EXPECT_LT((*json.array())[2].integer_or("end_time", 0), kNow - 5 * 3'600'000'000'000);
}

TEST_F(StoreCommands, TagsAndNotesAreKept) {
    const std::string name = names()[0];
    EXPECT_EQ(run({"tag", name, "mine", "--root", root_}).code, 0);
    EXPECT_EQ(run({"note", name, "hello", "--root", root_}).code, 0);
    EXPECT_THAT(run({"show", name, "--root", root_}).out, HasSubstr("#mine"));
    EXPECT_EQ(run({"note", name, "--root", root_}).out, "hello\n");
    EXPECT_EQ(run({"ls", root_, "-q", "--filter", "tag:mine"}).out.size(), 27u);
    EXPECT_EQ(run({"tag", name, "--remove", "mine", "--root", root_}).code, 0);
    EXPECT_THAT(run({"show", name, "--root", root_}).out, Not(HasSubstr("#mine")));
}

TEST_F(StoreCommands, RemovedRunsComeBackUntilGc) {
    const std::string name = names()[1];
    EXPECT_THAT(run({"rm", name, "--root", root_, "--dry-run"}).out, HasSubstr("would rm " + name));
    EXPECT_EQ(names().size(), 3u);
    EXPECT_EQ(run({"rm", name, "--root", root_, "--yes"}).code, 0);
    EXPECT_EQ(names().size(), 2u);
    EXPECT_EQ(run({"restore", name, "--root", root_}).code, 0);
    EXPECT_EQ(names().size(), 3u);
    EXPECT_EQ(run({"rm", name, "--root", root_, "--yes"}).code, 0);
    EXPECT_THAT(run({"gc", "--root", root_, "--dry-run"}).out, HasSubstr("would remove " + name));
    EXPECT_EQ(run({"gc", "--root", root_, "--yes"}).code, 0);
    EXPECT_EQ(run({"restore", name, "--root", root_}).code, 1);
    EXPECT_EQ(io::list(io::join(root_, "runs")).value().size(), 2u);
}

TEST_F(StoreCommands, VerifyNamesADamagedPlaceAndFails) {
    EXPECT_EQ(run({"verify", "--root", root_}).code, 0);
    const Json json = parse_json(run({"ls", root_, "--json"}).out).value();
    const std::string live = io::join((*json.array())[0].string_or("location", ""), "live");
    const std::string path = io::join(live, io::list(live).value()[0].name);
    Bytes bytes = io::read_file(path).value();
    bytes[bytes.size() / 2] ^= std::byte{0x10};
    ASSERT_TRUE(io::write_file_atomically(path, bytes, false).ok());
    const Outcome outcome = run({"verify", "--root", root_});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("damaged"));
    EXPECT_THAT(outcome.out, HasSubstr("at byte"));
}

TEST_F(StoreCommands, ImportKeepsEveryPointAndItsTime) {
    const std::string copy = io::join(folder_, "copy");
    const std::string name = names()[0];
    const std::string run_folder = [&] {
        const Json json = parse_json(run({"ls", root_, "--json"}).out).value();
        return (*json.array())[0].string_or("location", "");
    }();
    ASSERT_EQ(run({"import", run_folder, "--root", copy}).code, 0);
    const auto rows = [&](const std::string& root) {
        std::string text;
        const std::string exported = run({"export", name, "--root", root, "--format", "csv"}).out;
        for (std::string_view line : split(exported, '\n')) {
            text += line.substr(std::min(line.find(','), line.size()));  // ids differ
            text += "\n";
        }
        return text;
    };
    EXPECT_EQ(rows(copy), rows(root_));
    EXPECT_THAT(run({"show", name, "--root", copy}).out, HasSubstr("samples"));
}

TEST_F(StoreCommands, SealedRunsGiveTheSamePoints) {
    const std::string before = run({"export", root_, "--format", "csv"}).out;
    const Outcome outcome = run({"seal", "--all", "--root", root_});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_THAT(outcome.out, HasSubstr("points"));
    EXPECT_EQ(run({"export", root_, "--format", "csv"}).out, before);
    EXPECT_EQ(run({"verify", "--root", root_}).code, 0);
}

TEST_F(StoreCommands, DuCountsEveryByte) {
    const Json json = parse_json(run({"du", "--root", root_, "--json"}).out).value();
    ASSERT_EQ(json.array()->size(), 3u);
    EXPECT_GT((*json.array())[0].integer_or("bytes", 0), 1000);
}

TEST_F(StoreCommands, WrongPathsSayWhatToDo) {
    const Outcome outcome = run({"ls", "/nowhere/at/all"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.errors, HasSubstr("/nowhere/at/all"));
    EXPECT_EQ(run({"show", "no-such-run", "--root", root_}).code, 1);
    EXPECT_EQ(run({"rm", names()[0], "--root", root_}).code, 1);  // nobody to ask
}

}  // namespace
}  // namespace taffrail::cli
