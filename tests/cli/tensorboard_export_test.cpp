// Native runs as a logdir: every attempt, rank and end is found again.
#include "base/strings.h"
#include "cli/store_commands.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace taffrail::cli {
namespace {

using testing::HasSubstr;

class TensorboardExport : public StoreCommands {
  protected:
    void SetUp() override {
        StoreCommands::SetUp();
        logdir_ = io::join(folder_, "logs");
    }

    Outcome export_all(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> line{"export", root_, "-t", "tensorboard", "-o", logdir_};
        line.insert(line.end(), more.begin(), more.end());
        return run(line);
    }

    std::size_t points(const std::string& root) const {
        const std::string text = run({"export", root, "-t", "csv"}).out;
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }

    std::string logdir_;
};

TEST_F(TensorboardExport, TwiceIntoTheSameFolderIsRefused) {
    ASSERT_EQ(export_all().code, 0);
    const std::size_t once = points(logdir_);
    EXPECT_EQ(once, points(root_));
    const Outcome again = export_all();
    EXPECT_EQ(again.code, 1);
    EXPECT_THAT(again.errors, HasSubstr("name another folder"));
    EXPECT_EQ(points(logdir_), once);
}

TEST_F(TensorboardExport, TakesOnlyTheKeysAskedFor) {
    ASSERT_EQ(export_all({"--keys", "val/*"}).code, 0);
    const auto catalogue = read(logdir_).value();
    for (const RunInfo& info : catalogue->runs()) {
        for (const KeyInfo& key : catalogue->run(info.id).value()->keys()) {
            EXPECT_TRUE(key.key.starts_with("val/")) << key.key;
        }
    }
}

TEST_F(TensorboardExport, SaysWhatHasNoPlaceThere) {
    const Outcome outcome = export_all();
    EXPECT_THAT(outcome.errors, HasSubstr(names()[0] + ": left out"));
    EXPECT_THAT(outcome.errors, testing::ContainsRegex("[0-9]+ artifact"));
}

TEST_F(TensorboardExport, RunsEndWhenAndAsTheyEnded) {
    ASSERT_EQ(export_all().code, 0);
    const auto catalogue = read(logdir_).value();
    for (const auto& [name, info] : listed(root_)) {
        const auto copy = catalogue->run(name + "-" + info.string_or("id", "")).value()->info();
        const bool finished = info.string_or("state", "") == "finished";
        EXPECT_EQ(copy.state, finished ? RunState::Finished : RunState::Failed) << name;
        // Event files hold seconds as doubles.
        EXPECT_NEAR(static_cast<double>(copy.end_time_ns),
                    static_cast<double>(info.integer_or("end_time", 0)), 1e4)
            << name;
    }
}

// Without settings nothing used to mark the end, so that a fresh copy looked alive.
TEST_F(TensorboardExport, AFinishedRunWithoutSettingsIsNotRunning) {
    ASSERT_EQ(export_all({"--keys", "train/*"}).code, 0);
    for (const RunInfo& info : read(logdir_).value()->runs()) {
        EXPECT_TRUE(info.config.empty());
        EXPECT_NE(info.state, RunState::Running) << info.name;
    }
}

TEST_F(TensorboardExport, AttemptsBeginWithASessionMarkAndRanksHaveFolders) {
    const std::string store = io::join(folder_, "many");
    ASSERT_TRUE(generate_demo_runs(
                    store, {.runs = 9, .points = 50, .now_ns = kNow, .media = false, .seal = false})
                    .ok());
    ASSERT_EQ(run({"export", store, "-t", "tensorboard", "--attempts", "all", "-o", logdir_}).code,
              0);
    const auto originals = read(store).value(), copies = read(logdir_).value();
    bool any_resumed = false;
    for (const RunInfo& info : originals->runs()) {
        const auto original = originals->run(info.id).value();
        const auto copy = copies->run(info.name + "-" + info.id).value();
        EXPECT_EQ(copy->info().attempts, info.attempts) << info.name;
        if (info.attempts > 1) {
            any_resumed = true;
            const BinRequest request{.width = 1000};
            EXPECT_EQ(copy->bins("train/loss", request).value().points,
                      original->bins("train/loss", request).value().points);
        }
        bool has_second_rank = false;
        for (const KeyInfo& key : original->keys()) {
            for (const Point& point : key.kind == Kind::Scalar ? original->points(key.key).value()
                                                               : std::vector<Point>()) {
                has_second_rank = has_second_rank || point.rank == 1;
            }
        }
        EXPECT_EQ(copies->run(info.name + "-" + info.id + "/rank_1").ok(), has_second_rank);
    }
    EXPECT_TRUE(any_resumed);
}

}  // namespace
}  // namespace taffrail::cli
