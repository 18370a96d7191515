// Queues of the older client.
#include "../test_files.h"
#include "sources/neptune/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

using namespace taffrail;
using testing::ElementsAre;

namespace {

std::shared_ptr<model::GatheredCatalogue> open(const test::TestFolder& folder) {
    auto catalogue = std::make_shared<model::GatheredCatalogue>(
        [path = folder.path()] { return sources::neptune::find_runs(path); });
    EXPECT_TRUE(catalogue->refresh().ok());
    return catalogue;
}

constexpr const char* kFolder = ".neptune/offline/run__x__1__abcdefgh";

std::string floats(int first, int count) {
    std::string text;
    for (int i = first; i < first + count; ++i) {
        text +=
            R"({"obj": {"type": "LogFloats", "path": ["train", "loss"], "values": [{"value": )" +
            (i == 2 ? std::string("NaN") : std::to_string(i) + ".5") + R"(, "step": )" +
            std::to_string(i) + R"(, "ts": 1700000000.5}]}, "version": )" + std::to_string(i) +
            R"(, "at": 1700000000.5})" + "\n";
    }
    return text;
}

}  // namespace

TEST(NeptuneQueue, IsARun) {
    const test::TestFolder folder;
    const std::string queue = kFolder;
    folder.write(queue + "/metadata.json",
                 R"({"mode":"offline","customId":"my run","neptuneClientVersion":"1.14.0"})");
    folder.write(queue + "/data-10.log", floats(10, 3));
    folder.write(
        queue + "/data-1.log",
        R"({"obj": {"type": "AssignString", "path": ["sys", "name"], "value": "nice"}, "version": 1, "at": 1700000000})" +
            std::string("\n") +
            R"({"obj": {"type": "AssignFloat", "path": ["lr"], "value": 0.1}, "version": 2})" +
            "\n" +
            R"({"obj": {"type": "AddStrings", "path": ["sys", "tags"], "values": ["a", "b"]}, "version": 3})" +
            "\n" + floats(0, 5));
    const auto catalogue = open(folder);
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run("my run").value();
    EXPECT_EQ(run->info().name, "nice");
    EXPECT_THAT(run->info().tags, ElementsAre("a", "b"));
    EXPECT_EQ(std::get<double>(run->info().config.at(0).second), 0.1);
    const auto points = run->points("train/loss").value();
    ASSERT_EQ(points.size(), 8u);
    EXPECT_TRUE(std::isnan(points[2].value));
    EXPECT_EQ(points[5].step, 10);
    EXPECT_TRUE(run->damage().empty());
    // The client writes no end: a queue of old is silent, not crashed.
    EXPECT_EQ(run->info().state, RunState::Idle);
}

TEST(NeptuneQueue, AFailureIsTold) {
    const test::TestFolder folder;
    folder.write(std::string(kFolder) + "/metadata.json", R"({"customId":"my run"})");
    folder.write(
        std::string(kFolder) + "/data-1.log",
        floats(0, 2) +
            R"({"obj": {"type": "AssignBool", "path": ["sys", "failed"], "value": true}, "version": 9})" +
            "\n");
    EXPECT_EQ(open(folder)->run("my run").value()->info().state, RunState::Failed);
}

TEST(NeptuneQueue, FractionalStepsAreScaledAndTheFactorIsKept) {
    const test::TestFolder folder;
    folder.write(std::string(kFolder) + "/metadata.json", "{}");
    folder.write(
        std::string(kFolder) + "/data-1.log",
        R"({"obj": {"type": "LogFloats", "path": ["a"], "values": [{"value": 1, "step": 0.5, "ts": 1}, {"value": 2, "step": 2, "ts": 2}]}, "version": 1})");
    const auto catalogue = open(folder);
    const auto run = catalogue->run(catalogue->runs().at(0).id).value();
    const auto points = run->points("a").value();
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].step, 5);
    EXPECT_EQ(points[1].step, 20);
}

TEST(NeptuneQueue, CutAnywhereGivesWhatIsWhole) {
    const std::string text = floats(0, 10);
    std::size_t before = 0;
    for (std::size_t length = 1; length <= text.size(); length += 11) {
        const test::TestFolder folder;
        folder.write(std::string(kFolder) + "/metadata.json", "{}");
        folder.write(std::string(kFolder) + "/data-1.log", text.substr(0, length));
        const auto catalogue = open(folder);
        ASSERT_EQ(catalogue->runs().size(), 1u);
        const auto run = catalogue->run(catalogue->runs()[0].id).value();
        const auto points = run->points("train/loss");
        const std::size_t found = points.ok() ? points->size() : 0;
        EXPECT_GE(found, before);
        before = found;
    }
    EXPECT_GE(before, 9u);
}

TEST(NeptuneQueue, FilesOutsideAreNamedNotOpened) {
    const test::TestFolder folder;
    folder.write("secret.txt", "secret");
    folder.write(std::string(kFolder) + "/metadata.json", "{}");
    folder.write(std::string(kFolder) + "/upload_path/ok.txt", "fine");
    ASSERT_EQ(::symlink((folder / "secret.txt").c_str(),
                        (folder / (std::string(kFolder) + "/upload_path/link.txt")).c_str()),
              0);
    std::string text;
    for (const std::string name : {"ok.txt", "link.txt", "../../../../secret.txt"}) {
        text += R"({"obj": {"type": "UploadFile", "path": ["f)" + std::to_string(text.size()) +
                R"("], "ext": "txt", "file_path": "/x", "tmp_file_name": ")" + name +
                R"("}, "version": 1})" + "\n";
    }
    folder.write(std::string(kFolder) + "/data-1.log", text);
    const auto catalogue = open(folder);
    const auto run = catalogue->run(catalogue->runs().at(0).id).value();
    EXPECT_EQ(run->keys().size(), 1u);
    EXPECT_EQ(run->damage().size(), 2u);
}
