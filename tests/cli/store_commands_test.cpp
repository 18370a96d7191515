// Commands on real files: made-up runs, edits, import and export.
#include "cli/store_commands.h"

#include "base/strings.h"

#include <gmock/gmock.h>

#include <algorithm>

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

/// Changes one bit in the middle of a file.
void flip(const std::string& path) {
    Bytes bytes = io::read_file(path).value();
    bytes[bytes.size() / 2] ^= std::byte{1};
    io::write_file_atomically(path, bytes, false).value();
}

/// Runs that are sealed and whose logs are still there: what every run that ended well is.
class SealedCommands : public StoreCommands {
  protected:
    void SetUp() override {
        StoreCommands::SetUp();
        ASSERT_EQ(run({"seal", "--all", "--root", root_}).code, 0);
        name_ = names()[0];
        const Json json = parse_json(run({"ls", root_, "--json"}).out).value();
        run_folder_ = (*json.array())[0].string_or("location", "");
        exported_ = exported();
        verified_ = run({"verify", name_, "--root", root_}).out;
        ASSERT_THAT(verified_, HasSubstr("whole"));
    }

    std::string exported() const { return run({"export", name_, "--root", root_}).out; }

    /// Lines; "whole" and "damaged" aside, the counts behind the name.
    std::string counts(const std::string& text) const {
        const auto from = text.find(name_);
        return text.substr(from, text.find('\n') - from);
    }

    static auto lines(const std::string& text) {
        return std::count(text.begin(), text.end(), '\n');
    }

    std::vector<std::string> files(const std::string& folder, const std::string& prefix) const {
        std::vector<std::string> paths;
        for (const auto& entry : io::list(io::join(run_folder_, folder)).value()) {
            if (entry.name.starts_with(prefix)) {
                paths.push_back(io::join(io::join(run_folder_, folder), entry.name));
            }
        }
        return paths;
    }

    std::string name_, run_folder_, exported_, verified_;
};

TEST_F(SealedCommands, DamageOfEitherCopyIsSaidAndCostsNothing) {
    for (const auto& [folder, prefix] : std::vector<std::pair<std::string, std::string>>{
             {"live", ""}, {"data", "long-"}, {"data", "values-"}, {"data", "rest-"}}) {
        ASSERT_FALSE(files(folder, prefix).empty()) << prefix;
        for (const std::string& path : files(folder, prefix)) {
            SCOPED_TRACE(path);
            flip(path);
            const Outcome outcome = run({"verify", name_, "--root", root_});
            EXPECT_EQ(outcome.code, 1);
            EXPECT_THAT(outcome.out, HasSubstr("damaged"));
            EXPECT_THAT(outcome.out, HasSubstr(path + " at byte "));
            EXPECT_EQ(counts(outcome.out), counts(verified_));
            EXPECT_EQ(lines(exported()), lines(exported_));
            flip(path);
        }
    }
    EXPECT_EQ(exported(), exported_);
}

TEST_F(SealedCommands, GcSaysWhatGoesAsksAndReportsTheBytesOfLogs) {
    const std::size_t logs = files("live", "").size();
    const Outcome dry = run({"gc", "--root", root_, "--dry-run"});
    EXPECT_EQ(dry.code, 0);
    EXPECT_THAT(dry.out, HasSubstr("would remove the sealed logs of " + name_));
    EXPECT_THAT(dry.out, HasSubstr("in the sealed logs of 3 runs"));
    EXPECT_EQ(files("live", "").size(), logs);
    const Outcome unasked = run({"gc", "--root", root_});
    EXPECT_EQ(unasked.code, 1);
    EXPECT_THAT(unasked.errors, HasSubstr("--yes"));
    EXPECT_EQ(files("live", "").size(), logs);
    const Outcome done = run({"gc", "--root", root_, "--yes"});
    EXPECT_EQ(done.code, 0) << done.errors;
    EXPECT_TRUE(files("live", "").empty());
    EXPECT_EQ(lines(exported()), lines(exported_));
    EXPECT_THAT(run({"verify", name_, "--root", root_}).out, HasSubstr("whole"));
}

TEST_F(SealedCommands, GcKeepsTheLogsOfADamagedSealAndSealMendsIt) {
    flip(files("data", "values-")[0]);
    const Outcome refused = run({"gc", "--root", root_, "--yes"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.errors, HasSubstr("the logs are kept"));
    EXPECT_FALSE(files("live", "").empty());
    EXPECT_EQ(exported(), exported_);
    const Outcome mended = run({"seal", name_, "--root", root_});
    EXPECT_EQ(mended.code, 0) << mended.errors;
    EXPECT_THAT(mended.out, HasSubstr("sealed anew"));
    EXPECT_EQ(run({"verify", name_, "--root", root_}).code, 0);
    EXPECT_THAT(run({"seal", name_, "--root", root_}).out, HasSubstr("already sealed"));
}

TEST_F(SealedCommands, OneDamagedRunDoesNotHideTheOthers) {
    ASSERT_EQ(run({"gc", "--root", root_, "--yes"}).code, 0);
    flip(files("data", "long-")[0]);
    const Outcome outcome = run({"verify", "--root", root_});
    EXPECT_EQ(outcome.code, 1);
    for (const std::string& name : names()) {
        EXPECT_THAT(outcome.out, HasSubstr(name));
    }
    EXPECT_THAT(exported(), HasSubstr("\"key\""));  // the values are still there
}

TEST_F(SealedCommands, StrayFoldersAreNoRunsAndGarbageIsDamage) {
    io::make_directories(io::join(root_, "runs/junk")).value();
    EXPECT_EQ(names().size(), 3u);
    EXPECT_EQ(run({"export", "--root", root_}).code, 0);
    const Outcome fine = run({"verify", "--root", root_});
    EXPECT_EQ(fine.code, 0);
    EXPECT_THAT(fine.errors, HasSubstr("junk holds nothing of a run"));
    io::make_directories(io::join(root_, "runs/noise/live")).value();
    io::write_file_atomically(io::join(root_, "runs/noise/live/00000000000000aa-00000.tlog"),
                              Bytes(5000, std::byte{0x5a}), false)
        .value();
    const Outcome damaged = run({"verify", "--root", root_});
    EXPECT_EQ(damaged.code, 1);
    EXPECT_THAT(damaged.out, HasSubstr("does not begin with a log's header"));
    EXPECT_THAT(run({"ls", root_}).out, Not(HasSubstr("running")));
}

TEST_F(SealedCommands, DeletedRunsAreCalledSo) {
    EXPECT_THAT(run({"restore", name_, "--root", root_}).out, HasSubstr("was not deleted"));
    const std::string id = listed(root_).at(name_).string_or("id", "");
    for (const std::string& name : names()) {
        ASSERT_EQ(run({"rm", name, "--root", root_, "--yes"}).code, 0);
    }
    EXPECT_THAT(run({"show", id, "--root", root_}).out, HasSubstr("deleted"));
    EXPECT_THAT(run({"ls", root_}).errors, HasSubstr("--all"));
    EXPECT_EQ(run({"seal"}).code, 2);
}

}  // namespace
}  // namespace taffrail::cli
