#include "cli/fake_catalogue.h"
#include "codec/json.h"
#include "test_files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kBefore = "main;load 30\nmain;train;mm 60\nmain;train;add 10\n";
constexpr const char* kAfter = "main;load 5\nmain;train;mm 60\nmain;train;add 20\n";

class ProfileCommandTest : public testing::Test {
  protected:
    ProfileCommandTest() {
        folder.write("before.folded", kBefore);
        folder.write("after.folded", kAfter);
        catalogue = std::make_shared<FakeCatalogue>();
        run = catalogue->add("profiled");
        run->run_info.location = folder / "run";
    }

    Outcome call(std::vector<std::string> line) {
        line.insert(line.begin(), "profile");
        return run_line(line, catalogue);
    }

    test::TestFolder folder;
    std::shared_ptr<FakeCatalogue> catalogue;
    std::shared_ptr<FakeRun> run;
};

TEST_F(ProfileCommandTest, TableShowsWhereTheTimeGoes) {
    const Outcome table = call({"table", folder / "before.folded", "-n", "2"});
    EXPECT_EQ(table.code, 0);
    EXPECT_THAT(table.out, HasSubstr("60.0 %"));
    EXPECT_THAT(table.out, HasSubstr("and 3 more functions"));
    EXPECT_LT(table.out.find("mm"), table.out.find("load"));
    const auto json = parse_json(call({"table", folder / "before.folded", "--json"}).out);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->find("rows")->array()->at(0).string_or("function", ""), "mm");
    EXPECT_EQ(json->number_or("whole", 0), 100);
}

TEST_F(ProfileCommandTest, DiffShowsWhatAnOptimisationGained) {
    const Outcome diff = call({"diff", folder / "before.folded", folder / "after.folded"});
    EXPECT_EQ(diff.code, 0);
    EXPECT_LT(diff.out.find("-25"), diff.out.find("+10"));
    const auto json =
        parse_json(call({"diff", folder / "before.folded", folder / "after.folded", "--json"}).out);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->number_or("before", 0), 100);
    EXPECT_EQ(json->number_or("after", 0), 85);
}

std::string trace_with_loader(int loader_us) {
    std::string events;
    for (int step = 0; step < 4; ++step) {
        const std::string begin = std::to_string(step * 1000);
        events +=
            (step == 0 ? "" : ",") +
            std::string(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)") +
            std::to_string(step) + R"(","pid":1,"tid":1,"ts":)" + begin +
            R"(,"dur":1000},{"ph":"X","cat":"cpu_op","name":"enumerate(DataLoader)#a.__next__","pid":1,"tid":1,"ts":)" +
            begin + R"(,"dur":)" + std::to_string(loader_us) + "}";
    }
    return R"({"traceEvents":[)" + events + "]}";
}

TEST_F(ProfileCommandTest, AnalyzeSaysWhatIsSlowAndWhatHelps) {
    folder.write("slow.pt.trace.json", trace_with_loader(400));
    folder.write("fast.pt.trace.json", trace_with_loader(20));
    const Outcome slow = call({"analyze", folder / "slow.pt.trace.json"});
    EXPECT_EQ(slow.code, 0) << slow.errors;
    EXPECT_THAT(slow.out, HasSubstr("40.0 %"));
    EXPECT_THAT(slow.out, HasSubstr("The data loader keeps the step waiting"));
    EXPECT_THAT(slow.out, HasSubstr("Try: "));
    const Outcome fast = call({"analyze", folder / "fast.pt.trace.json", "--before",
                               folder / "slow.pt.trace.json", "--json"});
    const auto json = parse_json(fast.out);
    ASSERT_TRUE(json.ok()) << fast.out;
    EXPECT_TRUE(json->find("traces")->array()->at(0).find("advice")->array()->empty());
    EXPECT_EQ(json->find("difference")->find("advice_gone")->array()->at(0).string()[0], "R1");
    EXPECT_THAT(
        call({"analyze", folder / "fast.pt.trace.json", "--before", folder / "slow.pt.trace.json"})
            .out,
        HasSubstr("gone: R1"));
}

TEST_F(ProfileCommandTest, AWorkerWhoseTraceIsEmptyHidesNoOther) {
    folder.write("traces/host_1.1.pt.trace.json", trace_with_loader(400));
    folder.write("traces/host_2.1.pt.trace.json", "");
    folder.write("traces/host_3.1.pt.trace.json", trace_with_loader(20));
    const Outcome said = call({"analyze", folder / "traces"});
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.errors, HasSubstr("host_2.1.pt.trace.json: the file is empty"));
    EXPECT_THAT(said.out, HasSubstr("40.0 %"));
    EXPECT_THAT(said.out, HasSubstr("host_3"));
    EXPECT_THAT(said.out, HasSubstr("note: host_2.1.pt.trace.json cannot be read"));
    const Outcome json = call({"analyze", folder / "traces", "--json"});
    const auto parsed = parse_json(json.out);
    ASSERT_TRUE(parsed.ok()) << json.out;
    EXPECT_EQ(parsed->find("traces")->array()->size(), 2u);
    EXPECT_EQ(parsed->find("workers")->find("workers")->array()->size(), 2u);
    const Outcome none = call({"analyze", folder / "traces/host_2.1.pt.trace.json"});
    EXPECT_EQ(none.code, 1);
    EXPECT_EQ(none.out, "");
}

TEST_F(ProfileCommandTest, TraceTellsItsTracksAndWritesOne) {
    const Outcome table = call({"trace", folder / "before.folded"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, HasSubstr("spans"));
    const Outcome done =
        call({"trace", folder / "before.folded", "-o", folder / "x.pt.trace.json"});
    EXPECT_EQ(done.code, 0) << done.errors;
    EXPECT_THAT(folder.read("x.pt.trace.json"), HasSubstr("traceEvents"));
    const auto written = parse_json(
        call({"trace", folder / "before.folded", "-o", folder / "x.speedscope.json", "--json"})
            .out);
    ASSERT_TRUE(written.ok());
    EXPECT_EQ(written->string_or("format", ""), "speedscope");
    EXPECT_THAT(folder.read("x.speedscope.json"), HasSubstr("evented"));
    const Outcome stacks = call({"trace", folder / "before.folded", "-o", folder / "x.folded"});
    EXPECT_EQ(stacks.code, 2);
    EXPECT_THAT(stacks.errors, HasSubstr("collapsed knows no timeline"));
    const Outcome printed = call({"trace", folder / "before.folded", "-o", "-"});
    EXPECT_THAT(printed.out, HasSubstr("traceEvents")) << "'-' is no name of a file";
}

// Times that whole nanoseconds cannot subtract.
TEST_F(ProfileCommandTest, TracksOfAbsurdTimesHaveALength) {
    folder.write("far.json", R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":-4.5e15,"dur":1},)"
                             R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":4.5e15,"dur":4.5e15}])");
    const Outcome table = call({"trace", folder / "far.json"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, Not(HasSubstr(" -")));
}

TEST_F(ProfileCommandTest, ConvertGoesByTheNameOfTheOutput) {
    const Outcome done =
        call({"convert", folder / "before.folded", "-o", folder / "x.speedscope.json"});
    EXPECT_EQ(done.code, 0) << done.errors;
    EXPECT_THAT(folder.read("x.speedscope.json"), HasSubstr("file-format-schema.json"));
    const Outcome again = call({"convert", folder / "x.speedscope.json", "--to", "collapsed"});
    EXPECT_EQ(again.out, kBefore);
    const Outcome unknown = call({"convert", folder / "before.folded", "-o", folder / "x.what"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.errors, HasSubstr("speedscope"));
}

TEST_F(ProfileCommandTest, FlameIsAPictureThatNeedsNothingElse) {
    const Outcome svg = call({"flame", folder / "before.folded", "--title", "<b>&"});
    EXPECT_EQ(svg.code, 0);
    EXPECT_THAT(svg.out, HasSubstr("<svg"));
    EXPECT_THAT(svg.out, HasSubstr("&lt;b&gt;&amp;"));
    EXPECT_THAT(svg.out, Not(HasSubstr("src=")));
}

TEST_F(ProfileCommandTest, FlameIsAPageWithItsTableWhereTheNameSaysSo) {
    const Outcome done = call({"flame", folder / "before.folded", "-o", folder / "x.html"});
    EXPECT_EQ(done.code, 0) << done.errors;
    EXPECT_THAT(folder.read("x.html"),
                testing::AllOf(testing::StartsWith("<!doctype html>"), HasSubstr("<svg"),
                               HasSubstr("<th>self</th>"), HasSubstr("60.00 %")));
    // Of a comparison the table is that of what is drawn, the second.
    EXPECT_EQ(call({"flame", folder / "before.folded", folder / "after.folded", "-o",
                    folder / "change.html"})
                  .code,
              0);
    EXPECT_THAT(folder.read("change.html"),
                testing::AllOf(HasSubstr("before 100"), HasSubstr("before.folded → after.folded"),
                               HasSubstr("70.59 %"), Not(HasSubstr("60.00 %"))));
    EXPECT_THAT(call({"flame", folder / "before.folded", "--to", "html"}).out,
                testing::StartsWith("<!doctype html>"));
    EXPECT_EQ(call({"flame", folder / "before.folded", "-o", folder / "x.svg.gz"}).code, 0);
    EXPECT_THAT(folder.read("x.svg.gz"), testing::StartsWith("\x1f\x8b"));
    const Outcome other = call({"flame", folder / "before.folded", "-o", folder / "x.json"});
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.errors, HasSubstr("draws svg and html, not chrome"));
    EXPECT_FALSE(std::filesystem::exists(folder / "x.json"));
}

TEST_F(ProfileCommandTest, ARunMeansItsNewestProfile) {
    EXPECT_THAT(call({"table", "profiled"}).errors, HasSubstr("the run has no profile"));
    folder.write("run/profiles/w-1.folded", kAfter);
    const Outcome table = call({"table", "profiled"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, HasSubstr("w-1.folded"));
    const std::string picture = call({"flame", "profiled"}).out;
    EXPECT_THAT(picture, HasSubstr(">profiled, w-1.folded</text>"));
    EXPECT_THAT(picture, Not(HasSubstr("run/profiles"))) << "a picture is sent around";
    // Reports of profilers and pictures stand beside them, and may be newer (in a copy, say).
    const auto later = std::filesystem::last_write_time(folder / "run/profiles/w-1.folded") +
                       std::chrono::hours(1);
    for (const char* name : {"run/profiles/fit-profiler.txt", "run/profiles/flame.svg"}) {
        folder.write(name, "FIT Profiler Report\nrender : 0.0200\nload : 0.0100\n");
        std::filesystem::last_write_time(folder / name, later);
    }
    EXPECT_THAT(call({"table", "profiled"}).out, HasSubstr("w-1.folded"));
    // Whoever asks for steps means the trace of them, not the sums of the run that are newer.
    folder.write("run/profiles/host_1.2.pt.trace.json", trace_with_loader(400));
    std::filesystem::last_write_time(folder / "run/profiles/host_1.2.pt.trace.json",
                                     later - std::chrono::hours(9));
    EXPECT_THAT(call({"table", "profiled"}).out, HasSubstr("w-1.folded"));
    EXPECT_THAT(call({"analyze", "profiled"}).out, HasSubstr("4 steps"));
    EXPECT_THAT(call({"trace", "profiled"}).out, HasSubstr("host_1.2.pt.trace.json"));
}

// A run may be anybody's: its pipes would be waited for for ever, its links show what is not in it.
TEST_F(ProfileCommandTest, FindingS12_PipesAndLinksThatLeadOutAreNoProfilesOfARun) {
    folder.write("run/profiles/w-1.folded", kAfter);
    folder.write("outside/mine.folded", "mine;secret 1\n");
    folder.write("traces/good.pt.trace.json", R"([{"ph":"X","name":"ours","ts":1,"dur":5}])");
    for (const char* name : {"run/profiles/x.folded", "traces/pipe.pt.trace.json"}) {
        ASSERT_EQ(mkfifo((folder / name).c_str(), 0600), 0);
    }
    std::filesystem::create_symlink("/dev/zero", folder / "run/profiles/y.folded");
    for (const char* name : {"run/profiles/z.folded", "traces/out.pt.trace.json"}) {
        std::filesystem::create_symlink(folder / "outside/mine.folded", folder / name);
    }
    const Outcome table = call({"table", "profiled"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, HasSubstr("w-1.folded"));
    EXPECT_THAT(table.out, Not(HasSubstr("secret")));
    const Outcome analysed = call({"analyze", folder / "traces"});
    EXPECT_EQ(analysed.code, 0) << analysed.errors;
    EXPECT_THAT(analysed.out + analysed.errors, Not(HasSubstr("out.pt.trace")));
}

// `taffrail profile table <(zcat …)`: a pipe does not say how long it is.
TEST_F(ProfileCommandTest, APipeIsReadToItsEnd) {
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe) << kBefore; });
    const Outcome table = call({"table", pipe});
    writer.join();
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, HasSubstr("60.0 %"));
}

TEST_F(ProfileCommandTest, OptionsOfOtherActionsAreNotIgnoredInSilence) {
    for (const char* action : {"table", "diff", "analyze"}) {
        const Outcome done = call({action, folder / "before.folded", "-o", folder / "x"});
        EXPECT_EQ(done.code, 2);
        EXPECT_THAT(done.errors, HasSubstr("-o is for flame, convert and trace"));
    }
    EXPECT_EQ(call({"table", folder / "before.folded", "--to", "svg"}).code, 2);
    EXPECT_EQ(call({"flame", folder / "before.folded", "--before", folder / "x"}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

TEST_F(ProfileCommandTest, FlameWritesNoPictureOfAKindThatItCannot) {
    const Outcome png = call({"flame", folder / "before.folded", "-o", folder / "x.png"});
    EXPECT_EQ(png.code, 2);
    EXPECT_THAT(png.errors, HasSubstr("draws svg and html, not .png"));
    EXPECT_FALSE(std::filesystem::exists(folder / "x.png"));
    EXPECT_EQ(call({"flame", folder / "before.folded", "-o", folder / "x.png", "--to", "svg"}).code,
              0);
    EXPECT_EQ(call({"flame", folder / "before.folded", "-o", folder / "flame"}).code, 0);
    EXPECT_EQ(call({"flame", folder / "before.folded", "-o", folder / "flame.gz"}).code, 0);
}

TEST_F(ProfileCommandTest, MistakesSayWhatToDo) {
    EXPECT_EQ(call({"diff", folder / "before.folded"}).code, 2);
    EXPECT_EQ(call({"paint", folder / "before.folded"}).code, 2);
    const Outcome nothing = call({"table", "nowhere"});
    EXPECT_EQ(nothing.code, 1);
    EXPECT_THAT(nothing.errors, HasSubstr("neither a file nor a run"));
    folder.write("foreign.bin", "\x89PNG");
    EXPECT_THAT(call({"table", folder / "foreign.bin"}).errors,
                HasSubstr("what can be read: tprof, speedscope, chrome"));
    const Outcome value = call({"table", folder / "before.folded", "--value", "bytes"});
    EXPECT_THAT(value.errors, HasSubstr("it has samples (count)"));
}

TEST_F(ProfileCommandTest, ADamagedFileGivesItsGoodPartAndEndsWithOne) {
    folder.write("cut.json",
                 R"([{"ph":"X","name":"good","ts":1,"dur":5,"pid":1,"tid":1},{"ph":"X","na)");
    const Outcome table = call({"table", folder / "cut.json"});
    EXPECT_EQ(table.code, 1);
    EXPECT_THAT(table.out, HasSubstr("good"));
    EXPECT_THAT(table.errors, HasSubstr("cut off inside an event"));
}

// A name out of a file must not reach the terminal as it is.
TEST_F(ProfileCommandTest, NamesCannotMoveTheCursor) {
    folder.write("evil.folded", "main;\x1b[2Jgone 5\n");
    EXPECT_THAT(call({"table", folder / "evil.folded"}).out, Not(HasSubstr("\x1b[2J")));
}

}  // namespace
}  // namespace taffrail::cli
