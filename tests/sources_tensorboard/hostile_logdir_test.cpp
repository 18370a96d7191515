// Logdirs that somebody else made, on a real file system: pipes, devices, links that go in circles
// or out, and small files that claim to be large.
#include "io/temporary_folder.h"
#include "sources/tensorboard/catalogue.h"
#include "sources/tensorboard/discovery.h"
#include "sources/tensorboard/projector.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace taffrail::sources::tensorboard {
namespace {

class HostileLogdir : public ::testing::Test {
  protected:
    void SetUp() override {
        logdir_ = temporary_.file("logs");
        testing::FileMaker().version().scalar("loss", 1, 0.5F).save(at("a"));
        testing::FileMaker().version().scalar("loss", 1, 0.5F).save(temporary_.file("outside"));
        put(temporary_.file("secret.tsv"), "1\t2\n");
    }

    std::string at(const std::string& name) { return io::join(logdir_, name); }

    static void put(const std::string& path, std::string_view text) {
        ASSERT_TRUE(io::write_file_atomically(path, as_bytes(text), false).ok());
    }

    static void link(const std::string& to, const std::string& path) {
        ASSERT_EQ(symlink(to.c_str(), path.c_str()), 0);
    }

    std::vector<std::string> ids() {
        std::vector<std::string> found;
        for (const FoundRun& run : discover(logdir_)) {
            found.push_back(run.id);
        }
        return found;
    }

    test::TemporaryFolder temporary_;
    std::string logdir_;
};

TEST_F(HostileLogdir, FindingS13_EachFolderIsOneRunHoweverManyLinksLeadToIt) {
    testing::FileMaker().version().save(at("z/deep"));
    link(".", at("loop"));
    link("..", at("a/up"));
    link("z", at("latest"));  // before z by name, and still z is called z
    link("../z/deep", at("a/x"));
    link(temporary_.file("outside"), at("linked"));  // a whole folder from elsewhere
    link(at("linked"), temporary_.file("outside/back"));
    EXPECT_EQ(ids(), (std::vector<std::string>{"a", "linked", "z/deep"}));
    EXPECT_TRUE(holds_event_files(logdir_));
    ASSERT_TRUE(io::remove_tree(at("a")).ok());
    ASSERT_TRUE(io::remove_tree(at("linked")).ok());
    ASSERT_TRUE(io::remove_tree(at("z")).ok());
    EXPECT_FALSE(holds_event_files(logdir_));
}

TEST_F(HostileLogdir, FindingS12_PipesDevicesAndLinksOutOfARunAreNotRead) {
    ASSERT_EQ(mkfifo(at("a/events.out.tfevents.9.pipe").c_str(), 0600), 0);
    link("/dev/zero", at("a/events.out.tfevents.8.zero"));
    link(temporary_.file("outside/events.out.tfevents.1.host.1.0"),
         at("a/events.out.tfevents.7.out"));
    link(temporary_.file("secret.tsv"), at("a/x.pt.trace.json"));
    ASSERT_TRUE(io::make_directories(at("a/plugins/profile")).ok());
    link(temporary_.path(), at("a/plugins/profile/all"));
    link(temporary_.file("secret.tsv"), at("a/plugins/profile/one.pb"));
    const auto runs = discover(logdir_);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].event_files.size(), 1u);
    EXPECT_TRUE(runs[0].side_files.empty());
    const auto run = open_logdir(logdir_).value()->run("a").value();
    EXPECT_EQ(run->points("loss").value().size(), 1u);
}

TEST_F(HostileLogdir, FindingS12_WhatAProjectorNamesMustBeAFileInItsFolder) {
    put(at("a/vectors.tsv"), "1\t2\n3\t4\n");
    ProjectorEmbedding embedding;
    embedding.folder = at("a");
    embedding.tensor_path = "vectors.tsv";
    ASSERT_EQ(mkfifo(at("a/pipe").c_str(), 0600), 0);
    link("/dev/zero", at("a/zero"));
    link(temporary_.file("secret.tsv"), at("a/out"));
    for (const char* path : {"pipe", "zero", "out"}) {
        embedding.metadata_path = embedding.sprite_path = path;
        embedding.sprite_size = {1, 1};
        const auto read = read_embedding(embedding);
        ASSERT_TRUE(read) << path;
        EXPECT_TRUE(read->metadata.rows.empty()) << path;
        EXPECT_EQ(read->sprite.bytes, nullptr) << path;
        embedding.tensor_path = path;
        EXPECT_FALSE(read_embedding(embedding)) << path;
        embedding.tensor_path = "vectors.tsv";
    }
}

// 8,000 names in the first line and 8,000 lines of one letter would be 64 million cells.
TEST_F(HostileLogdir, FindingS16_ATableHasNoMoreCellsThanItsText) {
    std::string vectors, header, lines;
    for (int i = 0; i < 8000; ++i) {
        vectors += "1\n";
        header += "n\t";
        lines += "x\n";
    }
    put(at("a/vectors.tsv"), vectors);
    put(at("a/metadata.tsv"), header + "n\n" + lines);
    ProjectorEmbedding embedding;
    embedding.folder = at("a");
    embedding.tensor_path = "vectors.tsv";
    embedding.metadata_path = "metadata.tsv";
    const auto read = read_embedding(embedding);
    ASSERT_TRUE(read);
    std::size_t cells = 0;
    for (const auto& row : read->metadata.rows) {
        cells += row.size();
    }
    EXPECT_LE(cells, header.size() + lines.size());
    put(at("a/vectors.tsv"), "1\n2\n");
    put(at("a/metadata.tsv"), "one\ttwo\na\tb\nc\td");
    EXPECT_EQ(read_embedding(embedding)->metadata.columns,
              (std::vector<std::string>{"one", "two"}));
}

TEST_F(HostileLogdir, FindingS16_MeshesWithoutPointsAreNone) {
    testing::FileMaker file;
    file.version();
    for (const EncodedValue& part : encode_mesh("shape", {.batch = 1 << 20, .vertex_count = 0})) {
        file.value(part, 1);
    }
    file.save(at("m"));
    const auto run = open_logdir(logdir_).value()->run("m").value();
    for (const KeyInfo& key : run->keys()) {
        const auto entries = run->entries(key.key);
        EXPECT_TRUE(!entries.ok() || entries->size() < 10) << key.key;
    }
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
