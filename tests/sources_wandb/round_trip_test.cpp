// What our sink writes, our source reads back: keys, steps and values as they were logged.
#include "../record_builder.h"
#include "sinks/wandb/sink.h"
#include "wandb_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace taffrail;
using testing::ElementsAre;

namespace {

SinkContext context_of(std::uint32_t attempt = 0) {
    SinkContext context;
    context.run_id = "run1";
    context.run_name = "nice";
    context.project = "demo";
    context.tags = {"x"};
    context.start_time_ns = 1'700'000'000'000'000'000;
    context.attempt = attempt;
    return context;
}

void record(const test::TestFolder& folder, const test::Records& records, SinkContext context) {
    context.run_folder = folder / "native";
    auto sink = sinks::wandb::make({{"log_dir", folder / "logs"}}).value();
    ASSERT_TRUE(sink->open(context).ok());
    std::size_t delivered = 0;
    ASSERT_TRUE(sink->write(records.all(), delivered).ok());
    ASSERT_TRUE(sink->flush().ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
}

std::vector<std::pair<Step, double>> series(const RecordedRun& run, std::string_view key) {
    std::vector<std::pair<Step, double>> all;
    for (const Point& point : run.points(key).value()) {
        all.emplace_back(point.step, point.value);
    }
    return all;
}

std::shared_ptr<RecordedRun> read(const test::TestFolder& folder) {
    static std::shared_ptr<Catalogue> catalogue;
    catalogue = sources::wandb::open_runs(folder / "logs").value();
    return catalogue->run("run1").value();
}

}  // namespace

TEST(WandbRoundTrip, OddStepsComeBack) {
    const test::TestFolder folder;
    test::Records records;
    for (const Step step : {Step{5}, Step{3}, Step{3}, Step{-7}, (Step{1} << 53) + 1, Step{6}}) {
        records.row(step, {{"a", static_cast<double>(step)}});
    }
    record(folder, records, context_of());
    const auto run = read(folder);
    EXPECT_THAT(series(*run, "a"), ElementsAre(std::pair(Step{5}, 5.0), std::pair(Step{3}, 3.0),
                                               std::pair(Step{3}, 3.0), std::pair(Step{-7}, -7.0),
                                               std::pair((Step{1} << 53) + 1,
                                                         static_cast<double>((Step{1} << 53) + 1)),
                                               std::pair(Step{6}, 6.0)));
}

TEST(WandbRoundTrip, OddNamesComeBack) {
    const test::TestFolder folder;
    const std::vector<std::string> names{"",    "_step", "step", "%5Fstep", "a.b",
                                         "a/b", "ü ✓",   "%-",   "_wandb"};
    test::Records records;
    for (std::size_t i = 0; i < names.size(); ++i) {
        records.row(0, {{names[i], static_cast<double>(i)}});
    }
    record(folder, records, context_of());
    const auto run = read(folder);
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_THAT(series(*run, names[i]), ElementsAre(std::pair(Step{0}, static_cast<double>(i))))
            << names[i];
    }
}

TEST(WandbRoundTrip, ValuesComeBack) {
    const test::TestFolder folder;
    Histogram histogram;
    histogram.edges = {0, 1, 3}, histogram.counts = {3, 4};
    Table table{.columns = {"a", "b"},
                .rows = {{std::int64_t{1}, std::string("x")}, {2.5, Cell()}}};
    Graph graph{
        .nodes = {{.name = "in", .op = "Input"}, {.name = "out", .op = "Dense", .inputs = {"in"}}}};
    test::Records records;
    records.row(4, {{"nan", std::nan("")}, {"inf", -HUGE_VAL}});
    records.value("hist", 4, histogram)
        .value("tab", 4, table)
        .value("words", 4, Text{.text = "a \"b\"\n"});
    records.value("graph", 3, graph);  // late
    records.value("hparams", 4, Hparams{{"opt/lr", 0.5}, {"name", std::string("x")}});
    records.value("alerts", 4, Alert{AlertLevel::Error, "title", "text"});
    records.value("summary", 4, SummaryValues{{{"best", std::int64_t{7}}}});
    records.value("metrics", 4,
                  MetricDefinition{"nan", {.summary = Summary::Min, .goal = Goal::Minimize}});
    record(folder, records, context_of());
    const auto run = read(folder);
    EXPECT_TRUE(std::isnan(series(*run, "nan").at(0).second));
    EXPECT_EQ(series(*run, "inf").at(0).second, -HUGE_VAL);
    EXPECT_EQ(std::get<Histogram>(*run->entries("hist").value().at(0).value).counts,
              histogram.counts);
    const auto rows = std::get<Table>(*run->entries("tab").value().at(0).value);
    EXPECT_EQ(rows.columns, table.columns);
    EXPECT_EQ(rows.rows, table.rows);
    EXPECT_EQ(std::get<Text>(*run->entries("words").value().at(0).value).text, "a \"b\"\n");
    const auto graphs = run->entries("graph").value();
    EXPECT_EQ(graphs.at(0).step, 3);
    EXPECT_THAT(std::get<Graph>(*graphs[0].value).nodes.at(1).inputs, ElementsAre("in"));
    const RunInfo info = run->info();
    EXPECT_EQ(info.config, (Hparams{{"name", std::string("x")}, {"opt/lr", 0.5}}));
    EXPECT_EQ(info.summary.at("best"), Cell(std::int64_t{7}));
    EXPECT_EQ(std::get<Alert>(*run->entries("alerts").value().at(0).value).title, "title");
    for (const KeyInfo& key : run->keys()) {
        if (key.key == "nan") {
            ASSERT_TRUE(key.definition);
            EXPECT_EQ(key.definition->goal, Goal::Minimize);
        }
    }
}

TEST(WandbRoundTrip, AMovedFolderKeepsItsArtifacts) {
    const test::TestFolder folder;
    Blob blob;
    blob.bytes = std::make_shared<const Bytes>(Bytes(3, std::byte{'x'}));
    test::Records records;
    records.value(
        "model", 0,
        Artifact{.name = "model", .type = "t", .version = "v0", .files = {{"w.bin", blob}}});
    record(folder, records, context_of());
    std::filesystem::rename(folder / "logs", folder / "moved");
    const auto catalogue = sources::wandb::open_runs(folder / "moved").value();
    const auto run = catalogue->run("run1").value();
    const auto artifact = std::get<Artifact>(*run->entries("model").value().at(0).value);
    ASSERT_EQ(artifact.files.size(), 1u);
    EXPECT_EQ(*run->load(artifact.files[0].data.ref).value(), *blob.bytes);
    EXPECT_TRUE(run->damage().empty());
}
