#include "sources/tensorboard/run.h"

#include "base/clock.h"
#include "codec/formats/tensorboard/hparams.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "sources/tensorboard/catalogue.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>

#include <array>

namespace taffrail::sources::tensorboard {
namespace {

using testing::FileMaker;
using testing::fresh_folder;

const std::string kFirst = "events.out.tfevents.1.host.1.0",
                  kSecond = "events.out.tfevents.2.host.1.0";

std::shared_ptr<RecordedRun> open_only_run(const std::string& folder) {
    return open_logdir(folder).value()->run(".").value();
}

std::vector<Step> steps_of(const std::vector<Point>& points) {
    std::vector<Step> steps;
    for (const Point& point : points) {
        steps.push_back(point.step);
    }
    return steps;
}

TEST(TensorboardRun, KeepsEveryPointInLogOrder) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    maker.version();
    for (int i = 0; i < 3000; ++i) {
        maker.scalar("loss", i, static_cast<float>(i) / 8);
    }
    maker.save(folder);
    const auto run = open_only_run(folder);
    const auto points = run->points("loss").value();
    ASSERT_EQ(points.size(), 3000u);
    EXPECT_EQ(points[1234].step, 1234);
    EXPECT_EQ(points[1234].value, 1234.0 / 8);
    EXPECT_EQ(points[4].time_ns, 1001'000'000'000);
    EXPECT_EQ(run->keys().front().scalar.max, 2999.0 / 8);
    EXPECT_EQ(run->points("nothing").error().code, ErrorCode::NotFound);
}

TEST(TensorboardRun, BinsShowTrueExtremes) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    for (int i = 0; i < 10'000; ++i) {
        maker.scalar("loss", i, i == 7777 ? 100.0F : 1.0F);
    }
    maker.save(folder);
    const Bins bins = open_only_run(folder)->bins("loss", {.width = 50}).value();
    EXPECT_EQ(bins.points, 10'000u);
    EXPECT_EQ(*std::max_element(bins.max.begin(), bins.max.end()), 100.0);
}

TEST(TensorboardRun, SecondSessionStartBeginsAnAttemptAndWins) {
    const std::string folder = fresh_folder();
    FileMaker first, second;
    first.version().start(0);
    second.version().start(50);
    for (int i = 0; i <= 100; ++i) {
        first.scalar("loss", i, 1.0F);
        second.scalar("loss", i + 50, 2.0F);
    }
    first.save(folder, kFirst);
    second.save(folder, kSecond);
    const auto run = open_only_run(folder);
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->points("loss").value().size(), 202u) << "old points stay";
    const Bins winners = run->bins("loss", {.width = 1000}).value();
    EXPECT_EQ(winners.points, 151u);
    const Bins old = run->bins("loss", {.width = 1000, .attempt = 0}).value();
    EXPECT_EQ(old.points, 101u);
}

TEST(TensorboardRun, FileThatGoesBackWithoutAMarkIsAResumeToo) {
    const std::string folder = fresh_folder();
    FileMaker first, second;
    for (int i = 0; i < 10; ++i) {
        first.scalar("loss", i, 1.0F);
        second.scalar("loss", i + 5, 2.0F);
    }
    first.save(folder, kFirst);
    second.save(folder, kSecond);
    const auto run = open_only_run(folder);
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->bins("loss", {.width = 100}).value().points, 15u);
}

TEST(TensorboardRun, GrowsAsItsFileGrows) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    maker.version().scalar("loss", 0, 1.0F);
    const Bytes half = maker.bytes;
    maker.scalar("loss", 1, 2.0F).scalar("loss", 2, 3.0F);
    const Bytes all = maker.bytes;
    // Every cut between: a record is either there or not yet.
    for (std::size_t size = half.size(); size < all.size(); size += 7) {
        maker.bytes.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
        maker.save(folder);
        const auto run = open_only_run(folder);
        const std::uint64_t before = run->revision();
        EXPECT_FALSE(run->refresh().value());
        EXPECT_EQ(run->revision(), before);
        maker.bytes = all;
        maker.save(folder);
        EXPECT_TRUE(run->refresh().value());
        EXPECT_EQ(steps_of(run->points("loss").value()), (std::vector<Step>{0, 1, 2})) << size;
        EXPECT_TRUE(run->damage().empty());
    }
}

TEST(TensorboardRun, ZeroFilledTailIsReadOnceItIsFilled) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    maker.version().scalar("loss", 0, 1.0F);
    Bytes padded = maker.bytes;
    maker.scalar("loss", 1, 2.0F);
    const Bytes filled = maker.bytes;
    padded.resize(filled.size());
    maker.bytes = padded;
    maker.save(folder);
    const auto run = open_only_run(folder);
    EXPECT_EQ(run->points("loss").value().size(), 1u);
    maker.bytes = filled;
    maker.save(folder);
    EXPECT_TRUE(run->refresh().value());
    EXPECT_EQ(run->points("loss").value().size(), 2u);
    EXPECT_TRUE(run->damage().empty());
}

TEST(TensorboardRun, ReplacedFileIsReadAnew) {
    const std::string folder = fresh_folder();
    FileMaker().version().scalar("loss", 0, 1.0F).scalar("loss", 1, 1.0F).save(folder);
    const auto run = open_only_run(folder);
    FileMaker().version().scalar("other", 0, 5.0F).save(folder);
    EXPECT_TRUE(run->refresh().value());
    EXPECT_FALSE(run->points("loss").ok());
    EXPECT_EQ(run->points("other").value().size(), 1u);
}

TEST(TensorboardRun, DamageIsStatedAndNothingElseIsLost) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    maker.version().scalar("loss", 0, 1.0F);
    const std::size_t at = maker.bytes.size();
    maker.raw(Bytes(40))
        .scalar("loss", 1, 2.0F)
        .payload("no event at all")
        .scalar("loss", 2, 3.0F)
        .save(folder);
    const auto run = open_only_run(folder);
    EXPECT_EQ(run->points("loss").value().size(), 3u);
    const auto damage = run->damage();
    ASSERT_EQ(damage.size(), 2u);
    EXPECT_EQ(damage[0].offset, at);
    EXPECT_EQ(damage[0].length, 40u);
    EXPECT_FALSE(run->info().message.empty());
}

TEST(TensorboardRun, PicturesAreReadOnDemandFromTheirPlace) {
    const std::string folder = fresh_folder();
    const ByteSpan picture = as_bytes("\x89PNG and more");
    FileMaker maker;
    maker.version().value(encode_pictures("recon", 2, 3, {&picture, 1}), 7);
    maker.value(encode_pictures("recon", 2, 3, {&picture, 1}), 8, false).save(folder);
    const auto run = open_only_run(folder);
    const auto entries = run->entries("recon").value();
    ASSERT_EQ(entries.size(), 2u);
    const auto& image = std::get<Image>(*entries[1].value);
    EXPECT_EQ(entries[1].step, 8);
    EXPECT_FALSE(image.images[0].bytes) << "not read before it is asked for";
    EXPECT_EQ(as_text(*run->load(image.images[0].ref).value()), as_text(picture));
}

TEST(TensorboardRun, MeshPartsBecomeOneMesh) {
    const std::string folder = fresh_folder();
    const std::array<float, 9> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::array<std::int32_t, 3> faces{0, 1, 2};
    const std::array<std::uint8_t, 9> colors{1, 2, 3, 4, 5, 6, 7, 8, 9};
    FileMaker maker;
    for (const EncodedValue& part : encode_mesh("shape", {.batch = 1,
                                                          .vertex_count = 3,
                                                          .face_count = 1,
                                                          .vertices = vertices,
                                                          .faces = faces,
                                                          .colors = colors,
                                                          .config_json = R"({"camera": {}})"})) {
        maker.value(part, 4);
    }
    maker.save(folder);
    const auto run = open_only_run(folder);
    ASSERT_EQ(run->keys().size(), 1u);
    const auto entries = run->entries("shape").value();
    ASSERT_EQ(entries.size(), 1u);
    const auto& mesh = std::get<Mesh>(*entries[0].value);
    EXPECT_EQ(mesh.vertices, 3);
    EXPECT_EQ(mesh.faces, 1);
    EXPECT_TRUE(mesh.has_colors);
    EXPECT_EQ(mesh.config_json, R"({"camera": {}})");
    const auto bytes = run->load(mesh.data.ref).value();
    ASSERT_EQ(bytes->size(), 36u + 12u + 9u);
    EXPECT_EQ(taffrail::load<float>(bytes->data() + 12), 1.0F);
    EXPECT_EQ(taffrail::load<std::uint32_t>(bytes->data() + 44), 2u);
}

TEST(TensorboardRun, HparamsBecomeConfigAndEndBecomesState) {
    const std::string folder = fresh_folder();
    const Hparams hparams{{"lr", 0.5}, {"name", std::string("x")}};
    FileMaker maker;
    maker.version().value(encode_hparams(kSessionStartTag, encode_session_start(hparams, "g", 1)),
                          0);
    maker.value(encode_hparams(kSessionEndTag, encode_session_end(RunState::Failed, 2)), 0)
        .save(folder);
    const RunInfo info = open_only_run(folder)->info();
    EXPECT_EQ(info.config, hparams);
    EXPECT_EQ(info.group, "g");
    EXPECT_EQ(info.state, RunState::Failed);
}

double minutes_ago(double minutes) {
    return static_cast<double>(wall_time_ns()) / 1e9 - minutes * 60;
}

// Event files have no end mark: a run is running while they grow, and nobody knows afterwards.
TEST(TensorboardRun, IsRunningWhileItsFilesMoveAndIdleAfterwards) {
    const test::TemporaryFolder folder;
    FileMaker maker;
    maker.wall = minutes_ago(1);
    maker.version().scalar("loss", 0, 1.0F).save(folder.file("logs"), "events.out.tfevents.1");
    EXPECT_EQ(open_only_run(folder.file("logs"))->info().state, RunState::Running);
    ASSERT_TRUE(io::set_modified(folder.file("logs/events.out.tfevents.1"),
                                 static_cast<std::int64_t>(minutes_ago(11) * 1e9))
                    .ok());
    EXPECT_EQ(open_only_run(folder.file("logs"))->info().state, RunState::Idle);
}

// Copied or cloned, every file is new; what it says is not.
TEST(TensorboardRun, IsIdleWhenOldRecordsLieInNewFiles) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    maker.wall = minutes_ago(60 * 24 * 400);
    maker.version().scalar("loss", 0, 1.0F).save(folder);
    EXPECT_EQ(open_only_run(folder)->info().state, RunState::Idle);
}

TEST(TensorboardRun, TagOfTwoKindsShowsBoth) {
    const std::string folder = fresh_folder();
    const ByteSpan picture = as_bytes("\x89PNG");
    FileMaker maker;
    maker.scalar("x", 0, 1.0F).value(encode_pictures("x", 1, 1, {&picture, 1}), 1).save(folder);
    const auto run = open_only_run(folder);
    const auto keys = run->keys();
    ASSERT_EQ(keys.size(), 2u);
    EXPECT_EQ(keys[0].kind, Kind::Scalar);
    EXPECT_EQ(keys[1].kind, Kind::Image);
    EXPECT_EQ(run->points("x").value().size(), 1u);
    EXPECT_EQ(run->entries("x").value().size(), 1u);
}

TEST(TensorboardRun, MetadataThatComesLateStillCounts) {
    const std::string folder = fresh_folder();
    Histogram histogram;
    histogram.edges = {0, 1};
    histogram.counts = {3};
    FileMaker maker;
    maker.value(encode_histogram("h", histogram), 0, false)
        .value(encode_histogram("h", histogram), 1, true)
        .save(folder);
    const auto keys = open_only_run(folder)->keys();
    ASSERT_EQ(keys.size(), 1u);
    EXPECT_EQ(keys[0].kind, Kind::Histogram);
    EXPECT_EQ(keys[0].count, 2u);
}

TEST(TensorboardRun, ForEachGivesEveryRecord) {
    const std::string folder = fresh_folder();
    FileMaker maker;
    maker.version()
        .scalar("a", 0, 1.0F)
        .value(encode_text("note", {.text = "hello"}), 1)
        .scalar("a", 2, 2.0F)
        .save(folder);
    std::vector<std::string> seen;
    ASSERT_TRUE(open_only_run(folder)
                    ->for_each([&](const Record& record) {
                        seen.push_back(std::string(record.key) + "@" + std::to_string(record.step));
                        if (record.kind == Kind::Text) {
                            EXPECT_EQ(std::get<Text>(*record.value).text, "hello");
                        }
                        return true;
                    })
                    .ok());
    EXPECT_EQ(seen, (std::vector<std::string>{"a@0", "note@1", "a@2"}));
}

}  // namespace
}  // namespace taffrail::sources::tensorboard
