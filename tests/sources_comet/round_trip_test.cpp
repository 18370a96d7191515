// What the sink writes, the source gives back.
#include "../gathered_values.h"
#include "../test_files.h"
#include "io/files.h"
#include "sinks/comet/sink.h"
#include "sources/comet/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace taffrail;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

namespace {

void write(const test::TestFolder& folder, std::span<const Record> records, bool ends,
           RunState state = RunState::Finished) {
    SinkContext context;
    context.run_id = "run1";
    context.run_name = "nice";
    context.project = "demo";
    context.group = "g";
    context.job_type = "train";
    context.tags = {"a"};
    context.config = {{"lr", 0.1}, {"opt/name", std::string("adam")}, {"a|b", true}};
    context.run_folder = folder / "native";
    context.start_time_ns = 1'700'000'000'000'000'000;
    auto sink = sinks::comet::make({{"log_dir", folder / "logs"}}).value();
    ASSERT_TRUE(sink->open(context).ok());
    std::size_t delivered = 0;
    ASSERT_TRUE(sink->write(records, delivered).ok());
    ASSERT_TRUE(sink->flush().ok());
    if (ends) {
        ASSERT_TRUE(sink->close(state).ok());
    }
}

std::shared_ptr<RecordedRun> only(const test::TestFolder& folder) {
    static std::shared_ptr<Catalogue> kept;
    auto catalogue = std::make_shared<model::GatheredCatalogue>(
        [path = folder / "logs"] { return sources::comet::find_runs(path); });
    EXPECT_TRUE(catalogue->refresh().ok());
    EXPECT_EQ(catalogue->runs().size(), 1u);
    kept = catalogue;
    return catalogue->run(catalogue->runs().at(0).id).value();
}

std::map<std::string, Kind> kinds(const RecordedRun& run) {
    std::map<std::string, Kind> all;
    for (const KeyInfo& key : run.keys()) {
        all[key.key] = key.kind;
    }
    return all;
}

}  // namespace

TEST(CometRoundTrip, PointsComeBackExactly) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"loss", 0.1}, {"ünï|%41", 2}}).row(5, {{"loss", -0.0}});
    records.row(-3, {{"loss", std::nan("")}}).row(INT64_MAX, {{"loss", HUGE_VAL}, {"", 1}});
    records.row(7, {{std::string(300, 'k'), 3}});
    write(folder, records.all(), true);
    const auto run = only(folder);
    const auto points = run->points("loss").value();
    ASSERT_EQ(points.size(), 4u);
    EXPECT_EQ(points[0].value, 0.1);
    EXPECT_TRUE(std::signbit(points[1].value));
    EXPECT_TRUE(std::isnan(points[2].value));
    EXPECT_EQ(points[2].step, -3);
    EXPECT_EQ(points[3].value, HUGE_VAL);
    EXPECT_EQ(points[3].step, INT64_MAX);
    EXPECT_EQ(run->points("ünï|%41").value().size(), 1u);
    EXPECT_EQ(run->points("").value().size(), 1u);
    EXPECT_EQ(run->points(std::string(300, 'k')).value().at(0).value, 3);
    EXPECT_TRUE(run->damage().empty());
}

TEST(CometRoundTrip, EveryKindComesBack) {
    const test::TestFolder folder;
    test::Records records;
    test::add_every_kind(records, 4);
    write(folder, records.all(), true);
    const auto run = only(folder);
    const auto all = kinds(*run);
    EXPECT_EQ(all.at("image"), Kind::Image);
    EXPECT_EQ(all.at("folder/images"), Kind::Image);
    EXPECT_EQ(all.at("audio"), Kind::Audio);
    EXPECT_EQ(all.at("mesh"), Kind::Mesh);
    EXPECT_EQ(all.at("text"), Kind::Text);
    EXPECT_EQ(all.at("table"), Kind::Table);
    EXPECT_EQ(all.at("figure"), Kind::Figure);
    EXPECT_EQ(all.at("graph"), Kind::Graph);
    EXPECT_EQ(all.at("histogram"), Kind::Histogram);
    EXPECT_EQ(all.at("pr_curve"), Kind::PrCurve);
    EXPECT_EQ(all.at("tensor"), Kind::Artifact);
    EXPECT_EQ(all.at("embedding"), Kind::Artifact);
    EXPECT_EQ(all.at("model"), Kind::Artifact);
    const auto image = std::get<Image>(*run->entries("image")->at(0).value);
    EXPECT_EQ(image.width, 5);
    EXPECT_THAT(image.captions, ElementsAre("one"));
    EXPECT_GT(run->load(image.images.at(0).ref).value()->size(), 20u);
    EXPECT_EQ(std::get<Image>(*run->entries("folder/images")->at(0).value).images.size(), 2u);
    const auto table = std::get<Table>(*run->entries("table")->at(0).value);
    EXPECT_EQ(std::get<std::string>(table.rows.at(0).at(1)), "x, \"y\"");
    EXPECT_EQ(std::get<Graph>(*run->entries("graph")->at(0).value).nodes.at(1).inputs.at(0), "in");
    const RunInfo info = run->info();
    EXPECT_EQ(info.name, "nice");
    EXPECT_EQ(info.group, "g");
    EXPECT_EQ(info.job_type, "train");
    EXPECT_EQ(info.notes, "hello");
    EXPECT_THAT(info.tags, ElementsAre("a", "late"));
    EXPECT_EQ(std::get<std::int64_t>(info.summary.at("best")), 42);
    std::vector<std::string> names;
    for (const auto& [name, cell] : info.config) {
        names.push_back(name);
    }
    EXPECT_THAT(names, UnorderedElementsAre("lr", "opt/name", "a|b", "more"));
    EXPECT_TRUE(run->damage().empty()) << run->damage().front().reason;
}

TEST(CometRoundTrip, AFolderThatIsStillWrittenIsReadAndGrows) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"loss", 1}}).row(1, {{"loss", 2}});
    write(folder, records.all().subspan(0, 1), false);
    const auto run = only(folder);
    EXPECT_EQ(run->info().state, RunState::Running);
    EXPECT_EQ(run->points("loss").value().size(), 1u);
    write(folder, records.all(), false);
    EXPECT_TRUE(run->refresh().value());
    EXPECT_EQ(run->points("loss").value().size(), 2u);
}

TEST(CometRoundTrip, PartsOfAnExperimentAreAttemptsOfOneRun) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"loss", 1}}).row(1, {{"loss", 2}});
    write(folder, records.all().subspan(0, 1), true);
    write(folder, records.all(), true, RunState::Aborted);
    const auto run = only(folder);
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->info().state, RunState::Aborted);
    EXPECT_EQ(run->points("loss").value().size(), 2u);
}
