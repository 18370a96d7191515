#include "base/grouped.h"
#include "cli/fake_catalogue.h"
#include "cli/text_format.h"
#include "codec/json.h"

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Three runs with settings, tags and metrics.
std::shared_ptr<FakeCatalogue> three_runs() {
    auto catalogue = std::make_shared<FakeCatalogue>();
    auto first = catalogue->add("wide");
    first->run_info.config = {{"lr", Cell(1e-2)}, {"depth", Cell(std::int64_t{4})}};
    first->run_info.tags = {"ablation"};
    first->scalar("val/loss", {3, 2, 1});
    auto second = catalogue->add("deep");
    second->run_info.config = {{"lr", Cell(1e-4)}, {"depth", Cell(std::int64_t{4})}};
    second->run_info.tags = {"ablation", "best"};
    second->run_info.state = RunState::Crashed;
    second->scalar("val/loss", {3, 0.5, std::nan("")});
    auto third = catalogue->add("plain");
    third->run_info.config = {{"lr", Cell(1e-3)}};
    return catalogue;
}

TEST(Ls, ListsRunsWithStateAndTags) {
    const Outcome outcome = run_line({"ls"}, three_runs());
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("wide"));
    EXPECT_THAT(outcome.out, HasSubstr("● crashed"));
    EXPECT_THAT(outcome.out, HasSubstr("3 h ago"));
    EXPECT_THAT(outcome.out, HasSubstr("2 m 05 s"));
    EXPECT_THAT(outcome.out, HasSubstr("ablation, best"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
}

TEST(Ls, ColoursOnlyWhenAskedTo) {
    EXPECT_THAT(run_line({"ls"}, three_runs(), {.color = true}).out,
                HasSubstr("\x1b[1mwide\x1b[0m"));
}

TEST(Ls, FiltersAndSorts) {
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "lr<1e-2 and tag:ablation"}, three_runs()).out,
              "ID1\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "lr"}, three_runs()).out, "ID1\nID2\nID0\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "-lr", "-n", "2"}, three_runs()).out, "ID0\nID2\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "val/loss.min"}, three_runs()).out,
              "ID1\nID0\nID2\n");
    EXPECT_THAT(run_line({"ls", "--columns", "lr,val/loss.min"}, three_runs()).out,
                HasSubstr("0.5"));
    const Outcome wrong = run_line({"ls", "--filter", "lr<"}, three_runs());
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.errors, StartsWith("taffrail: "));
    EXPECT_EQ(run_line({"ls", "--filter", "lr<<1"}, three_runs()).code, 2);
}

// Thousands of runs are filtered by what the list of runs knows; only a metric is worth opening
// one.
TEST(Ls, FindingG14_SettingsAndFieldsOpenNoRun) {
    const auto runs = three_runs();
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "lr<1e-2 and tag:ablation"}, runs).out, "ID1\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "-lr"}, runs).out, "ID0\nID2\nID1\n");
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "state:crashed", "--sort", "name"}, runs).out,
              "ID1\n");
    EXPECT_EQ(runs->opened, 0);
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "val/loss.min<0.7", "--sort", "val/loss.min",
                        "--columns", "val/loss.min"},
                       runs)
                  .out,
              "ID1\n");
    EXPECT_EQ(runs->opened, 3) << "each run once, however often it is asked";
}

std::shared_ptr<FakeCatalogue> defined_runs() {
    auto catalogue = std::make_shared<FakeCatalogue>();
    const auto accuracy = std::make_shared<const MetricOptions>(MetricOptions{
        .step = "epoch", .summary = Summary::Max, .goal = Goal::Maximize, .hidden = false});
    const auto secret = std::make_shared<const MetricOptions>(
        MetricOptions{.step = "", .summary = Summary::Last, .goal = Goal::None, .hidden = true});
    for (const double best : {0.7, 0.9, 0.8}) {
        auto run = catalogue->add("run" + std::to_string(static_cast<int>(best * 10)));
        run->scalar("val/acc", {0.25, best, 0.5});
        run->scalar("secret", {1, 2, 3});
        run->definitions = {{"val/acc", accuracy}, {"secret", secret}};
    }
    return catalogue;
}

TEST(Ls, FindingR04_SortsByTheDefinedSummaryTheBestFirst) {
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "val/acc"}, defined_runs()).out, "ID1\nID2\nID0\n");
    EXPECT_EQ(run_line({"ls", "-q", "--sort", "-val/acc"}, defined_runs()).out, "ID0\nID2\nID1\n");
    EXPECT_EQ(run_line({"ls", "-q", "--filter", "val/acc>0.75"}, defined_runs()).out, "ID1\nID2\n");
    EXPECT_THAT(run_line({"ls", "--columns", "val/acc"}, defined_runs()).out, HasSubstr("0.9"));
}

TEST(Show, FindingR04_StarsTheBestValueAndLeavesHiddenMetricsOut) {
    const std::string shown = run_line({"show", "ID1"}, defined_runs()).out;
    EXPECT_THAT(shown, HasSubstr("0.9★"));
    EXPECT_THAT(shown, Not(HasSubstr("secret")));
    EXPECT_THAT(run_line({"show", "ID1", "--keys", "sec*"}, defined_runs()).out,
                HasSubstr("secret"));
    const auto json = parse_json(run_line({"show", "ID1", "--json"}, defined_runs()).out);
    ASSERT_TRUE(json.ok());
    for (const Json& key : *json->find("keys")->array()) {
        const Json* definition = key.find("definition");
        ASSERT_NE(definition, nullptr);
        if (key.string_or("key", "") == "val/acc") {
            EXPECT_EQ(definition->string_or("goal", ""), "maximize");
            EXPECT_EQ(definition->string_or("summary", ""), "max");
            EXPECT_EQ(definition->string_or("step", ""), "epoch");
            EXPECT_EQ(key.find("best")->number(), 0.9);
        }
    }
}

TEST(Compare, FindingR04_ShowsTheDefinedSummary) {
    const std::string shown = run_line({"compare", "ID0", "ID1"}, defined_runs()).out;
    EXPECT_THAT(shown, AllOf(HasSubstr("0.7"), HasSubstr("0.9"), Not(HasSubstr("secret"))));
    EXPECT_THAT(run_line({"compare", "ID0", "ID1", "--value", "last"}, defined_runs()).out,
                Not(HasSubstr("0.9")));
}

TEST(Ls, RefusesWhatNoRunHasAndNumbersBelowZero) {
    const Outcome unknown = run_line({"ls", "--sort", "-val/los"}, three_runs());
    EXPECT_EQ(unknown.code, 1);
    EXPECT_THAT(unknown.errors, HasSubstr("no run has 'val/los'"));
    EXPECT_THAT(unknown.errors, HasSubstr("did you mean 'val/loss'?"));
    EXPECT_EQ(unknown.out, "");
    EXPECT_EQ(run_line({"ls", "--sort", "group"}, three_runs()).code, 0);
    EXPECT_EQ(run_line({"ls", "--sort", "tag"}, three_runs()).code, 0);
    EXPECT_EQ(run_line({"ls", "--sort", "nosuch"}, std::make_shared<FakeCatalogue>()).code, 0);
    EXPECT_EQ(run_line({"ls", "-n", "-1"}, three_runs()).code, 2);
    EXPECT_THAT(run_line({"ls", "-n", "-1"}, three_runs()).errors, HasSubstr("0 or more"));
    EXPECT_EQ(run_line({"ls", "-q", "-n", "0"}, three_runs()).out, "ID0\nID1\nID2\n");
}

TEST(Ls, JsonHoldsEveryField) {
    const Json json = parse_json(run_line({"ls", "--json"}, three_runs()).out).value();
    ASSERT_EQ(json.array()->size(), 3u);
    const Json& run = (*json.array())[1];
    EXPECT_EQ(run.string_or("state", ""), "crashed");
    EXPECT_EQ(run.find("config")->number_or("lr", 0), 1e-4);
    EXPECT_EQ(run.integer_or("start_time", 0), 1'700'000'000'000'000'000);
}

TEST(Show, PrintsMetricsWithCurvesAndSettings) {
    const Outcome outcome = run_line({"show", "deep"}, three_runs());
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("#best"));
    EXPECT_THAT(outcome.out, HasSubstr("val/loss"));
    EXPECT_THAT(outcome.out, HasSubstr("█"));
    EXPECT_THAT(outcome.out, HasSubstr("NaN"));
    EXPECT_THAT(outcome.out, HasSubstr("holds NaN"));
    EXPECT_THAT(outcome.out, HasSubstr("1e-04"));
    EXPECT_THAT(run_line({"show", "deep"}, three_runs(), {.utf8 = false}).out, Not(HasSubstr("█")));
}

TEST(Show, SystemSeriesAreHiddenUntilAskedFor) {
    auto catalogue = three_runs();
    catalogue->all[0]->scalar("system/cpu/percent", {50});
    EXPECT_THAT(run_line({"show", "wide"}, catalogue).out, Not(HasSubstr("system/cpu")));
    EXPECT_THAT(run_line({"show", "wide", "--system"}, catalogue).out, HasSubstr("system/cpu"));
    EXPECT_THAT(run_line({"show", "wide", "--keys", "sys*"}, catalogue).out,
                HasSubstr("system/cpu"));
}

TEST(Show, UnknownRunsAndDamageAreSaid) {
    EXPECT_EQ(run_line({"show", "nobody"}, three_runs()).code, 1);
    auto catalogue = three_runs();
    catalogue->all[0]->damages.push_back({"live/a.tlog", 10, 20, 1, 2, "checksum"});
    catalogue->all[0]->run_info.id = ".";  // a logdir that is a run itself
    catalogue->all[0]->run_info.location = "logs/tb";
    EXPECT_THAT(run_line({"show", "wide"}, catalogue).out,
                AllOf(HasSubstr("1 damaged place;"), HasSubstr("taffrail verify logs/tb ")));
    const Json json = parse_json(run_line({"show", "wide", "--json"}, catalogue).out).value();
    EXPECT_EQ((*json.find("damage")->array())[0].integer_or("length", 0), 20);
}

// A key may hold anything, also what would move the cursor.
TEST(Show, ControlCharactersInNamesDoNotReachTheTerminal) {
    auto catalogue = three_runs();
    catalogue->all[0]->scalar("evil\x1b[2J", {1});
    EXPECT_THAT(run_line({"show", "wide"}, catalogue).out, Not(HasSubstr("\x1b[2J")));
}

TEST(Compare, ShowsWhatDiffers) {
    const Outcome outcome = run_line({"compare", "wide", "deep", "--value", "min"}, three_runs());
    EXPECT_EQ(outcome.code, 0);
    EXPECT_THAT(outcome.out, HasSubstr("lr"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("depth")));
    EXPECT_THAT(outcome.out, HasSubstr("0.5"));
    EXPECT_THAT(run_line({"compare", "wide", "deep", "--all"}, three_runs()).out,
                HasSubstr("depth"));
    EXPECT_EQ(run_line({"compare", "wide"}, three_runs()).code, 2);
}

TEST(Tail, PrintsTheNewestPointsAndFollowsToTheEnd) {
    auto catalogue = three_runs();
    const Outcome outcome = run_line({"tail", "wide", "-n", "2"}, catalogue);
    EXPECT_THAT(outcome.out, Not(HasSubstr("step 0")));
    EXPECT_THAT(outcome.out, HasSubstr("step 2  val/loss  1"));
    catalogue->all[0]->run_info.state = RunState::Running;
    EXPECT_EQ(run_line({"tail", "wide", "--follow", "--interval", "0.02"}, catalogue).code, 0);
    catalogue->all[0]->lines = {{1, false, 0, "hello"}, {2, true, 0, "oops"}};
    EXPECT_EQ(run_line({"tail", "wide", "--console"}, catalogue).out, "hello\noops\n");
    EXPECT_EQ(run_line({"tail", "wide", "-n", "-3"}, catalogue).code, 2);
    EXPECT_EQ(run_line({"tail", "wide", "-n", "0"}, catalogue).out, "");
}

TEST(Tail, ColoursOfTheProgramReachOnlyATerminal) {
    auto catalogue = three_runs();
    catalogue->all[0]->lines = {{1, false, 0,
                                 "\x1b[1;31mValueError\x1b[0m: \x1b]8;;http://x\x07"
                                 "NaN\x1b]8;;\x1b\\ ü"}};
    EXPECT_EQ(run_line({"tail", "wide", "--console"}, catalogue).out, "ValueError: NaN ü\n");
    EXPECT_THAT(run_line({"tail", "wide", "--console"}, catalogue, {.color = true}).out,
                HasSubstr("\x1b[1;31mValueError"));
}

TEST(TextFormat, NumbersAndTimesReadWell) {
    EXPECT_EQ(short_number(0.0123456), "0.012346");
    EXPECT_EQ(short_number(1e-7), "1e-07");
    EXPECT_EQ(short_number(12345678), "12345678");
    EXPECT_EQ(short_number(NAN), "NaN");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(short_duration(90'000'000), "90 ms");
    EXPECT_EQ(short_duration(12'340'000'000), "12.3 s");
    EXPECT_EQ(short_duration(7'380'000'000'000), "2 h 03 m");
    EXPECT_EQ(short_duration(-1), "unknown") << "a clock was set back";
    EXPECT_EQ(sparkline(std::vector<double>{0, 1, NAN, 0.5}, true), "▁█ ▄");
    EXPECT_EQ(sparkline(std::vector<double>{2, 2}, false), "~~");
}

TEST(List, ShowsWhatIsBuiltInAndTheOptionsOfAPart) {
    const auto none = std::make_shared<FakeCatalogue>();
    const Outcome all = run_line({"list"}, none);
    for (const char* name : {"csv", "tensorboard", "taffrail", "metric", "none"}) {
        EXPECT_THAT(all.out, HasSubstr(name));
    }
    EXPECT_THAT(run_line({"list", "sinks"}, none).out, Not(HasSubstr("routines")));
    for (const char* name : {"csv", "CSVLogger"}) {
        EXPECT_THAT(run_line({"list", name}, none).out,
                    AllOf(HasSubstr("flush_logs_every_n_steps"), HasSubstr("whole number"),
                          HasSubstr("lightning_logs")));
    }
    // A sink and a source of one name are both shown.
    EXPECT_THAT(run_line({"list", "tensorboard"}, none).out,
                AllOf(HasSubstr("max_queue"), HasSubstr("segment_bytes")));
    EXPECT_THAT(run_line({"list", "metric"}, none).out, HasSubstr("takes no options"));
    const Outcome unknown = run_line({"list", "tensorbord"}, none);
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("did you mean 'tensorboard'"));
}

TEST(List, TellsMachinesTypesAndDefaultsAndNoSecrets) {
    struct Options {
        std::string key = "hunter2";
    };

    register_sink({.name = "vault",
                   .make = {},
                   .options = OptionSchema<Options>("vault")
                                  .add("key", &Options::key, "opens it", {.secret = true})
                                  .infos()});
    const auto none = std::make_shared<FakeCatalogue>();
    const auto parts = parse_json(run_line({"list", "hist", "--json"}, none).out).value();
    const Json& option = parts.array()->at(0).find("options")->array()->at(0);
    EXPECT_EQ(option.string_or("name", ""), "bins");
    EXPECT_EQ(option.string_or("type", ""), "whole number");
    EXPECT_EQ(option.string_or("default", ""), "64");
    for (const auto& words : {std::vector<std::string>{"list", "vault"},
                              std::vector<std::string>{"list", "vault", "--json"}}) {
        const Outcome outcome = run_line(words, none);
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("secret"), Not(HasSubstr("hunter2"))));
    }
}

}  // namespace
}  // namespace taffrail::cli
