// What the made-up runs promise: the same for the same seed, every kind of record, known answers.
#include "cli/demo_data.h"

#include <taffrail/reader.h>

#include "codec/png.h"
#include "io/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;

class DemoData : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "taffrail-demo-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }

    void TearDown() override { (void)io::remove_tree(folder_); }

    std::shared_ptr<Catalogue> make(const DemoOptions& options, const char* name = "root") {
        const std::string root = io::join(folder_, name);
        EXPECT_TRUE(generate_demo_runs(root, options).ok());
        return read(root).value();
    }

    static constexpr std::int64_t kLongAgo = 1'700'000'000'000'000'000;
    std::string folder_;
};

TEST_F(DemoData, TrainingRunsHoldEveryKindOfRecord) {
    const auto runs = make({.runs = 2, .points = 60, .now_ns = kLongAgo});
    std::set<Kind> kinds;
    for (const RunInfo& info : runs->runs()) {
        for (const KeyInfo& key : runs->run(info.id).value()->keys()) {
            kinds.insert(key.kind);
        }
    }
    for (Kind kind : {Kind::Scalar, Kind::Histogram, Kind::Image, Kind::Audio, Kind::Video,
                      Kind::Mesh, Kind::Text, Kind::Table, Kind::Figure, Kind::Graph, Kind::PrCurve,
                      Kind::Embedding, Kind::Hparams, Kind::Artifact, Kind::Alert}) {
        EXPECT_TRUE(kinds.contains(kind)) << to_string(kind);
    }
}

TEST_F(DemoData, RunsFailCrashResumeAndFallSilent) {
    const auto runs = make({.runs = 9, .points = 50, .now_ns = kLongAgo, .media = false});
    std::vector<RunInfo> all = runs->runs();
    ASSERT_EQ(all.size(), 9u);
    std::ranges::reverse(all);  // newest first
    EXPECT_EQ(all[0].state, RunState::Finished);
    EXPECT_EQ(all[0].world_size, 2);
    EXPECT_EQ(all[3].state, RunState::Failed);
    EXPECT_THAT(all[3].message, HasSubstr("NaN"));
    EXPECT_EQ(all[5].attempts, 2u);
    EXPECT_EQ(all[5].state, RunState::Finished);
    EXPECT_EQ(all[7].state, RunState::Crashed);
    EXPECT_EQ(all[8].state, RunState::Crashed);
    EXPECT_THAT(all[8].message, HasSubstr("without finishing"));

    const auto resumed = runs->run(all[5].id).value();
    std::set<std::uint32_t> attempts;
    for (const Point& point : resumed->points("train/loss").value()) {
        attempts.insert(point.attempt);
    }
    EXPECT_EQ(attempts, (std::set<std::uint32_t>{0, 1}));
    std::set<std::int32_t> ranks;
    for (const ConsoleLine& line : runs->run(all[0].id).value()->console(0, 100000)) {
        ranks.insert(line.rank);
    }
    EXPECT_EQ(ranks, (std::set<std::int32_t>{0, 1}));
    const auto odd = runs->run(all[1].id).value()->points("train/loss").value();
    EXPECT_EQ(std::ranges::count_if(odd, [](const Point& p) { return std::isnan(p.value); }), 4);
    EXPECT_EQ(std::ranges::count_if(odd, [](const Point& p) { return std::isinf(p.value); }), 1);
}

TEST_F(DemoData, TheBestLearningRateWins) {
    const auto runs = make({.runs = 24, .points = 40, .now_ns = kLongAgo, .media = false});
    double best = INFINITY, best_rate = 0;
    for (const RunInfo& info : runs->runs()) {
        for (const KeyInfo& key : runs->run(info.id).value()->keys()) {
            if (key.key == "val/loss" && key.scalar.last < best &&
                info.state == RunState::Finished) {
                best = key.scalar.last;
                best_rate = std::get<double>(info.config.front().second);
            }
        }
    }
    EXPECT_EQ(best_rate, 1e-3);  // 6e-4 would be best; of those tried this is the nearest
}

TEST_F(DemoData, ASweepHasAsManyRunsTagsAndPointsAsAsked) {
    const auto runs =
        make({.runs = 5, .points = 30, .now_ns = kLongAgo, .scene = DemoScene::Sweep, .tags = 7});
    ASSERT_EQ(runs->runs().size(), 5u);
    for (const RunInfo& info : runs->runs()) {
        std::size_t series = 0;
        for (const KeyInfo& key : runs->run(info.id).value()->keys()) {
            series += key.kind == Kind::Scalar && key.count == 30 ? 1 : 0;
        }
        EXPECT_EQ(series, 7u);
    }
}

TEST_F(DemoData, ReconstructionsComeCloserToTheirTarget) {
    const auto runs = make({.runs = 1, .points = 400, .now_ns = kLongAgo});
    const auto run = runs->run(runs->runs()[0].id).value();
    const auto pixels_of = [&](const char* key) {
        std::vector<Bytes> all;
        for (const Entry& entry : run->entries(key).value()) {
            const auto file = run->load(std::get<Image>(*entry.value).images.front().ref).value();
            all.push_back(decode_png(*file).value().data);
        }
        return all;
    };
    const auto distance = [](const Bytes& a, const Bytes& b) {
        double sum = 0;
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
            sum += std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i]));
        }
        return sum / static_cast<double>(a.size());
    };
    const std::vector<Bytes> targets = pixels_of("target"), tries = pixels_of("reconstruction");
    ASSERT_GE(tries.size(), 5U);
    ASSERT_EQ(targets.front().size(), tries.front().size());
    const double first = distance(tries.front(), targets.front()),
                 middle = distance(tries[tries.size() / 4], targets.front()),
                 last = distance(tries.back(), targets.front());
    EXPECT_GT(first, middle);
    EXPECT_GT(middle, 2 * last);
    EXPECT_EQ(targets.front(), targets.back());
}

TEST_F(DemoData, PicturesAndMeshesComeInTheNumberAsked) {
    const auto pictures =
        make({.points = 20, .now_ns = kLongAgo, .scene = DemoScene::Pictures}, "pictures");
    const auto run = pictures->run(pictures->runs()[0].id).value();
    EXPECT_EQ(run->entries("frames").value().size(), 20u);
    const auto meshes =
        make({.points = 500, .now_ns = kLongAgo, .scene = DemoScene::Meshes}, "meshes");
    EXPECT_EQ(meshes->run(meshes->runs()[0].id).value()->keys().size(), 40u);
}

}  // namespace
}  // namespace taffrail::cli
