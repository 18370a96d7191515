// The examples of docs/contributing, made by their own steps (guides.py): each does what its page
// says.
#include <taffrail/routine.h>
#include <taffrail/sink.h>

#include "cli/fake_catalogue.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "record_builder.h"
#include "src/sources/numbers/run.cpp"

#include <gmock/gmock.h>

namespace taffrail {

namespace sinks::latest {
void register_part();
}

namespace routines {
void register_length();
}

namespace cli {
std::unique_ptr<Command> make_keys();
}

namespace {

using testing::ElementsAre;

TEST(Guides, TheSinkKeepsTheNewestValueOfEveryScalar) {
    sinks::latest::register_part();
    const test::TemporaryFolder folder;
    EXPECT_FALSE(make_sink("latest", {{"pth", "x"}}).ok());
    const auto sink = make_sink("LatestWriter", {}).value();
    sink->open({.run_id = "01RUN", .run_folder = folder.path()}).value();
    test::Records records;
    records.row(1, {{"loss", 0.5}, {"acc", 0.25}}).row(2, {{"loss", 0.125}});
    std::size_t delivered = 0;
    sink->write(records.all(), delivered).value();
    EXPECT_EQ(delivered, 3u);
    sink->close(RunState::Finished).value();
    EXPECT_EQ(io::read_text(folder.file("latest.txt")).value(), "acc\t0.25\nloss\t0.125\n");
}

/// Keeps what a routine logs.
class Heard final : public RoutineContext {
  public:
    std::vector<std::pair<std::string, double>> rows;
    std::vector<std::string> names{"words"};

    Run& run() noexcept override { std::abort(); }

    Routing routing() const noexcept override { return {}; }

    void log(std::span<const std::pair<std::string_view, double>> row, Step) override {
        rows.insert(rows.end(), row.begin(), row.end());
    }

    void log_value(std::string_view, Value, Step) override {}

    const std::vector<std::string>& tracked() const noexcept override { return names; }
};

TEST(Guides, TheRoutineLogsHowLongTextsAre) {
    routines::register_length();
    EXPECT_FALSE(make_routine("length", {{"most", "0"}}).ok());
    const auto routine = make_routine("length", {{"most", "4"}}).value();
    Heard heard;
    routine->log_iter({.values = {{"words", std::string("abc")}}}, heard).value();
    routine->log_iter({.values = {{"words", std::string("abcdef")}}}, heard).value();
    EXPECT_FALSE(routine->log_iter({.values = {{"words", 1.0}}}, heard).ok());
    EXPECT_THAT(heard.rows, ElementsAre(testing::Pair("Length/words/train", 3.0),
                                        testing::Pair("Length/words/train", 4.0)));
}

TEST(Guides, TheCommandPrintsTheKeysOfARun) {
    const auto catalogue = std::make_shared<cli::FakeCatalogue>();
    catalogue->add("wide")->scalar("val/loss", {3, 2, 1});
    std::string printed;
    const auto run = [&](const std::vector<std::string>& line) {
        const cli::Parsed parsed = cli::parse(line, {cli::make_keys});
        cli::Session session(
            {}, [&](std::string_view text) { printed += text; }, [](std::string_view) {},
            [&](std::string_view) -> Result<std::shared_ptr<Catalogue>> {
                return std::shared_ptr<Catalogue>(catalogue);
            });
        return parsed.command ? parsed.command->run(session) : parsed.code;
    };
    EXPECT_EQ(run({"keys", "wide"}), cli::ExitCode::Ok);
    EXPECT_EQ(run({"keys", "wide", "--json"}), cli::ExitCode::Ok);
    EXPECT_EQ(printed, "val/loss\n[\n \"val/loss\"\n]\n");
    EXPECT_EQ(run({"keys", "nobody"}), cli::ExitCode::Failed);
}

TEST(Guides, TheSourceAnswersWithItsPoints) {
    const sources::numbers::NumbersRun run(
        "folder", {{"a", {{.step = 1, .value = 2}, {.step = 2, .value = 4}}}});
    EXPECT_EQ(run.keys().at(0).scalar.max, 4);
    EXPECT_EQ(run.points("a").value().size(), 2u);
    EXPECT_FALSE(run.points("b").ok());
    EXPECT_EQ(run.bins("a", {.width = 1}).value().points, 2u);
    std::size_t records = 0;
    run.for_each([&](const Record& record) { return ++records > 0 && record.key == "a"; }).value();
    EXPECT_EQ(records, 2u);
}

}  // namespace
}  // namespace taffrail
