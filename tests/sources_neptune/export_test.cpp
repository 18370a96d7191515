// Parquet of neptune-exporter, as its writer's library makes it (tests/data/neptune/make.py).
#include "../places.h"
#include "../test_files.h"
#include "sources/neptune/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace taffrail;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr const char* kData = "data/workspace_demo-0123456789abcdef";
constexpr const char* kFirst = "RUN-1-fedcba9876543210_part_0.parquet";
constexpr const char* kSecond = "RUN-1-fedcba9876543210_part_1.parquet";

std::string samples() {
    return tests::data_folder() + "/neptune/exports";
}

std::shared_ptr<model::GatheredCatalogue> open_export(const std::string& path) {
    auto catalogue = std::make_shared<model::GatheredCatalogue>(
        [path] { return sources::neptune::find_runs(path); });
    EXPECT_TRUE(catalogue->refresh().ok());
    return catalogue;
}

std::string bytes_of(const char* name) {
    std::ifstream file(samples() + "/" + kData + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST(NeptuneExport, IsARun) {
    const auto catalogue = open_export(samples());
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run("RUN-1").value();
    const RunInfo info = run->info();
    EXPECT_EQ(info.name, "nice");
    EXPECT_EQ(info.project, "workspace/demo");
    EXPECT_EQ(info.notes, "hello");
    EXPECT_EQ(info.state, RunState::Failed);
    EXPECT_EQ(info.start_time_ns, 1'772'366'400'250'000'000);
    EXPECT_THAT(info.tags, ElementsAre("a", "b", "ünïcode ✓"));
    std::map<std::string, Cell> config(info.config.begin(), info.config.end());
    EXPECT_EQ(std::get<double>(config.at("lr")), 0.1);
    EXPECT_EQ(std::get<std::int64_t>(config.at("opt/layers")), -3);
    EXPECT_EQ(std::get<std::string>(config.at("opt/name")), "adam");
    EXPECT_EQ(std::get<std::string>(config.at("kinds")), "x, y");
    EXPECT_EQ(std::get<bool>(config.at("flag")), false);
    EXPECT_FALSE(config.contains("absent"));

    const auto loss = run->points("train/loss").value();
    const auto half = run->points("half").value();
    ASSERT_EQ(loss.size(), 50u);
    ASSERT_EQ(half.size(), 50u);
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_EQ(loss[i].value, 1.0 / (static_cast<double>(i) + 1));
        // Half steps: all are scaled, and the factor is kept.
        EXPECT_EQ(loss[i].step, static_cast<Step>(10 * i));
        EXPECT_EQ(half[i].step, static_cast<Step>(5 * i));
    }
    EXPECT_TRUE(std::isnan(half[3].value));
    EXPECT_EQ(half[4].value, 4e300);

    const auto counted = std::get<Histogram>(*run->entries("hist").value().at(0).value);
    EXPECT_THAT(counted.counts, ElementsAre(3, 4));
    EXPECT_THAT(counted.edges, ElementsAre(1, 2, 4));
    EXPECT_THAT(std::get<Histogram>(*run->entries("dense").value().at(0).value).counts,
                ElementsAre(0.5, 0.5));
    EXPECT_EQ(std::get<Text>(*run->entries("text").value().at(0).value).text, "hello");
    EXPECT_EQ(run->console(0, 10).at(0).text, "a line of output");
    EXPECT_EQ(run->entries("steps").value().size(), 1u);
    EXPECT_EQ(run->entries("files/notes").value().size(), 1u);
    ASSERT_EQ(run->damage().size(), 1u) << "the file that is not there";
    EXPECT_THAT(run->damage()[0].reason, HasSubstr("files/gone"));
}

TEST(NeptuneExport, IsFoundAtEveryLevel) {
    for (const std::string& path : {samples(), samples() + "/data", samples() + "/" + kData,
                                    samples() + "/" + kData + "/" + kFirst}) {
        EXPECT_TRUE(sources::neptune::depth_of_runs(path)) << path;
    }
}

TEST(NeptuneExport, ALostPartIsNamedAndTheOtherRead) {
    const test::TestFolder folder;
    folder.write(std::string(kData) + "/" + kSecond, bytes_of(kSecond));
    const auto catalogue = open_export(folder.path());
    const auto run = catalogue->run("RUN-1").value();
    EXPECT_EQ(run->points("train/loss").value().size(), 20u);
    EXPECT_THAT(run->damage().at(0).reason, HasSubstr("first part"));
}

TEST(NeptuneExport, FilesBehindLinksAreNotOpened) {
    const test::TestFolder folder, elsewhere;
    elsewhere.write("workspace_demo-0123456789abcdef/RUN-1/notes.txt", "secret");
    for (const char* part : {kFirst, kSecond}) {
        folder.write(std::string(kData) + "/" + part, bytes_of(part));
    }
    std::filesystem::create_directory_symlink(elsewhere.path(), folder / "files");
    const auto catalogue = open_export(folder.path());
    const auto run = catalogue->run("RUN-1").value();
    EXPECT_FALSE(run->entries("files/notes").ok() && !run->entries("files/notes").value().empty());
}

/// Everything that can be asked, of whatever the bytes still are.
void ask_everything(const test::TestFolder& folder) {
    for (const auto& found : sources::neptune::find_runs(folder.path())) {
        const auto content = found.read();
        ASSERT_NE(content, nullptr);
    }
}

TEST(NeptuneExport, CutAnywhereIsNoCrashAndKeepsTheOtherPart) {
    const std::string whole = bytes_of(kFirst), second = bytes_of(kSecond);
    const test::TestFolder folder;
    folder.write(std::string(kData) + "/" + kSecond, second);
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        folder.write(std::string(kData) + "/" + kFirst, whole.substr(0, size));
        const auto catalogue = open_export(folder.path());
        const auto run = catalogue->run("RUN-1").value();
        EXPECT_EQ(run->points("train/loss").value().size(), 20u);
        EXPECT_FALSE(run->damage().empty());
    }
}

TEST(NeptuneExport, FlippedBytesAreNoCrash) {
    const std::string whole = bytes_of(kFirst);
    const test::TestFolder folder;
    for (std::size_t at = 0; at < whole.size(); at += 11) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ (1 << at % 8));
        folder.write(std::string(kData) + "/" + kFirst, broken);
        ask_everything(folder);
    }
}

TEST(NeptuneExport, OtherParquetIsNotTaken) {
    const test::TestFolder folder;
    folder.write("x_part_0.parquet", "PAR1 and nothing else");
    folder.write("empty_part_0.parquet", "");
    EXPECT_FALSE(sources::neptune::depth_of_runs(folder.path()));
    EXPECT_TRUE(sources::neptune::find_runs(folder.path()).empty());
}
