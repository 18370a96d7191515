#include "sources/tensorboard/catalogue.h"

#include "base/clock.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace taffrail::sources::tensorboard {
namespace {

using testing::FileMaker;
using testing::fresh_folder;

std::vector<std::string> ids_of(const Catalogue& catalogue) {
    std::vector<std::string> ids;
    for (const RunInfo& info : catalogue.runs()) {
        ids.push_back(info.id);
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

TEST(Discovery, EveryFolderWithAnEventFileIsARun) {
    const std::string root = fresh_folder();
    FileMaker maker;
    maker.version();
    maker.save(root);
    maker.save(root + "/deep/er", "x.tfevents.bak");
    maker.save(root + "/with space/ünïcode #&?%");
    maker.save(root + "/named.tfevents.folder");
    maker.save(root + "/no_run", "notes.txt");
    const auto catalogue = open_logdir(root).value();
    EXPECT_EQ(ids_of(*catalogue), (std::vector<std::string>{".", "deep/er", "named.tfevents.folder",
                                                            "with space/ünïcode #&?%"}));
}

TEST(Discovery, SplitsNamesFromPaths) {
    const auto parts = split_spec("a:/x/y,/plain/path,b:rel:with,s3://bucket/k");
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_EQ(parts[0].name, "a");
    EXPECT_EQ(parts[0].path, "/x/y");
    EXPECT_EQ(parts[1].name, "");
    EXPECT_EQ(parts[2].path, "rel:with");
    EXPECT_EQ(parts[3].path, "s3://bucket/k");
}

TEST(Catalogue, RunsAppearAndVanish) {
    const std::string root = fresh_folder();
    FileMaker maker;
    maker.version().scalar("loss", 0, 1.0F);
    maker.save(root + "/a");
    const auto catalogue = open_logdir(root).value();
    EXPECT_EQ(ids_of(*catalogue), std::vector<std::string>{"a"});
    EXPECT_TRUE(catalogue->refresh().value().empty());
    maker.save(root + "/b");
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"b"});
    ASSERT_TRUE(io::remove_tree(root + "/a").ok());
    EXPECT_EQ(catalogue->refresh().value(), std::vector<std::string>{"a"});
    EXPECT_EQ(ids_of(*catalogue), std::vector<std::string>{"b"});
}

// Time alone changes a state; a page that is open must hear of it.
TEST(Catalogue, RefreshNamesRunsThatFellSilent) {
    const std::string root = fresh_folder();
    FileMaker maker;
    maker.wall = static_cast<double>(wall_time_ns()) / 1e9 - 10 * 60 + 0.5;
    maker.version().save(root + "/a");
    const auto catalogue = open_logdir(root).value();
    ASSERT_EQ(catalogue->runs().at(0).state, RunState::Running);
    EXPECT_TRUE(catalogue->refresh().value().empty());
    std::vector<std::string> changed;
    for (int turn = 0; turn < 500 && changed.empty(); ++turn) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        changed = catalogue->refresh().value();
    }
    EXPECT_EQ(changed, std::vector<std::string>{"a"});
    EXPECT_EQ(catalogue->runs().at(0).state, RunState::Idle);
    EXPECT_TRUE(catalogue->refresh().value().empty());
}

TEST(Catalogue, OpensByIdPrefixNameAndPath) {
    const std::string root = fresh_folder();
    FileMaker maker;
    maker.version();
    maker.save(root + "/alpha/one");
    maker.save(root + "/beta");
    const auto catalogue = open_logdir(root).value();
    EXPECT_TRUE(catalogue->run("alpha/one").ok());
    EXPECT_TRUE(catalogue->run("al").ok());
    EXPECT_TRUE(catalogue->run(root + "/beta/").ok());
    EXPECT_FALSE(catalogue->run("gamma").ok());
}

TEST(Catalogue, ProfilerTracesAreListedWithTheRunAbove) {
    const std::string root = fresh_folder();
    FileMaker maker;
    maker.version();
    maker.save(root + "/run");
    for (const char* path :
         {"/run/plugins/profile/2026/host.xplane.pb", "/torch/worker0.123.pt.trace.json"}) {
        ASSERT_TRUE(io::make_directories(io::parent(root + path)).ok());
        ASSERT_TRUE(io::write_file_atomically(root + path, as_bytes("{}"), false).ok());
    }
    const auto catalogue = open_logdir(root).value();
    EXPECT_EQ(ids_of(*catalogue), (std::vector<std::string>{"run", "torch"}));
    const auto run = catalogue->run("run").value();
    ASSERT_EQ(run->keys().size(), 1u);
    EXPECT_EQ(run->keys()[0].key, "profiler/profile/2026/host.xplane.pb");
    EXPECT_EQ(run->keys()[0].kind, Kind::Artifact);
    const auto entries =
        catalogue->run("torch").value()->entries("profiler/worker0.123.pt.trace.json").value();
    const auto& artifact = std::get<Artifact>(*entries[0].value);
    EXPECT_EQ(as_text(*catalogue->run("torch").value()->load(artifact.files[0].data.ref).value()),
              "{}");
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
