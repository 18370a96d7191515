#include "cli/fake_catalogue.h"

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome run(const std::vector<std::string>& line) {
    return run_line(line, std::make_shared<FakeCatalogue>());
}

TEST(Args, WithoutACommandTheOverviewIsAnError) {
    EXPECT_EQ(run({}).code, 2);
    const Outcome help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const CommandFactory& make : all_commands()) {
        EXPECT_THAT(help.out, HasSubstr(std::string(make()->name())));
    }
}

TEST(Args, EveryCommandHasHelpWithAnExampleThatParses) {
    for (const CommandFactory& make : all_commands()) {
        const std::string name(make()->name());
        const Outcome help = run({name, "--help"});
        EXPECT_EQ(help.code, 0);
        EXPECT_THAT(help.out, HasSubstr("Usage: taffrail " + name));
        EXPECT_THAT(help.out, HasSubstr("Example:\n"));
        EXPECT_EQ(run({"help", name}).out, help.out);
    }
}

// The two others write a script for a shell, and start the example.
TEST(Args, FindingR13_EveryCommandThatTellsSomethingTellsItToMachines) {
    for (const CommandFactory& make : all_commands()) {
        const std::string name(make()->name());
        if (name != "completion" && name != "demo") {
            EXPECT_THAT(run({name, "--help"}).out, HasSubstr("--json")) << name;
        }
    }
}

TEST(Args, UnknownCommandsAndOptionsComeWithASuggestion) {
    EXPECT_THAT(run({"shwo"}).errors, HasSubstr("no command 'shwo'; did you mean 'show'?"));
    EXPECT_EQ(run({"shwo"}).code, 2);
    EXPECT_THAT(run({"ls", "--fliter", "x"}).errors,
                HasSubstr("'--fliter' is not understood; did you mean '--filter'?"));
    EXPECT_THAT(run({"ls", "--limit", "many"}).errors, HasSubstr("'many' is not a number"));
    EXPECT_THAT(run({"completion", "bsh"}).errors, HasSubstr("did you mean 'bash'?"));
    EXPECT_EQ(run({"completion"}).code, 2);
}

TEST(Args, CompletionKnowsCommandsOptionsAndChoices) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const Outcome script = run({"completion", shell});
        EXPECT_EQ(script.code, 0);
        for (const char* word : {"compare", "completion", "filter", "fish"}) {
            EXPECT_THAT(script.out, HasSubstr(word)) << shell;
        }
    }
}

TEST(Version, AllNamesLibrariesAndModules) {
    EXPECT_EQ(run({"version"}).out, "taffrail 0.1.0\n");
    EXPECT_EQ(run({"--version"}).out, "taffrail 0.1.0\n");
    EXPECT_THAT(run({"version", "--all"}).out,
                testing::AllOf(HasSubstr("zstd"), HasSubstr("openssl"), HasSubstr("video")));
    EXPECT_THAT(run({"version", "--all"}).out,
                testing::AllOf(Not(HasSubstr("g++/clang")),
                               testing::ContainsRegex("(GCC|Clang|clang) [0-9]")));
    EXPECT_THAT(run({"version", "--json"}).out, HasSubstr("\"taffrail\": \"0.1.0\""));
}

}  // namespace
}  // namespace taffrail::cli
