// Importing twice copies once.
#include "cli/store_commands.h"
#include "transfer/run_writer.h"

#include <gmock/gmock.h>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;

class Import : public StoreCommands {
  protected:
    std::size_t count(const std::string& root) const {
        return parse_json(run({"ls", root, "--json"}).out).value().array()->size();
    }

    std::string copy_ = "";

    void SetUp() override {
        StoreCommands::SetUp();
        copy_ = io::join(folder_, "copy");
    }
};

TEST_F(Import, SkipsWhatIsThereAlready) {
    ASSERT_EQ(run({"import", root_, "--root", copy_}).code, 0);
    ASSERT_EQ(count(copy_), 3u);
    const Outcome again = run({"import", root_, "--root", copy_});
    EXPECT_EQ(again.code, 0);
    EXPECT_THAT(again.out, HasSubstr(names()[0] + "  is here already, unchanged"));
    EXPECT_EQ(count(copy_), 3u);
    EXPECT_EQ(run({"import", root_, root_, "--root", io::join(folder_, "both")}).code, 0);
    EXPECT_EQ(count(io::join(folder_, "both")), 3u);
    EXPECT_EQ(run({"import", root_, "--root", copy_, "--again"}).code, 0);
    EXPECT_EQ(count(copy_), 6u);
}

TEST_F(Import, KnowsALogdirByItsFolderHoweverItIsNamed) {
    const std::string logdir = io::join(folder_, "logs");
    ASSERT_EQ(run({"export", names()[0], "--root", root_, "-t", "tensorboard", "-o", logdir}).code,
              0);
    ASSERT_EQ(run({"import", logdir, "--root", copy_}).code, 0);
    ASSERT_EQ(run({"import", folder_ + "/./logs/", "--root", copy_}).code, 0);
    ASSERT_EQ(run({"import", "named:" + logdir, "--root", copy_}).code, 0);
    EXPECT_EQ(count(copy_), count(logdir));
}

TEST_F(Import, KeepsRanksAttemptsAndConsoleLines) {
    const std::string many = io::join(folder_, "many");
    ASSERT_TRUE(generate_demo_runs(
                    many, {.runs = 9, .points = 50, .now_ns = kNow, .media = false, .seal = false})
                    .ok());
    ASSERT_EQ(run({"import", many, "--root", copy_}).code, 0);
    const auto originals = read(many).value(), copies = read(copy_).value();
    for (const RunInfo& info : originals->runs()) {
        const auto original = originals->run(info.id).value(),
                   copy = copies->run(info.name).value();
        EXPECT_EQ(copy->info().attempts, info.attempts) << info.name;
        EXPECT_EQ(copy->console(0, SIZE_MAX).size(), original->console(0, SIZE_MAX).size());
        const auto processes = [](const RecordedRun& one) {
            std::map<std::pair<std::int32_t, std::uint32_t>, std::size_t> counts;
            for (const KeyInfo& key : one.keys()) {
                if (key.kind == Kind::Scalar) {
                    for (const Point& point : one.points(key.key).value()) {
                        ++counts[{point.rank, point.attempt}];
                    }
                }
            }
            return counts;
        };
        EXPECT_EQ(processes(*copy), processes(*original)) << info.name;
    }
}

TEST_F(Import, SaysWhenTheOriginalGrew) {
    RunInfo info;
    info.id = "01GROWING", info.name = "growing", info.start_time_ns = kNow;
    const std::string source = io::join(folder_, "source");
    const auto writer = transfer::RunWriter::create(source, info).value();
    Point point;
    point.time_ns = kNow;
    ASSERT_TRUE(writer->scalar("loss", point).ok());
    ASSERT_TRUE(writer->finish(RunState::Finished).ok());
    ASSERT_EQ(run({"import", source, "--root", copy_}).code, 0);

    const auto later = transfer::RunWriter::join(writer->folder(), info, {.attempt = 1}).value();
    ASSERT_TRUE(later->scalar("loss", point).ok());
    ASSERT_TRUE(later->finish(RunState::Finished).ok());
    const Outcome grown = run({"import", source, "--root", copy_});
    EXPECT_EQ(grown.code, 1);
    EXPECT_THAT(grown.errors, HasSubstr("with 1 records and has 2 now"));
    EXPECT_THAT(grown.errors, HasSubstr("--again"));
    EXPECT_EQ(count(copy_), 1u);
}

TEST_F(Import, RefusesToCopyAStoreIntoItself) {
    for (const std::string& path : {root_, root_ + "/", "x:" + root_}) {
        const Outcome outcome = run({"import", path, "--root", root_});
        EXPECT_EQ(outcome.code, 1) << path;
        EXPECT_THAT(outcome.errors, HasSubstr("already"));
    }
    EXPECT_EQ(count(root_), 3u);
}

}  // namespace
}  // namespace taffrail::cli
