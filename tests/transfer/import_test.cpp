#include "transfer/import.h"

#include "io/temporary_folder.h"
#include "transfer/run_writer.h"

#include <gmock/gmock.h>

namespace taffrail::transfer {
namespace {

class ImportTest : public testing::Test {
  protected:
    ImportTest() {
        RunInfo info;
        info.id = "01ONE", info.name = "one", info.start_time_ns = 1'000'000'000;
        const auto writer = RunWriter::create(source_, info).value();
        run_folder_ = writer->folder();
        writer->scalar("loss", Point{.time_ns = 1'000'000'000, .value = 0.5}).value();
        writer->finish(RunState::Finished).value();
    }

    std::vector<ImportReport> import(ImportOptions options) {
        std::vector<ImportReport> reports;
        Import engine(std::move(options));
        const auto catalogue = read(source_).value();
        engine.take(*catalogue, [&](const ImportReport& one) { reports.push_back(one); }).value();
        return reports;
    }

    test::TemporaryFolder folder_;
    std::string source_ = folder_.file("source"), root_ = folder_.file("root"), run_folder_;
};

TEST_F(ImportTest, CopiesOnceAndKnowsItsOwnCopies) {
    const auto first = import({.root = root_, .project = "p"});
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].outcome, ImportOutcome::Imported);
    EXPECT_EQ(first[0].points, 1u);
    EXPECT_EQ(first[0].records, 1u);
    const auto copy = read(root_).value()->run(first[0].id).value();
    EXPECT_EQ(copy->info().project, "p");
    EXPECT_EQ(copy->info().name, "one");
    const auto second = import({.root = root_});
    EXPECT_EQ(second.at(0).outcome, ImportOutcome::Unchanged);
    EXPECT_EQ(second[0].id, first[0].id);
    EXPECT_EQ(import({.root = root_, .again = true}).at(0).outcome, ImportOutcome::Imported);
    EXPECT_EQ(read(root_).value()->runs().size(), 2u);
}

// A tracker says when a run ended and why, which no row of it does.
TEST_F(ImportTest, TheEndComesAlong) {
    RunInfo info = read(source_).value()->runs().at(0);
    const auto later = RunWriter::join(run_folder_, info, {.attempt = 1}).value();
    later->scalar("loss", Point{.step = 1, .time_ns = 2'000'000'000}).value();
    later->finish(RunState::Failed, "out of memory", 9'000'000'000).value();
    import({.root = root_});
    const auto copy = read(root_).value()->runs().at(0);
    EXPECT_EQ(copy.state, RunState::Failed);
    EXPECT_EQ(copy.message, "out of memory");
    EXPECT_EQ(copy.end_time_ns, 9'000'000'000);
    EXPECT_EQ(copy.attempts, 2u);
}

TEST_F(ImportTest, LeavesAGrownOneAloneAndSaysBothCounts) {
    import({.root = root_});
    RunInfo info = read(source_).value()->runs().at(0);
    const auto later = RunWriter::join(run_folder_, info, {.attempt = 1}).value();
    later->scalar("loss", Point{.step = 1, .time_ns = 2'000'000'000}).value();
    later->finish(RunState::Finished).value();
    const auto grown = import({.root = root_});
    EXPECT_EQ(grown.at(0).outcome, ImportOutcome::Grown);
    EXPECT_EQ(grown[0].earlier_records, 1u);
    EXPECT_EQ(grown[0].records, 2u);
    EXPECT_EQ(read(root_).value()->runs().size(), 1u);
}

TEST_F(ImportTest, RefusesRunsOfTheRootItself) {
    Import engine({.root = source_});
    const auto catalogue = read(source_).value();
    const auto refused = engine.take(*catalogue, [](const ImportReport&) { FAIL(); });
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, testing::HasSubstr("already"));
}

}  // namespace
}  // namespace taffrail::transfer
