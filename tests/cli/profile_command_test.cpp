#include "cli/fake_catalogue.h"
#include "codec/json.h"
#include "test_files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

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

TEST_F(ProfileCommandTest, TraceTellsItsTracksAndWritesOne) {
    const Outcome table = call({"trace", folder / "before.folded"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, HasSubstr("spans"));
    const Outcome done =
        call({"trace", folder / "before.folded", "-o", folder / "x.pt.trace.json"});
    EXPECT_EQ(done.code, 0) << done.errors;
    EXPECT_THAT(folder.read("x.pt.trace.json"), HasSubstr("traceEvents"));
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

TEST_F(ProfileCommandTest, ARunMeansItsNewestProfile) {
    EXPECT_THAT(call({"table", "profiled"}).errors, HasSubstr("the run has no profile"));
    folder.write("run/profiles/w-1.folded", kAfter);
    const Outcome table = call({"table", "profiled"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_THAT(table.out, HasSubstr("w-1.folded"));
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
