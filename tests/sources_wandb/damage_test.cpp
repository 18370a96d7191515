// Files that are cut, changed, foreign or still growing, and folders that somebody else made.
#include "io/files.h"
#include "wandb_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace taffrail;
using namespace taffrail::formats::wandb;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

test::WandbFile long_file(int rows) {
    test::WandbFile file;
    file.run("r1", 500);
    for (int i = 0; i < rows; ++i) {
        file.row(i, i * 0.5);
    }
    return file;
}

std::size_t points(const test::TestFolder& folder) {
    const auto catalogue = test::open_folder(folder);
    std::size_t count = 0;
    for (const RunInfo& info : catalogue->runs()) {
        const auto found = catalogue->run(info.id).value()->points("loss");
        count += found.ok() ? found->size() : 0;
    }
    return count;
}

}  // namespace

TEST(WandbDamage, CutAnywhereGivesWhatIsWhole) {
    const test::TestFolder folder;
    const std::string text = long_file(60).text();
    std::size_t before = 0;
    for (std::size_t length = 0; length <= text.size(); length += length < 200 ? 1 : 17) {
        folder.write("run/run-r1.wandb", text.substr(0, length));
        const std::size_t found = points(folder);
        EXPECT_GE(found, before);
        before = found;
    }
    folder.write("run/run-r1.wandb", text);
    EXPECT_EQ(points(folder), 60u);
}

TEST(WandbDamage, AFlippedBitCostsOneBlock) {
    const std::string text = long_file(3000).text();
    for (std::size_t at = 40000; at < text.size(); at += 32768) {
        const test::TestFolder folder;
        std::string broken = text;
        broken[at] = static_cast<char>(broken[at] ^ 4);
        folder.write("run/run-r1.wandb", broken);
        const auto catalogue = test::open_folder(folder);
        const auto run = catalogue->run("r1").value();
        const std::size_t found = run->points("loss").value().size();
        EXPECT_LT(found, 3000u);
        EXPECT_GT(found, 2000u);
        EXPECT_FALSE(run->damage().empty());
    }
}

TEST(WandbDamage, ForeignFilesAreNamed) {
    const test::TestFolder folder;
    folder.write("a/run-a.wandb", "");
    folder.write("b/run-b.wandb", "not what it says");
    folder.write("c/run-c.wandb", std::string(":W&B\xE1\xBE\x01", 7));
    folder.write("d/run-d.wandb", long_file(3).text() + "rubbish behind it, as long as a chunk");
    const auto catalogue = test::open_folder(folder);
    ASSERT_EQ(catalogue->runs().size(), 1u);
    EXPECT_EQ(catalogue->unreadable().size(), 3u);
    EXPECT_EQ(catalogue->run("r1").value()->points("loss").value().size(), 3u);
}

TEST(WandbDamage, UnknownRecordsAndRecordsBehindTheEndAreTaken) {
    const test::TestFolder folder;
    test::WandbFile file;
    file.run("r1", 500).row(0, 1);
    Bytes unknown;
    ProtoWriter(unknown).text(28, "of a later version");
    file.add(unknown);
    file.add(encode_exit(1, 0, 1)).row(1, 2);
    file.add(Bytes(5, std::byte{0xFF}));  // no message at all
    folder.write("run/run-r1.wandb", file.text());
    const auto catalogue = test::open_folder(folder);
    const auto run = catalogue->run("r1").value();
    EXPECT_EQ(run->points("loss").value().size(), 2u);
    EXPECT_EQ(run->info().state, RunState::Finished);
    ASSERT_EQ(run->damage().size(), 1u);
    EXPECT_THAT(run->damage()[0].reason, HasSubstr("1 records"));
}

TEST(WandbDamage, SegmentsOfOneRunAreItsAttempts) {
    const test::TestFolder folder;
    test::WandbFile first, second;
    first.run("r1", 500).row(0, 0).row(1, 1).row(2, 2);
    second.run("r1", 900, true).row(2, 20).row(3, 30);
    folder.write("z/run-r1.wandb", first.text());
    folder.write("a/run-r1.wandb", second.text());  // the later one has the earlier name
    const auto catalogue = test::open_folder(folder);
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run("r1").value();
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->points("loss").value().size(), 5u);
    std::vector<double> winning;
    ASSERT_TRUE(run->visit_points("loss", Attempts::Winning,
                                  [&](std::span<const Point> some) {
                                      for (const Point& point : some) {
                                          winning.push_back(point.value);
                                      }
                                      return Result<void>();
                                  })
                    .ok());
    EXPECT_THAT(winning, ElementsAre(0, 1, 20, 30));
    EXPECT_EQ(run->bins("loss", {}).value().points, 4u);
    for (const KeyInfo& key : run->keys()) {
        EXPECT_EQ(key.scalar.last, 30);
    }
}

TEST(WandbDamage, AFileThatGrowsIsFollowed) {
    const test::TestFolder folder;
    const std::string text = long_file(10).text();
    folder.write("run/run-r1.wandb", text.substr(0, text.size() - 3));
    const auto catalogue = test::open_folder(folder);
    const auto run = catalogue->run("r1").value();
    EXPECT_EQ(run->points("loss").value().size(), 9u);
    EXPECT_EQ(run->info().state, RunState::Running);
    folder.write("run/run-r1.wandb", text);
    EXPECT_THAT(catalogue->refresh().value(), ElementsAre("r1"));
    EXPECT_EQ(run->points("loss").value().size(), 10u);
    EXPECT_TRUE(catalogue->refresh().value().empty());
    folder.write("other/run-r2.wandb", test::WandbFile().run("r2", 700).row(0, 1).text());
    EXPECT_THAT(catalogue->refresh().value(), testing::Contains("r2"));
    EXPECT_EQ(catalogue->runs().size(), 2u);
}

TEST(WandbDamage, NothingOutsideTheFolderIsRead) {
    const test::TestFolder folder;
    folder.write("secret.json", R"({"columns":["a"],"data":[["secret"]]})");
    test::WandbFile file;
    file.run("r1", 500);
    int number = 0;
    for (const std::string path :
         {"../../secret.json", "media/link.json", "/etc/passwd", "media/pipe"}) {
        HistoryRow row;
        row.add(item_prefix("tab" + std::to_string(number++)),
                R"({"_type":"table-file","path":")" + path + "\"}");
        file.add(row.encode(1, 0));
    }
    ArtifactDescription artifact;
    artifact.name = "stolen";
    artifact.files = {{"x", "", folder / "secret.json", 5}};
    file.add(encode_artifact(1, artifact));
    folder.write("runs/run/run-r1.wandb", file.text());
    folder.write("runs/run/files/media/x", "");
    ASSERT_EQ(::symlink((folder / "secret.json").c_str(),
                        (folder / "runs/run/files/media/link.json").c_str()),
              0);
    ASSERT_EQ(::mkfifo((folder / "runs/run/files/media/pipe").c_str(), 0600), 0);
    ASSERT_EQ(::symlink("..", (folder / "runs/run/around").c_str()), 0);
    const auto catalogue = sources::wandb::open_runs(folder / "runs").value();
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run("r1").value();
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(run->entries("tab" + std::to_string(i)).value().empty()) << i;
    }
    EXPECT_TRUE(std::get<Artifact>(*run->entries("stolen").value().at(0).value).files.empty());
    EXPECT_EQ(run->damage().size(), 5u);
}

// Small files that claim to be large.
TEST(WandbDamage, ClaimsCostNothing) {
    const test::TestFolder folder;
    test::WandbFile file;
    file.run("r1", 500);
    HistoryRow row;
    row.add(item_prefix("pictures"), R"({"_type":"images/separated","count":4000000000})");
    row.add(item_prefix("deep"), std::string(100000, '['));
    row.add(item_prefix("hist"), R"({"_type":"histogram","values":[1],"bins":[]})");
    row.add(item_prefix("_step"), "1e300");
    row.add(item_prefix("_timestamp"), "1e300");
    file.add(row.encode(1, INT64_MAX));
    file.row(0, 1);
    folder.write("run/run-r1.wandb", file.text());
    const auto catalogue = test::open_folder(folder);
    const auto run = catalogue->run("r1").value();
    for (const KeyInfo& key : run->keys()) {
        if (key.kind != Kind::Scalar) {
            EXPECT_TRUE(run->entries(key.key).value().empty()) << key.key;
        }
    }
    EXPECT_FALSE(run->damage().empty());
}
