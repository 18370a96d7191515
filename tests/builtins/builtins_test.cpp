#include "builtins/builtins.h"

#include "record/fake_sink.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace taffrail {
namespace {

using testing::Contains;
using testing::HasSubstr;

template <typename Info>
std::vector<std::string> names(const std::vector<Info>& parts, std::string Info::* name) {
    std::vector<std::string> all;
    for (const Info& part : parts) {
        all.push_back(part.*name);
    }
    return all;
}

// The page is made from the declarations; TAFFRAIL_WRITE_DOCS=1 writes it anew. The first test:
// later ones register parts of their own.
TEST(OptionsPage, IsWhatThePartsDeclare) {
    const std::string path = TAFFRAIL_DOCS "/reference/options.md";
    const std::string page = builtins::options_page();
    if (std::getenv("TAFFRAIL_WRITE_DOCS") != nullptr) {
        std::ofstream(path) << page;
    }
    std::ifstream file(path);
    const std::string written{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(written, page) << "run this test with TAFFRAIL_WRITE_DOCS=1 and commit " << path;
}

// Before anything is opened or made: nobody had a reason to register them yet.
TEST(Builtins, AreThereFromTheFirstQuestionOn) {
    EXPECT_THAT(names(registered_sources(), &SourceInfo::name),
                testing::IsSupersetOf({"taffrail", "tensorboard"}));
    EXPECT_THAT(names(registered_sinks(), &SinkInfo::name),
                testing::IsSupersetOf({"csv", "terminal", "tensorboard"}));
    EXPECT_THAT(names(registered_routines(), &RoutineInfo::key),
                testing::ElementsAre("metric", "hist", "hparams", "image", "mesh", "video", "text",
                                     "audio", "table", "graph"));
    EXPECT_THAT(names(registered_profilers(), &ProfilerInfo::name), Contains("none"));
}

TEST(Builtins, CanAllBeMadeWithoutOptions) {
    for (const SinkInfo& info : registered_sinks()) {
        EXPECT_TRUE(info.make({}).ok()) << info.name;
    }
    for (const RoutineInfo& info : registered_routines()) {
        EXPECT_TRUE(make_routine(info.key).ok()) << info.key;
        const auto wrong = make_routine(info.key, {{"no_such", "1"}});
        ASSERT_FALSE(wrong.ok()) << info.key;
        EXPECT_THAT(wrong.error().message, HasSubstr("unknown option 'no_such'"));
    }
}

TEST(Builtins, SayWhatTheyTake) {
    for (const SinkInfo& info : registered_sinks()) {
        EXPECT_FALSE(info.options.empty()) << info.name;
        for (const OptionInfo& option : info.options) {
            EXPECT_FALSE(option.help.empty()) << info.name << "." << option.name;
        }
        const auto wrong = info.make({{"no_such_option", "1"}});
        ASSERT_FALSE(wrong.ok());
        EXPECT_THAT(wrong.error().message, HasSubstr("unknown option 'no_such_option'"));
    }
}

TEST(Sinks, AreFoundByBothNamesAndUnknownOnesGetASuggestion) {
    register_sink({"fake_sink", "FakeWriter", "for tests",
                   [](const OptionMap&) -> Result<std::unique_ptr<Sink>> {
                       return std::unique_ptr<Sink>(
                           new test::FakeSink(std::make_shared<test::SinkContent>()));
                   }});
    EXPECT_TRUE(make_sink("fake_sink", {}).ok());
    EXPECT_TRUE(make_sink("FakeWriter", {}).ok());
    const auto unknown = make_sink("fake_sonk", {});
    ASSERT_FALSE(unknown.ok());
    EXPECT_THAT(unknown.error().message, HasSubstr("did you mean 'fake_sink'"));
}

TEST(Builtins, AreReplacedByWhatAProgramRegisters) {
    register_profiler({"none", "mine", [] { return make_profiler("other"); }});
    const auto all = registered_profilers();
    EXPECT_EQ(std::ranges::count(names(all, &ProfilerInfo::name), "none"), 1);
    EXPECT_EQ(all.front().summary, "mine");
}

}  // namespace
}  // namespace taffrail
