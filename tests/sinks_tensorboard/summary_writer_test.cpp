#include <taffrail/summary_writer.h>

#include "sources/tensorboard/catalogue.h"
#include "sources_tensorboard/logdir.h"
#include "test_files.h"
#include "without_threads.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>

namespace taffrail::sinks::tensorboard {

using namespace sources::tensorboard;

namespace {

using testing::fresh_folder;

std::shared_ptr<RecordedRun> read_run(const std::string& folder, std::string_view id = ".") {
    return open_logdir(folder).value()->run(id).value();
}

TEST(SummaryWriter, WithoutAThreadItSaysSoAndThrowsNothing) {
    const test::TestFolder folder;
    EXPECT_EQ(test::as_a_user(folder.path(),
                              [&] {
                                  test::forbid_threads();
                                  SummaryWriter writer({.log_dir = folder / "logs"});
                                  writer.add_scalar("loss", 1, 0);
                                  return writer.check().ok() || writer.close().ok() ? 1 : 0;
                              }),
              0);
}

TEST(SummaryWriter, EveryScalarArrivesFromEightThreads) {
    const std::string folder = fresh_folder();
    constexpr int kThreads = 8, kEach = 5000;
    {
        SummaryWriter writer({.log_dir = folder});
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < kThreads; ++thread) {
            threads.emplace_back([&writer, thread] {
                for (int i = 0; i < kEach; ++i) {
                    writer.add_scalar("t/" + std::to_string(thread), i, i);
                }
            });
        }
        threads.clear();
        ASSERT_TRUE(writer.close().ok());
    }
    const auto run = read_run(folder);
    EXPECT_TRUE(run->damage().empty());
    for (int thread = 0; thread < kThreads; ++thread) {
        const auto points = run->points("t/" + std::to_string(thread)).value();
        ASSERT_EQ(points.size(), static_cast<std::size_t>(kEach));
        for (int i = 0; i < kEach; ++i) {
            ASSERT_EQ(points[static_cast<std::size_t>(i)].step, i);
        }
    }
}

TEST(SummaryWriter, FlushMakesEverythingVisible) {
    const std::string folder = fresh_folder();
    SummaryWriter writer({.log_dir = folder, .max_queue = 1000});
    for (int i = 0; i < 5; ++i) {
        writer.add_scalar("loss", i, i, 100.0 + i);
        ASSERT_TRUE(writer.flush().ok());
        EXPECT_EQ(read_run(folder)->points("loss").value().size(), static_cast<std::size_t>(i + 1));
    }
}

TEST(SummaryWriter, DefaultsAreTenEventsOrTwoMinutes) {
    EXPECT_EQ(SummaryWriterOptions().max_queue, 10u);
    EXPECT_EQ(SummaryWriterOptions().flush_secs, 120.0);
}

// The clock alone: one event, far from max_queue, is in the file soon after flush_secs.
TEST(SummaryWriter, WritesAfterFlushSecsWithoutBeingAsked) {
    const std::string folder = fresh_folder();
    SummaryWriter writer({.log_dir = folder, .max_queue = 1000, .flush_secs = 0.05});
    writer.add_scalar("loss", 0, 0);
    ASSERT_TRUE(writer.flush().ok());
    writer.add_scalar("loss", 1, 1);
    std::size_t seen = 0;
    for (int tries = 0; tries < 1000 && seen < 2; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        seen = read_run(folder)->points("loss").value().size();
    }
    EXPECT_EQ(seen, 2u);
}

// Nobody calls flush here: the tenth pending event does it.
TEST(SummaryWriter, WritesAtMaxQueueWithoutBeingAsked) {
    const std::string folder = fresh_folder();
    SummaryWriter writer({.log_dir = folder, .max_queue = 10, .flush_secs = 3600});
    for (int i = 0; i < 25; ++i) {
        writer.add_scalar("loss", i, i);
    }
    std::size_t seen = 0;
    for (int tries = 0; tries < 1000 && seen < 20; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        const auto points = read_run(folder)->points("loss");
        seen = points.ok() ? points->size() : 0;
    }
    EXPECT_GE(seen, 20u);
}

TEST(SummaryWriter, QueueOfOneShowsEveryEventAtOnce) {
    const std::string folder = fresh_folder();
    SummaryWriter writer({.log_dir = folder, .max_queue = 1, .flush_secs = 3600});
    for (std::size_t i = 0; i < 5; ++i) {
        writer.add_scalar("loss", 1, static_cast<Step>(i));
        std::size_t seen = 0;
        for (int tries = 0; tries < 1000 && seen <= i; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            const auto points = read_run(folder)->points("loss");
            seen = points.ok() ? points->size() : 0;
        }
        ASSERT_EQ(seen, i + 1);
    }
}

// Beyond the first event a queue of a hundred waits for a hundred.
TEST(SummaryWriter, LargerQueueWritesLessOften) {
    const std::string folder = fresh_folder();
    SummaryWriter writer({.log_dir = folder, .max_queue = 100, .flush_secs = 3600});
    writer.add_scalar("loss", 1, 0);
    ASSERT_TRUE(writer.flush().ok());
    for (Step step = 1; step < 100; ++step) {
        writer.add_scalar("loss", 1, step);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_EQ(read_run(folder)->points("loss").value().size(), 1u);
    writer.add_scalar("loss", 1, 100);
    std::size_t seen = 0;
    for (int tries = 0; tries < 1000 && seen < 101; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        seen = read_run(folder)->points("loss").value().size();
    }
    EXPECT_EQ(seen, 101u);
}

TEST(SummaryWriter, CallsAfterCloseAreCountedNotCrashed) {
    SummaryWriter writer({.log_dir = fresh_folder()});
    ASSERT_TRUE(writer.close().ok());
    writer.add_scalar("late", 1);
    writer.add_text("late", "x");
    EXPECT_EQ(writer.check().error().code, ErrorCode::Closed);
}

TEST(SummaryWriter, FolderThatCannotBeMadeIsSaidOnce) {
    SummaryWriter writer({.log_dir = "/proc/no/such/place"});
    writer.add_scalar("loss", 1);
    EXPECT_FALSE(writer.check().ok());
    EXPECT_FALSE(writer.flush().ok());
}

TEST(SummaryWriter, ScalarsOfOneChartGoToRunsBelow) {
    const std::string folder = fresh_folder();
    {
        SummaryWriter writer({.log_dir = folder});
        writer.add_scalars("run_14h/x", {{"sin", 0.5}, {"cos", 0.25}}, 3);
    }
    EXPECT_EQ(read_run(folder, "run_14h_x_sin")->points("run_14h/x").value()[0].value, 0.5);
    EXPECT_EQ(read_run(folder, "run_14h_x_cos")->points("run_14h/x").value()[0].value, 0.25);
}

TEST(SummaryWriter, EveryKindReadsBack) {
    const std::string folder = fresh_folder();
    std::vector<std::uint8_t> pixels(4 * 5 * 3, 100);
    std::vector<std::uint8_t> frames(3 * 4 * 5 * 3, 50);
    std::vector<float> samples(100, 0.25F), vectors(12, 0.7F);
    const std::array<float, 6> vertices{0, 0, 0, 1, 1, 1};
    const std::array<std::uint8_t, 4> labels{1, 0, 1, 0};
    const std::array<double, 4> predictions{0.9, 0.8, 0.4, 0.1};
    {
        SummaryWriter writer({.log_dir = folder});
        const ImageView image{.pixels = TensorView(pixels.data(), DType::U8, {4, 5, 3}),
                              .layout = Layout::Hwc};
        writer.add_image("image", image, 1);
        const std::array<ImageBox, 1> boxes{ImageBox{.left = 1, .top = 1, .right = 3, .bottom = 2}};
        writer.add_image_with_boxes("boxes", image, boxes, 1);
        writer.add_video("video",
                         {.frames = TensorView(frames.data(), DType::U8, {3, 4, 5, 3}),
                          .layout = Layout::Hwc,
                          .frames_per_second = 4},
                         1);
        writer.add_audio("audio", {.samples = TensorView(samples), .sample_rate = 8000}, 1);
        writer.add_text("text", "words", 1);
        writer.add_histogram("histogram", TensorView(samples), 1);
        writer.add_mesh("mesh", {.vertices = vertices}, 1);
        writer.add_pr_curve("pr", labels, predictions, 1);
        writer.add_graph({.nodes = {{.name = "a",
                                     .op = "Add",
                                     .inputs = {},
                                     .output_shape = {},
                                     .parameters = 0,
                                     .device = {},
                                     .attributes = {}}}});
        writer.add_embedding(TensorView(vectors.data(), DType::F32, {4, 3}), nullptr, nullptr, 2);
        writer.add_tensor("tensor", TensorView(vectors.data(), DType::F32, {4, 3}), 1);
        writer.add_hparams({{"lr", 0.5}}, {{"accuracy", 0.75}});
        writer.add_custom_scalars_multilinechart({"a", "b"}, "c", "t");
        const auto closed = writer.close();
        ASSERT_TRUE(closed.ok()) << closed.error().message;
    }
    const auto run = read_run(folder);
    std::map<std::string, Kind> kinds;
    for (const KeyInfo& key : run->keys()) {
        kinds[key.key] = key.kind;
    }
    const std::map<std::string, Kind> expected{{"image", Kind::Image},
                                               {"boxes", Kind::Image},
                                               {"video", Kind::Video},
                                               {"audio", Kind::Audio},
                                               {"text/text_summary", Kind::Text},
                                               {"histogram", Kind::Histogram},
                                               {"mesh", Kind::Mesh},
                                               {"pr", Kind::PrCurve},
                                               {"graph", Kind::Graph},
                                               {"default", Kind::Embedding},
                                               {"tensor", Kind::Tensor},
                                               {"accuracy", Kind::Scalar},
                                               {"custom_scalars__config__", Kind::Text}};
    EXPECT_EQ(kinds, expected);
    EXPECT_EQ(std::get<Video>(*run->entries("video").value()[0].value).frames, 3);
    EXPECT_EQ(run->info().state, RunState::Finished);
}

}  // namespace
}  // namespace taffrail::sinks::tensorboard
