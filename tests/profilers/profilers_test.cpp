// Profilers by name: what they report and where their files stand.
#include <taffrail/profiler.h>
#include <taffrail/zone.h>

#include "profilers/tables.h"
#include "test_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

namespace taffrail {
namespace {

using test::read_advanced;
using test::read_simple;

struct Profilers : testing::Test {
    Profilers() {
        print_zones_at_exit(ZoneReport::None);
        reset_zones();
    }

    std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
            if (entry.is_regular_file()) {
                names.insert(entry.path().filename());
                EXPECT_GT(entry.file_size(), 0u) << entry.path();
            }
        }
        return names;
    }

    test::TestFolder folder;
};

void work(std::chrono::microseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

[[gnu::noinline]] void tagged() {
    TAFFRAIL_ZONE_FUNCTION();
    work(std::chrono::microseconds(300));
}

[[gnu::noinline]] void untagged() {
    work(std::chrono::microseconds(10));
}

TEST_F(Profilers, AllAreMadeByNameInAnyCase) {
    for (const char* name : {"none", "basic", "simple", "advanced", "trace", "pytorch", "Simple",
                             "ADVANCED", "PyTorch"}) {
        EXPECT_TRUE(make_profiler(name).ok()) << name;
    }
    const auto unknown = make_profiler("simpel");
    ASSERT_FALSE(unknown.ok());
    EXPECT_THAT(unknown.error().message,
                testing::AllOf(testing::HasSubstr("'simpel'"), testing::HasSubstr("simple")));
}

TEST_F(Profilers, NoneSaysNothing) {
    const auto profiler = *make_profiler("none");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    EXPECT_FALSE(profiler->measures_actions());
    {
        const ProfiledAction action(profiler.get(), "step");
    }
    EXPECT_EQ(profiler->summary(), "");
    EXPECT_TRUE(profiler->teardown().ok());
    EXPECT_TRUE(files().empty());
}

TEST_F(Profilers, BasicGivesTheMeanOfWhatIsTaggedAndNothingElse) {
    const auto profiler = *make_profiler("basic");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (const int milliseconds : {10, 20, 30}) {
        TAFFRAIL_ZONE("render");
        work(std::chrono::milliseconds(milliseconds));
    }
    tagged();
    untagged();
    static constexpr std::string_view kLong = "a name longer than twenty columns";
    {
        TAFFRAIL_ZONE("a name longer than twenty columns");
    }
    const std::string text = profiler->summary();
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("FIT Profiler Report")) << text;
    std::getline(lines, line);
    ASSERT_TRUE(line.starts_with("render              ")) << text;
    const std::size_t colon = line.find(": ");
    ASSERT_NE(colon, std::string::npos) << text;
    // Others may have had the processor meanwhile.
    EXPECT_GE(std::stod(line.substr(colon + 2)), 0.02) << text;
    EXPECT_LT(std::stod(line.substr(colon + 2)), 1) << text;
    EXPECT_EQ(line.size(), colon + std::string(": 0.0200").size()) << line;
    std::getline(lines, line);
    EXPECT_NE(line.find("tagged"), std::string::npos) << text;
    EXPECT_EQ(colon, kLong.size()) << "the times stand below each other";
    EXPECT_EQ(line.find(": ", colon), colon) << text;
    EXPECT_EQ(text.find("untagged"), std::string::npos);
    EXPECT_TRUE(profiler->teardown().ok());
    EXPECT_EQ(files(), std::set<std::string>{"fit-profiler.txt"});
}

TEST_F(Profilers, SimpleHasATableAndATreeWhoseSelfTimesSumUp) {
    const auto profiler = *make_profiler("simple");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (int epoch = 0; epoch < 2; ++epoch) {
        const ProfiledAction whole(profiler.get(), "run_training_epoch");
        for (int batch = 0; batch < 5; ++batch) {
            profiler->step(epoch * 5 + batch);
            const ProfiledAction step(profiler.get(), "[Module]Mine.training_step");
            tagged();
        }
    }
    const auto table = read_simple(profiler->summary());
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[0].action, "run_training_epoch");
    EXPECT_EQ(table.rows[1].action, "training_step");
    EXPECT_EQ(table.rows[1].calls, 10);
    EXPECT_GE(table.rows[1].total, 10 * 300e-6);
    EXPECT_LE(table.rows[0].total, table.total);
    double share = 0;
    std::vector<std::string> tree;
    for (const ZoneRow& row : zone_tree()) {
        share += row.share;
        tree.push_back(row.name);
    }
    EXPECT_NEAR(share, 1, 0.001);
    ASSERT_EQ(tree.size(), 3u);
    EXPECT_EQ(tree[1], "[Module]Mine.training_step");
    EXPECT_NE(profiler->summary().find("steps: 9, mean"), std::string::npos);
}

TEST_F(Profilers, ActionsThatAnExceptionEndsAreStopped) {
    const auto profiler = *make_profiler("simple");
    try {
        const ProfiledAction outer(profiler.get(), "outer");
        const ProfiledAction inner(profiler.get(), "inner");
        throw 1;
    } catch (int) {
    }
    EXPECT_EQ(read_simple(profiler->summary()).rows.size(), 2u);
    EXPECT_TRUE(profiler->start("outer").ok());
    EXPECT_FALSE(profiler->start("outer").ok());
    EXPECT_TRUE(profiler->stop("outer").ok()) << "no test behind this one is inside of it";
}

TEST_F(Profilers, ASecondStartAndAnUnknownStopAreErrorsInEachThatTimesActions) {
    for (const char* name : {"simple", "advanced", "trace"}) {
        const auto profiler = *make_profiler(name);
        ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
        EXPECT_FALSE(profiler->stop("never started").ok()) << name;
        ASSERT_TRUE(profiler->start("step").ok()) << name;
        EXPECT_FALSE(profiler->start("step").ok()) << name;
        EXPECT_TRUE(profiler->stop("step").ok()) << name;
        EXPECT_FALSE(profiler->stop("step").ok()) << name;
        EXPECT_TRUE(profiler->teardown().ok()) << name;
    }
}

int nested_zones(int depth) {
    TAFFRAIL_ZONE("nested");
    if (depth == 0) {
        work(std::chrono::microseconds(100));
        return 0;
    }
    return 1 + nested_zones(depth - 1);
}

TEST_F(Profilers, SimpleTakesFourThreadsInOneActionAndRecursionInZones) {
    const auto profiler = *make_profiler("simple");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 25; ++turn) {
                const ProfiledAction action(profiler.get(), "load");
                EXPECT_EQ(nested_zones(5), 5);
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    const auto table = read_simple(profiler->summary());
    ASSERT_EQ(table.rows.size(), 1u);
    EXPECT_EQ(table.rows[0].action, "load");
    EXPECT_EQ(table.rows[0].calls, 100);
    const auto rows = zone_rows();
    const auto nested = std::ranges::find(rows, "nested", &ZoneRow::name);
    ASSERT_NE(nested, rows.end());
    EXPECT_EQ(nested->calls, 600u);
    EXPECT_LE(nested->total, table.rows[0].total * 1.5) << "recursion counts its time once";
}

TEST_F(Profilers, AdvancedKeepsTheTimeOfAnActionAroundOthers) {
    const auto profiler = *make_profiler("advanced");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (int turn = 0; turn < 4; ++turn) {
        const ProfiledAction outer(profiler.get(), "outer");
        {
            const ProfiledAction inner(profiler.get(), "inner");
            tagged();
        }
        work(std::chrono::microseconds(2000));  // after the inner one: not lost
    }
    const auto blocks = read_advanced(profiler->summary());
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[0].action, "outer");
    EXPECT_EQ(blocks[0].calls, 12);
    ASSERT_EQ(blocks[0].rows.size(), 3u);
    EXPECT_EQ(blocks[0].rows[0].place, "outer");
    EXPECT_EQ(blocks[0].rows[0].calls, 4);
    EXPECT_GE(blocks[0].rows[0].self, 4 * 2e-3 - 0.001);
    EXPECT_TRUE(blocks[0].rows[2].place.starts_with("profilers_test.cpp:"))
        << blocks[0].rows[2].place;
    EXPECT_EQ(blocks[1].action, "inner");
    ASSERT_TRUE(profiler->teardown().ok());
    EXPECT_EQ(files(), (std::set<std::string>{"fit-profiler.txt", "fit-profiler-outer.prof",
                                              "fit-profiler-inner.prof"}));
}

TEST_F(Profilers, AdvancedIsCutAndSortedAsAsked) {
    for (const auto& [restriction, shown] :
         std::vector<std::pair<double, std::size_t>>{{20, 20}, {0.5, 13}, {1.0, 26}, {100, 26}}) {
        reset_zones();
        const auto profiler =
            *make_profiler("advanced", {.line_count_restriction = restriction, .sort_by = "name"});
        {
            const ProfiledAction action(profiler.get(), "many");
            for (int zone = 0; zone < 25; ++zone) {
                TAFFRAIL_ZONE_NAMED("zone " + std::to_string(100 + zone));
            }
        }
        const auto blocks = read_advanced(profiler->summary());
        ASSERT_EQ(blocks.size(), 1u);
        EXPECT_EQ(blocks[0].rows.size(), shown) << restriction;
        EXPECT_EQ(blocks[0].all, shown == 26 ? 0 : 26);
        EXPECT_EQ(blocks[0].order, "function name");
        EXPECT_TRUE(std::ranges::is_sorted(blocks[0].rows, {}, &test::CallRow::place));
    }
    EXPECT_FALSE(make_profiler("advanced", {.sort_by = "colour"}).ok());
    EXPECT_FALSE(make_profiler("advanced", {.line_count_restriction = 0}).ok());
}

TEST_F(Profilers, FilesOfThreeStagesOnTwoRanks) {
    for (int rank = 0; rank < 2; ++rank) {
        const auto profiler = *make_profiler("simple");
        for (const char* stage : {"fit", "validate", "test"}) {
            ASSERT_TRUE(profiler->setup(stage, rank, folder / "not/yet/there").ok());
            {
                const ProfiledAction action(profiler.get(), "step");
            }
            ASSERT_TRUE(profiler->teardown().ok());
        }
    }
    EXPECT_EQ(files(), (std::set<std::string>{"fit-profiler-0.txt", "fit-profiler-1.txt",
                                              "validate-profiler-0.txt", "validate-profiler-1.txt",
                                              "test-profiler-0.txt", "test-profiler-1.txt"}));
}

TEST_F(Profilers, UnsafeCharactersStayOutOfFileNames) {
    const std::string unsafe = "<>:\"/\\|?*\t\n ";
    ASSERT_EQ(unsafe.size(), 12u);
    for (const char letter : unsafe) {
        const test::TestFolder own;
        const auto profiler = *make_profiler("advanced", {.filename = "x"});
        ASSERT_TRUE(profiler->setup("fit", {}, own.path()).ok());
        {
            const ProfiledAction action(profiler.get(),
                                        std::string("be") + letter + letter + "fore");
        }
        ASSERT_TRUE(profiler->teardown().ok());
        int found = 0;
        for (const auto& entry : std::filesystem::directory_iterator(own.path())) {
            const std::string name = entry.path().filename();
            EXPECT_EQ(name.find(letter), std::string::npos) << name;
            found += name == "fit-x-be_fore.prof" ? 1 : 0;
        }
        EXPECT_EQ(found, 1) << letter;
    }
}

TEST_F(Profilers, AFolderThatCannotBeMadeIsAnError) {
    folder.write("file", "in the way");
    const auto profiler = *make_profiler("simple");
    ASSERT_TRUE(profiler->setup("fit", {}, folder / "file/profiles").ok());
    {
        const ProfiledAction action(profiler.get(), "step");
    }
    const auto done = profiler->teardown();
    ASSERT_FALSE(done.ok());
    EXPECT_NE(done.error().message.find("file/profiles"), std::string::npos);
}

}  // namespace
}  // namespace taffrail
