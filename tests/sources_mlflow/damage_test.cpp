// File stores of MLflow that are cut, changed or empty, and files that are none of its.
#include "../gathered_catalogue.h"
#include "../test_files.h"
#include "sources/mlflow/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace taffrail;
using testing::HasSubstr;

namespace {

constexpr const char* kMeta =
    "artifact_uri: file:///nowhere\nend_time: 1700000100000\nexperiment_id: '1'\n"
    "lifecycle_stage: active\nrun_id: r1\nrun_name: nice\nstart_time: 1700000000000\n"
    "status: 3\nuser_id: me\n";

class MlflowFiles : public testing::Test {
  protected:
    MlflowFiles() {
        folder_.write("mlruns/1/meta.yaml", "experiment_id: '1'\nname: demo\n");
        folder_.write("mlruns/1/r1/meta.yaml", kMeta);
        folder_.write("mlruns/1/r1/params/lr", "0.1");
        folder_.write("mlruns/1/r1/tags/team", "a");
        folder_.write("mlruns/1/r1/metrics/loss", lines(40));
        folder_.write("mlruns/1/r1/metrics/train/acc", lines(5));
    }

    static std::string lines(int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += std::to_string(1700000000000 + i) + " " + std::to_string(i * 0.5) + " " +
                    std::to_string(i) + "\n";
        }
        return text;
    }

    [[nodiscard]] std::unique_ptr<model::GatheredCatalogue> open() const {
        return test::opened([this] { return sources::mlflow::runs_of_folder(folder_ / "mlruns"); });
    }

    test::TestFolder folder_;
};

TEST_F(MlflowFiles, AMetricCutAnywhereGivesWhatIsWhole) {
    const std::string whole = lines(40);
    for (std::size_t length = 0; length <= whole.size(); length += 7) {
        const std::string cut = whole.substr(0, length);
        folder_.write("mlruns/1/r1/metrics/loss", cut);
        auto points = test::ask_all(*open()).at("nice");
        EXPECT_EQ(points["loss"], static_cast<std::size_t>(std::ranges::count(cut, '\n')));
        EXPECT_EQ(points["train/acc"], 5u);
    }
}

TEST_F(MlflowFiles, AChangedLineCostsItselfAndIsNamed) {
    const std::string whole = lines(40);
    for (std::size_t at = 0; at < whole.size(); at += 5) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x50);
        folder_.write("mlruns/1/r1/metrics/loss", broken);
        const auto catalogue = open();
        auto points = test::ask_all(*catalogue).at("nice");
        EXPECT_GE(points["loss"], 38u) << at;
        EXPECT_EQ(points["train/acc"], 5u);
    }
    folder_.write("mlruns/1/r1/metrics/loss", whole + "what is this\n1 2 3 4\n\n" + lines(2));
    const auto catalogue = open();
    EXPECT_EQ(test::ask_all(*catalogue).at("nice").at("loss"), 42u);
    const auto damage = catalogue->run("r1").value()->damage();
    ASSERT_FALSE(damage.empty());
    EXPECT_THAT(damage.front().file, HasSubstr("metrics/loss"));
}

TEST_F(MlflowFiles, ADescriptionCutAnywhereLeavesThePoints) {
    const std::string meta = kMeta;
    for (std::size_t length = 0; length <= meta.size(); length += 3) {
        folder_.write("mlruns/1/r1/meta.yaml", meta.substr(0, length));
        for (const auto& [name, points] : test::ask_all(*open())) {
            EXPECT_EQ(points.at("loss"), 40u) << length;
        }
    }
    for (std::size_t at = 0; at < meta.size(); at += 3) {
        std::string broken = meta;
        broken[at] = static_cast<char>(broken[at] ^ 0x83);
        folder_.write("mlruns/1/r1/meta.yaml", broken);
        for (const auto& [name, points] : test::ask_all(*open())) {
            EXPECT_EQ(points.at("loss"), 40u) << at;
        }
    }
}

TEST_F(MlflowFiles, EmptyAndForeignFilesHoldUpNobody) {
    folder_.write("mlruns/1/r1/metrics/empty", "");
    folder_.write("mlruns/1/r1/metrics/picture", std::string("\x89PNG\r\n\x1a\n\0\0\0", 11));
    folder_.write("mlruns/1/r1/params/empty", "");
    folder_.write("mlruns/1/r2/meta.yaml", "");
    folder_.write("mlruns/1/r3/metrics/loss", lines(3));
    folder_.write("mlruns/2/meta.yaml", "\0\0\0");
    folder_.write("mlruns/readme.txt", "a word");
    const auto points = test::ask_all(*open());
    EXPECT_EQ(points.at("nice").at("loss"), 40u);
}

}  // namespace
