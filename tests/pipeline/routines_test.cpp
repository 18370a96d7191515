#include <taffrail/logger.h>

#include "base/diagnostics.h"
#include "codec/capture.h"
#include "codec/png.h"
#include "pipeline/watched_run.h"

#include <gmock/gmock.h>

#include <numbers>

namespace taffrail {
namespace {

class RoutinesTest : public testing::Test {
  protected:
    void SetUp() override {
        reset_diagnostics();
        set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    }

    void TearDown() override { set_diagnostic_handler(nullptr); }

    Result<void> log(const std::string& routine, Datum datum) {
        auto logger = Logger::make(run, {.routines = {routine},
                                         .tracked_variables = {{routine, {"x"}}},
                                         .print_epochs = false})
                          .value();
        DataMap data;
        data.values["x"] = std::move(datum);
        data.total_iters = 7;
        logger->log_iter(data);
        logger->log_epoch();
        return logger->check();
    }

    template <typename T>
    static T last(const std::string& key) {
        for (auto it = test::logged().rbegin(); it != test::logged().rend(); ++it) {
            if (it->key == key) {
                return std::get<T>(it->value);
            }
        }
        ADD_FAILURE() << "no " << key;
        return {};
    }

    static std::vector<int> levels(const Image& image, std::size_t index = 0) {
        Value value = image;
        encode_media(value).value();
        const Pixels pixels = decode_png(*std::get<Image>(value).images[index].bytes).value();
        std::vector<int> out;
        for (const std::byte level : pixels.data) {
            out.push_back(static_cast<int>(level));
        }
        return out;
    }

    taffrail::Run& run = test::fresh_run();
};

TEST_F(RoutinesTest, MetricExpandsMaps) {
    ASSERT_TRUE(log("metric", std::map<std::string, double>{{"a", 1}, {"b", 2}}).ok());
    EXPECT_THAT(test::scalars("Metric-BatchWise/x/a/train"), testing::ElementsAre(1));
    EXPECT_THAT(test::scalars("Metric-EpochWise/x/b/train"), testing::ElementsAre(2));
    EXPECT_FALSE(log("metric", std::string("text")).ok());
}

TEST_F(RoutinesTest, HistogramOfAThousandValuesCountsAThousand) {
    std::vector<double> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(static_cast<double>(i));
    }
    ASSERT_TRUE(log("hist", TensorView(values)).ok());
    const auto histogram = last<Histogram>("Hist/x/train");
    double sum = 0;
    for (const double count : histogram.counts) {
        sum += count;
    }
    EXPECT_EQ(sum, 1000);
    EXPECT_THAT(test::steps("Hist/x/train"), testing::ElementsAre(7));
}

TEST_F(RoutinesTest, RoutinesTakeOptions) {
    const std::vector<double> values = {1, 2, 3, 4};
    auto logger = Logger::make(run, {.routines = {"hist"},
                                     .tracked_variables = {{"hist", {"x"}}},
                                     .routine_options = {{"hist", {{"bins", "2"}}}},
                                     .print_epochs = false})
                      .value();
    DataMap data;
    data.values["x"] = TensorView(values);
    logger->log_iter(data);
    EXPECT_EQ(last<Histogram>("Hist/x/train").counts.size(), 2u);
}

TEST_F(RoutinesTest, HistogramGathersSingleNumbersOverTheEpochAndRefusesMatrices) {
    ASSERT_TRUE(log("hist", 0.5).ok());
    EXPECT_EQ(last<Histogram>("Hist/x/train").sum, 0.5);
    const std::vector<float> matrix(6);
    EXPECT_THAT(log("hist", TensorView(matrix.data(), DType::F32, {2, 3})).error().message,
                testing::HasSubstr("1-D"));
}

TEST_F(RoutinesTest, ImageKeepsPixelsOfPictures) {
    const std::vector<std::uint8_t> pixels = {0, 10, 20, 30, 40, 50};
    ASSERT_TRUE(log("image", ImageView{TensorView(pixels.data(), DType::U8, {2, 3})}).ok());
    EXPECT_THAT(levels(last<Image>("Image/x/train")), testing::ElementsAre(0, 10, 20, 30, 40, 50));
}

TEST_F(RoutinesTest, ImageTakesBatchesAndColoursOneChannel) {
    std::vector<float> color(2 * 3 * 1 * 2, 0.5f);
    ASSERT_TRUE(log("image", TensorView(color.data(), DType::F32, {2, 3, 1, 2})).ok());
    const auto batch = last<Image>("Image/x/train");
    EXPECT_EQ(batch.channels, 3);
    EXPECT_EQ(batch.images.size(), 2u);
    EXPECT_THAT(levels(batch, 1), testing::Each(128));
    const std::vector<float> grey = {0.0f, 1.0f};
    ASSERT_TRUE(log("image", TensorView(grey.data(), DType::F32, {1, 1, 1, 2})).ok());
    EXPECT_THAT(levels(last<Image>("Image/x/train")), testing::ElementsAre(0, 0, 4, 252, 253, 191));
    // Values that are already 0…255 are not scaled again.
    const std::vector<float> scaled = {0, 255, 0, 255, 128, 255};
    ASSERT_TRUE(log("image", TensorView(scaled.data(), DType::F32, {1, 3, 1, 2})).ok());
    EXPECT_THAT(levels(last<Image>("Image/x/train")),
                testing::ElementsAre(0, 0, 128, 255, 255, 255));
    EXPECT_FALSE(log("image", TensorView(grey.data(), DType::F32, {2})).ok());
}

TEST_F(RoutinesTest, MeshTakesMeshesAndPoints) {
    const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::vector<std::uint32_t> face = {0, 1, 2};
    ASSERT_TRUE(log("mesh", MeshView{.vertices = corners, .faces = face}).ok());
    EXPECT_EQ(last<Mesh>("Mesh/x/train").faces, 1);
    const std::vector<float> points(2 * 5 * 6, 0.5f);
    ASSERT_TRUE(log("mesh", TensorView(points.data(), DType::F32, {2, 5, 6})).ok());
    const auto cloud = last<Mesh>("Mesh/x/1/train");
    EXPECT_EQ(cloud.vertices, 5);
    EXPECT_TRUE(cloud.has_colors);
    EXPECT_THAT(log("mesh", TensorView(points.data(), DType::F32, {15, 4})).error().message,
                testing::HasSubstr("N×3"));
}

TEST_F(RoutinesTest, VideoTakesBatches) {
    const std::vector<std::uint8_t> frames(2 * 3 * 3 * 4 * 4, 9);
    ASSERT_TRUE(log("video", TensorView(frames.data(), DType::U8, {2, 3, 3, 4, 4})).ok());
    const auto video = last<Video>("Video/x/1/train");
    EXPECT_EQ(video.frames, 3);
    EXPECT_EQ(video.frames_per_second, 4);
    EXPECT_FALSE(log("video", TensorView(frames.data(), DType::U8, {6, 3, 4, 4})).ok());
}

TEST_F(RoutinesTest, OtherKindsPassThrough) {
    ASSERT_TRUE(log("text", std::string("hello")).ok());
    EXPECT_EQ(last<Text>("Text/x/train").text, "hello");
    ASSERT_TRUE(log("table", Table{{"a"}, {{std::int64_t{1}}}}).ok());
    EXPECT_EQ(last<Table>("Table/x/train").rows.size(), 1u);
    ASSERT_TRUE(log("graph", Graph{{GraphNode{"n", "Add", {}, {}, 0, "", {}}}}).ok());
    EXPECT_EQ(last<Graph>("Graph/x/train").nodes.size(), 1u);
    const std::vector<float> tone(100);
    ASSERT_TRUE(log("audio", AudioView{TensorView(tone), 8000}).ok());
    EXPECT_EQ(last<Audio>("Audio/x/train").sample_rate, 8000);
}

}  // namespace
}  // namespace taffrail
