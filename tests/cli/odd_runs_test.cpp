// Runs with odd numbers, odd names and damage, as every command that reads shows them.
#include "cli/fake_catalogue.h"
#include "codec/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace taffrail::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::shared_ptr<FakeCatalogue> losses() {
    auto catalogue = std::make_shared<FakeCatalogue>();
    catalogue->add("low")->scalar("loss", {0.1});
    catalogue->add("high")->scalar("loss", {3.5});
    catalogue->add("diverged")->scalar("loss", {kNan, kNan});
    catalogue->add("middle")->scalar("loss", {0.5});
    catalogue->add("silent");
    return catalogue;
}

TEST(Ls, FindingR07_NanAndAbsentSortLastInBothDirections) {
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "loss"}, losses()).out, "ID0\nID3\nID1\nID2\nID4\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "-loss"}, losses()).out, "ID1\nID3\nID0\nID2\nID4\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "loss.min"}, losses()).out,
              "ID0\nID3\nID1\nID2\nID4\n");
}

TEST(Compare, FindingR07_NothingFiniteIsNoValue) {
    for (const char* statistic : {"min", "max", "mean"}) {
        const Outcome outcome =
            run_line({"compare", "low", "diverged", "--value", statistic, "--json"}, losses());
        const Json json = parse_json(outcome.out).value();
        const auto& values = *json.find("metrics")->find("loss")->array();
        EXPECT_EQ(values[0].number(), 0.1);
        EXPECT_TRUE(values[1].is_null()) << statistic;
    }
    EXPECT_THAT(run_line({"compare", "low", "diverged", "--value", "min"}, losses()).out,
                HasSubstr("nothing finite"));
}

TEST(Compare, FindingR07_InfinitiesAreCountedNotAveragedAway) {
    auto catalogue = losses();
    catalogue->add("spiky")->scalar("loss", {1, 3, kInfinity});
    const Outcome outcome = run_line({"compare", "low", "spiky", "--value", "mean"}, catalogue);
    EXPECT_THAT(outcome.out, HasSubstr("2 (without 1 inf)"));
    EXPECT_THAT(run_line({"show", "spiky"}, catalogue).out,
                AllOf(HasSubstr("! 1 inf"), HasSubstr("holds infinities")));
    const Json json = parse_json(run_line({"show", "spiky", "--json"}, catalogue).out).value();
    const Json& key = (*json.find("keys")->array())[0];
    EXPECT_EQ(key.integer_or("positive_infinity_count", 0), 1);
    EXPECT_EQ(key.number_or("mean", 0), 2);
    EXPECT_THAT(run_line({"ls", "--columns", "loss.mean"}, catalogue).out, HasSubstr(" 2 "));
}

TEST(Ls, FindingR12_WrongFiltersAreErrorsThatSayWhy) {
    auto catalogue = losses();
    catalogue->all[0]->run_info.config = {{"lr", Cell(1e-3)}};
    const Outcome text = run_line({"ls", "--filter", "lr<abc"}, catalogue);
    EXPECT_EQ(text.code, 2);
    EXPECT_THAT(text.errors, HasSubstr("'lr' holds numbers, and 'abc' is none"));
    const Outcome unknown = run_line({"ls", "--filter", "los<1"}, catalogue);
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.errors, HasSubstr("did you mean 'loss'?"));
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "started>1d and duration>2m"}, catalogue).out,
              "ID0\nID1\nID2\nID3\nID4\n");
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "duration>1h"}, catalogue).out, "");
}

TEST(Ls, FindingR12_AColumnThatNoRunHasIsSaid) {
    auto catalogue = losses();
    catalogue->all[0]->run_info.config = {{"lr", Cell(1e-3)}};
    const Outcome wrong = run_line({"ls", "--columns", "lrr,loss"}, catalogue);
    EXPECT_EQ(wrong.code, 0);
    EXPECT_THAT(wrong.errors, HasSubstr("no run has 'lrr'; did you mean 'lr'?"));
    // A field that nobody filled, and a statistic of what was never finite, are no mistakes.
    EXPECT_EQ(run_line({"ls", "--columns", "lr,loss,loss.min,metric.min:loss,notes,tag"}, catalogue)
                  .errors,
              "");
}

TEST(Commands, FindingR12_AKeyThatNoRunHasIsRefusedWithTheNearestOne) {
    const std::vector<std::vector<std::string>> lines = {
        {"show", "low", "--keys", "los"},
        {"show", "low", "--json", "--keys", "los"},
        {"tail", "low", "--keys", "los"},
        {"compare", "low", "high", "--keys", "los"},
        {"export", "low", "--keys", "los"}};
    for (const std::vector<std::string>& line : lines) {
        const Outcome outcome = run_line(line, losses());
        EXPECT_EQ(outcome.code, 1) << line[0];
        EXPECT_EQ(outcome.out, "") << line[0];
        EXPECT_THAT(outcome.errors, HasSubstr("key matches 'los'; did you mean 'loss'?"))
            << line[0];
    }
}

TEST(Ls, FindingR13_JsonHasTheColumnsAskedFor) {
    auto catalogue = losses();
    catalogue->all[0]->run_info.config = {{"lr", Cell(1e-3)}};
    const Json json =
        parse_json(run_line({"ls", "--json", "--columns", "lr,loss.min"}, catalogue).out).value();
    const Json& columns = *(*json.array())[0].find("columns");
    EXPECT_EQ(columns.number_or("lr", 0), 1e-3);
    EXPECT_EQ(columns.number_or("loss.min", 0), 0.1);
    EXPECT_TRUE((*json.array())[2].find("columns")->find("loss.min")->is_null());
}

TEST(Compare, FindingR13_JsonHasTypes) {
    auto catalogue = losses();
    catalogue->all[0]->run_info.config = {{"depth", Cell(std::int64_t{4})}, {"amp", Cell(true)}};
    const Json json =
        parse_json(run_line({"compare", "low", "high", "--json"}, catalogue).out).value();
    const Json& settings = *json.find("settings");
    EXPECT_EQ((*settings.find("depth")->array())[0].integer(), 4);
    EXPECT_EQ((*settings.find("amp")->array())[0].truth(), true);
    EXPECT_TRUE((*settings.find("amp")->array())[1].is_null());
    EXPECT_EQ((*json.find("metrics")->find("loss")->array())[1].number(), 3.5);
}

TEST(Tail, FindingR13_JsonIsOneObjectALine) {
    auto catalogue = losses();
    const Outcome outcome = run_line({"tail", "low", "--json"}, catalogue);
    const Json json = parse_json(outcome.out).value();
    EXPECT_EQ(json.string_or("key", ""), "loss");
    EXPECT_EQ(json.number_or("value", 0), 0.1);
    catalogue->all[0]->lines = {{7, true, 2, "oops"}};
    const Json line = parse_json(run_line({"tail", "low", "-c", "--json"}, catalogue).out).value();
    EXPECT_EQ(line.string_or("text", ""), "oops");
    EXPECT_EQ(line.integer_or("rank", 0), 2);
}

// Whatever reads says what it could not read, and where; JSON and text alike.
TEST(Damage, FindingR03_EveryReaderNamesItAndFails) {
    auto catalogue = losses();
    catalogue->all[0]->damages.push_back({"data/wide.parquet", 4, 812, 3, 9, "checksum"});
    for (const std::vector<std::string>& line :
         std::vector<std::vector<std::string>>{{"show", "low"},
                                               {"show", "low", "--json"},
                                               {"tail", "low"},
                                               {"compare", "low", "high"},
                                               {"compare", "low", "high", "--json"},
                                               {"ls", "--sort", "loss"},
                                               {"export", "low", "--format", "csv"},
                                               {"export", "low", "--format", "parquet"},
                                               {"export", "low", "--format", "jsonl"}}) {
        const Outcome outcome = run_line(line, catalogue);
        EXPECT_EQ(outcome.code, 1) << line[0];
        EXPECT_THAT(outcome.errors,
                    HasSubstr("low: damage: data/wide.parquet at byte 4, 812 bytes, rows 3…9: "
                              "checksum"))
            << line[0];
        EXPECT_NE(outcome.out, "") << "everything else is still shown: " << line[0];
    }
    EXPECT_EQ(run_line({"show", "high"}, catalogue).code, 0);
}

TEST(Terminal, FindingS22_EscapeSequencesOfARunAreShownNotSent) {
    auto catalogue = std::make_shared<FakeCatalogue>();
    const std::string evil = "evil\x1b]0;owned\x07\x1b[2Jname";
    for (int i = 0; i < 2; ++i) {
        auto run = catalogue->add(evil);
        run->run_info.id = "ID\x1b[31m" + std::to_string(i);
        run->run_info.project = run->run_info.group = run->run_info.job_type = evil;
        run->run_info.notes = run->run_info.message = evil;
        run->run_info.location = evil;
        run->run_info.tags = {evil};
        run->run_info.config = {{evil, Cell(evil + std::to_string(i))}};
        run->run_info.summary = {{evil, Cell(evil)}};
        run->machine = {{evil, Cell(evil)}};
        run->scalar(evil, {1, 2});
        run->damages.push_back({evil, 0, 1, 0, 0, evil});
        run->lines = {{1, false, 0, evil}, {2, true, 0, evil}};
    }
    for (const bool color : {false, true}) {
        for (const std::vector<std::string>& line :
             std::vector<std::vector<std::string>>{{"ls", "--columns", evil},
                                                   {"ls", "-q"},
                                                   {"ls", "--filter", evil},
                                                   {"ls", "--sort", evil + "x"},
                                                   {"show", evil},
                                                   {"show", evil, "-e", "--wide"},
                                                   {"show", evil + "x"},
                                                   {"compare", "ID\x1b[31m0", "ID\x1b[31m1"},
                                                   {"tail", evil},
                                                   {"tail", evil, "--console"},
                                                   {"note", evil},
                                                   {"verify", evil},
                                                   {"export", evil, "-k", evil + "x"},
                                                   {"rm", evil, "--dry-run"},
                                                   {"ls", "--json"}}) {
            const Outcome outcome = run_line(line, catalogue, {.color = color});
            const std::string all = outcome.out + outcome.errors;
            EXPECT_THAT(all, AllOf(Not(HasSubstr("\x1b]")), Not(HasSubstr("\x1b[2J")),
                                   Not(HasSubstr("\x07")), Not(HasSubstr("\x1b[31m0"))))
                << line[0];
            if (!color) {
                EXPECT_THAT(all, Not(HasSubstr("\x1b"))) << line[0];
            }
        }
    }
    EXPECT_THAT(run_line({"ls", "--wide"}, catalogue).out,
                HasSubstr("evil\\x1b]0;owned\\x07\\x1b[2Jname"));
}

TEST(Ls, FindingO17_OneLongNameLeavesTheOtherColumns) {
    auto catalogue = losses();
    const std::string name = "begin" + std::string(10'000, 'x') + "end";
    catalogue->add(name)->scalar("loss", {1});
    for (const int width : {100, 10'000}) {
        const Outcome cut = run_line({"ls"}, catalogue, {.width = width});
        EXPECT_THAT(cut.out, AllOf(HasSubstr("begin"), HasSubstr("xend"), HasSubstr("…"),
                                   HasSubstr("finished"), HasSubstr("ID5")));
        EXPECT_LT(cut.out.size(), 2'000u);
    }
    EXPECT_THAT(run_line({"ls", "--wide"}, catalogue).out, HasSubstr(name));
    catalogue->all[5]->scalar(name, {2});
    const Outcome shown = run_line({"show", name}, catalogue);
    EXPECT_LT(shown.out.size(), 2'000u);
    EXPECT_THAT(shown.out, HasSubstr("LAST"));
    EXPECT_THAT(run_line({"show", name, "--wide"}, catalogue).out, HasSubstr(name));
    EXPECT_LT(run_line({"tail", name}, catalogue).out.size(), 2'000u);
}

TEST(Tail, FindingR05_EveryLookReachesItsReader) {
    auto catalogue = losses();
    catalogue->all[0]->run_info.state = RunState::Running;
    Parsed parsed = parse({"tail", "low", "--follow", "--interval", "0.02"}, all_commands());
    std::string out;
    std::vector<std::size_t> flushed;
    Session session(
        {}, [&](std::string_view text) { out += text; }, [](std::string_view) {},
        [&](std::string_view) -> Result<std::shared_ptr<Catalogue>> {
            return std::shared_ptr<Catalogue>(catalogue);
        });
    session.flush_output = [&] { flushed.push_back(out.size()); };
    EXPECT_EQ(parsed.command->run(session), ExitCode::Ok);
    ASSERT_GE(flushed.size(), 2u);
    EXPECT_GT(flushed[0], 0u) << "before the first wait";
}

}  // namespace
}  // namespace taffrail::cli
