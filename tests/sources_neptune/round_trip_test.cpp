// What the sink writes, the source gives back; and logs that are damaged.
#include "../gathered_values.h"
#include "../test_files.h"
#include "sinks/neptune/sink.h"
#include "sources/neptune/discovery.h"
#include "sqlite/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace taffrail;
using testing::ElementsAre;

namespace {

void write(const test::TestFolder& folder, std::span<const Record> records, RunState state) {
    SinkContext context;
    context.run_id = "run1";
    context.run_name = "nice";
    context.project = "demo";
    context.group = "g";
    context.job_type = "train";
    context.tags = {"a"};
    context.config = {{"lr", 0.1}, {"opt/name", std::string("adam")}};
    context.run_folder = folder / "native";
    context.start_time_ns = 1'700'000'000'000'000'000;
    auto sink = sinks::neptune::make({{"log_dir", folder / "logs"}}).value();
    ASSERT_TRUE(sink->open(context).ok());
    std::size_t delivered = 0;
    ASSERT_TRUE(sink->write(records, delivered).ok());
    sink->give_reason("why");
    ASSERT_TRUE(sink->close(state).ok());
}

std::shared_ptr<model::GatheredCatalogue> open(const std::string& path) {
    auto catalogue = std::make_shared<model::GatheredCatalogue>(
        [path] { return sources::neptune::find_runs(path); });
    EXPECT_TRUE(catalogue->refresh().ok());
    return catalogue;
}

std::string log_in(const test::TestFolder& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "logs")) {
        if (entry.path().extension() == ".sqlite3") {
            return entry.path().string();
        }
    }
    return {};
}

}  // namespace

TEST(NeptuneRoundTrip, PointsComeBackWithTheirTrueSteps) {
    const test::TestFolder folder;
    test::Records records;
    records.row(5, {{"loss", 1}}).row(5, {{"loss", std::nan("")}}).row(3, {{"loss", 3}});
    records.row(-1, {{"loss", 4}}).row(9, {{"loss", 5}, {"sys/x", 1}, {"ü %41", 2}, {"", 3}});
    records.row(0, {{"inf", HUGE_VAL}});
    write(folder, records.all(), RunState::Finished);
    const auto catalogue = open(folder / "logs");
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run("run1").value();
    std::vector<Step> steps;
    for (const Point& point : run->points("loss").value()) {
        steps.push_back(point.step);
    }
    EXPECT_THAT(steps, ElementsAre(5, 5, 3, -1, 9));
    EXPECT_TRUE(std::isnan(run->points("loss").value()[1].value));
    EXPECT_EQ(run->points("sys/x").value().size(), 1u);
    EXPECT_EQ(run->points("ü %41").value().size(), 1u);
    EXPECT_EQ(run->points("").value().size(), 1u);
    EXPECT_EQ(run->points("inf").value().at(0).value, HUGE_VAL);
    EXPECT_TRUE(run->damage().empty());
}

TEST(NeptuneRoundTrip, EveryKindComesBack) {
    const test::TestFolder folder;
    test::Records records;
    test::add_every_kind(records, 4);
    write(folder, records.all(), RunState::Failed);
    const auto catalogue = open(folder / "logs");
    const auto run = catalogue->run("run1").value();
    std::map<std::string, Kind> kinds;
    for (const KeyInfo& key : run->keys()) {
        kinds[key.key] = key.kind;
    }
    EXPECT_EQ(kinds.at("image"), Kind::Image);
    EXPECT_EQ(kinds.at("folder/images/image0.png"), Kind::Image);
    EXPECT_EQ(kinds.at("audio"), Kind::Audio);
    EXPECT_EQ(kinds.at("mesh"), Kind::Mesh);
    EXPECT_EQ(kinds.at("text"), Kind::Text);
    EXPECT_EQ(kinds.at("table"), Kind::Table);
    EXPECT_EQ(kinds.at("figure"), Kind::Figure);
    EXPECT_EQ(kinds.at("graph"), Kind::Graph);
    EXPECT_EQ(kinds.at("histogram"), Kind::Histogram);
    EXPECT_EQ(kinds.at("pr_curve"), Kind::PrCurve);
    const auto image = std::get<Image>(*run->entries("image")->at(0).value);
    EXPECT_EQ(image.height, 4);
    EXPECT_GT(run->load(image.images.at(0).ref).value()->size(), 20u);
    const RunInfo info = run->info();
    EXPECT_EQ(info.state, RunState::Failed);
    EXPECT_EQ(info.message, "why");
    EXPECT_EQ(info.name, "nice");
    EXPECT_EQ(info.group, "g");
    EXPECT_EQ(info.job_type, "train");
    EXPECT_EQ(info.notes, "hello");
    EXPECT_THAT(info.tags, ElementsAre("a", "late"));
    EXPECT_EQ(std::get<std::int64_t>(info.summary.at("best")), 42);
    EXPECT_TRUE(run->damage().empty());
}

TEST(NeptuneDamage, CutAndChangedLogsNeverCrash) {
    const test::TestFolder folder;
    test::Records records;
    for (Step step = 0; step < 200; ++step) {
        records.row(step, {{"loss", 1}});
    }
    write(folder, records.all(), RunState::Finished);
    const std::string path = log_in(folder);
    std::ifstream file(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(whole.size(), 4096u);
    for (std::size_t at = 0; at < whole.size(); at += whole.size() / 40 + 1) {
        const test::TestFolder other;
        other.write("a/run_operations.sqlite3", whole.substr(0, at));
        static_cast<void>(open(other.path())->runs());
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x44);
        other.write("a/run_operations.sqlite3", broken);
        const auto catalogue = open(other.path());
        for (const RunInfo& info : catalogue->runs()) {
            const auto points = catalogue->run(info.id).value()->points("loss");
            EXPECT_LE(points.ok() ? points->size() : 0, 200u);
        }
    }
}

TEST(NeptuneDamage, OperationsThatCannotBeReadCostThemselves) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"loss", 1}}).row(1, {{"loss", 2}});
    write(folder, records.all(), RunState::Finished);
    {
        const auto database = sqlite::Database::open(log_in(folder), sqlite::Mode::Write);
        ASSERT_TRUE(database
                        ->run("INSERT INTO run_operations (timestamp, operation_type, operation, "
                              "operation_size_bytes) VALUES (1, 0, X'0AFF', 2), (1, 7, X'FF', 1)")
                        .ok());
    }
    const auto catalogue = open(folder / "logs");
    const auto run = catalogue->run("run1").value();
    EXPECT_EQ(run->points("loss").value().size(), 2u);
    EXPECT_EQ(run->damage().size(), 2u);
}

TEST(NeptuneDamage, ForeignDatabasesAreNamed) {
    const test::TestFolder folder;
    folder.write("a/run_operations.sqlite3", "not what it says");
    folder.write("b/run_operations.sqlite3", "");
    const auto catalogue = open(folder.path());
    EXPECT_TRUE(catalogue->runs().empty());
    EXPECT_EQ(catalogue->unreadable().size(), 2u);
}
