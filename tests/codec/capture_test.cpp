#include "codec/capture.h"

#include "base/sha256.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/wav.h"

#include <gmock/gmock.h>

#include <array>
#include <numeric>

namespace taffrail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename T>
T finished(Result<Value> captured) {
    Value value = std::move(captured).value();
    encode_media(value).value();
    return std::get<T>(value);
}

std::vector<std::uint8_t> counting(std::size_t size) {
    std::vector<std::uint8_t> values(size);
    std::iota(values.begin(), values.end(), std::uint8_t{0});
    return values;
}

TEST(Capture, ImagesBecomeOnePngEachWhateverTheirLayout) {
    const auto bytes = counting(2 * 3 * 4 * 5);
    const Image nchw = finished<Image>(
        capture_image({TensorView(bytes.data(), DType::U8, {2, 3, 4, 5}), Layout::Chw}));
    EXPECT_EQ(nchw.format, "png");
    EXPECT_EQ(nchw.width, 5);
    EXPECT_EQ(nchw.height, 4);
    ASSERT_EQ(nchw.images.size(), 2u);
    EXPECT_EQ(nchw.images[1].ref.sha256, sha256(*nchw.images[1].bytes));
    EXPECT_EQ(nchw.images[1].ref.size, nchw.images[1].bytes->size());
    const Pixels second = decode_png(*nchw.images[1].bytes).value();
    for (std::size_t y = 0; y < 4; ++y) {
        for (std::size_t x = 0; x < 5; ++x) {
            for (std::size_t c = 0; c < 3; ++c) {
                EXPECT_EQ(static_cast<int>(second.data[(y * 5 + x) * 3 + c]),
                          bytes[60 + c * 20 + y * 5 + x]);
            }
        }
    }
    const Image grey =
        finished<Image>(capture_image({TensorView(bytes.data(), DType::U8, {6, 10}), Layout::Chw}));
    EXPECT_EQ(grey.channels, 1);
    EXPECT_EQ(grey.height, 6);
    const Image deep = finished<Image>(
        capture_image({TensorView(bytes.data(), DType::U16, {4, 5, 3}), Layout::Hwc}));
    EXPECT_EQ(decode_png(*deep.images[0].bytes).value().bit_depth, 16);
}

TEST(Capture, FloatImagesStayBitForBit) {
    const auto bytes = counting(3 * 4 * 5 * 2);
    for (DType dtype : {DType::F16, DType::BF16}) {
        const TensorView view(bytes.data(), dtype, {3, 4, 5});
        const Image image = finished<Image>(capture_image({view, Layout::Chw}));
        EXPECT_EQ(image.format, "raw");
        EXPECT_EQ(image.dtype, dtype);
        const std::array<std::size_t, 3> hwc{1, 2, 0};
        EXPECT_EQ(*image.images[0].bytes, gather(permuted(view, hwc)));
    }
}

TEST(Capture, MasksBecomeBlackAndWhite) {
    const std::array<std::uint8_t, 4> mask{0, 1, 1, 0};
    const Image image =
        finished<Image>(capture_image({TensorView(mask.data(), DType::Bool, {2, 2})}));
    EXPECT_THAT(decode_png(*image.images[0].bytes).value().data,
                ElementsAre(std::byte{0}, std::byte{255}, std::byte{255}, std::byte{0}));
}

TEST(Capture, WrongImagesAreToldWhatToDo) {
    const auto bytes = counting(600);
    const auto message = [&](DType dtype, Shape shape, Layout layout = Layout::Hwc,
                             ImageOptions options = {}) {
        return capture_image({TensorView(bytes.data(), dtype, shape), layout}, options)
            .error()
            .message;
    };
    EXPECT_THAT(
        message(DType::U8, {3, 8, 9}),
        HasSubstr("image u8 [3, 8, 9]: 1, 3 or 4 channels are taken; is this Layout::Chw?"));
    EXPECT_THAT(message(DType::U8, {8, 9, 3}, Layout::Chw), HasSubstr("is this Layout::Hwc?"));
    EXPECT_THAT(message(DType::I64, {2, 2}), HasSubstr("image i64 [2, 2]"));
    EXPECT_THAT(message(DType::U8, {5}), HasSubstr("H×W"));
    EXPECT_THAT(message(DType::U8, {0, 5}), HasSubstr("empty"));
    const std::array<std::string, 2> captions{"a", "b"};
    EXPECT_THAT(message(DType::U8, {2, 2, 3}, Layout::Hwc, {.captions = captions}),
                HasSubstr("2 captions for 1 images"));
}

TEST(Capture, AudioIsWrappedLosslessly) {
    const std::array<float, 6> samples{0, 0.5f, -1, 1, 2, 1e-30f};
    const Audio audio = finished<Audio>(
        capture_audio({TensorView(samples.data(), DType::F32, {3, 2}), 8000}, {.caption = "c"}));
    EXPECT_EQ(audio.frames, 3);
    EXPECT_EQ(audio.channels, 2);
    EXPECT_EQ(audio.caption, "c");
    EXPECT_EQ(decode_wav(*audio.data.bytes).value().samples,
              gather(TensorView(samples.data(), DType::F32, {6})));
    EXPECT_THAT(capture_audio({TensorView(samples.data(), DType::F64, {3})}).error().message,
                HasSubstr("audio f64 [3]"));
    const std::vector<float> wide(200);
    EXPECT_THAT(capture_audio({TensorView(wide.data(), DType::F32, {2, 100})}).error().message,
                HasSubstr("transpose"));
}

TEST(Capture, VideoFramesAreEightBit) {
    const std::array<float, 2 * 2 * 2> frames{0, 1, 0.5f, 0, 1, 1, 0, 0};
    const Value value =
        capture_video({TensorView(frames.data(), DType::F32, {2, 1, 2, 2}), Layout::Chw, 5})
            .value();
    const Video& video = std::get<Video>(value);
    EXPECT_EQ(video.format, "frames");
    EXPECT_EQ(video.width, 2);
    EXPECT_THAT(*video.data.bytes,
                ElementsAre(std::byte{0}, std::byte{255}, std::byte{128}, std::byte{0},
                            std::byte{255}, std::byte{255}, std::byte{0}, std::byte{0}));
    EXPECT_FALSE(
        capture_video({TensorView(frames.data(), DType::F32, {2, 2, 2}), Layout::Hwc, 5}).ok());
    EXPECT_FALSE(
        capture_video({TensorView(frames.data(), DType::F32, {2, 2, 2, 1}), Layout::Hwc, 0}).ok());
}

TEST(Capture, HistogramsOfHalvesCountNonFiniteApart) {
    const std::array<std::uint16_t, 4> halves{0x3C00, 0x4000, 0x7C00, 0x7E00};  // 1, 2, inf, nan
    const Value value =
        capture_histogram(TensorView(halves.data(), DType::F16, {4}), {.bins = 2}).value();
    const auto& histogram = std::get<Histogram>(value);
    EXPECT_THAT(histogram.counts, ElementsAre(1, 1));
    EXPECT_EQ(histogram.nan_count, 1u);
    EXPECT_EQ(histogram.positive_infinity_count, 1u);
    EXPECT_FALSE(capture_histogram(Histogram{{1, 2}, {1, 2}}).ok());
    EXPECT_FALSE(capture_histogram(Histogram{{2, 1}, {1}}).ok());
}

TEST(Capture, EmbeddingsCarryMetadataAndASprite) {
    const std::vector<float> vectors(5 * 3, 0.5f);
    const auto pixels = counting(5 * 4 * 6);
    const Table metadata{{"label"},
                         {{Cell{1.0}}, {Cell{2.0}}, {Cell{3.0}}, {Cell{4.0}}, {Cell{5.0}}}};
    const ImageView thumbnails{TensorView(pixels.data(), DType::U8, {5, 4, 6, 1})};
    const Embedding embedding = finished<Embedding>(capture_embedding(
        TensorView(vectors.data(), DType::F32, {5, 3}), {&metadata, &thumbnails}));
    const MediaInfo sprite = probe_media(*embedding.sprite.bytes).value();
    EXPECT_EQ(sprite.width, 18);
    EXPECT_EQ(sprite.height, 12);
    EXPECT_EQ(embedding.thumbnail_width, 6);
    const Pixels picture = decode_png(*embedding.sprite.bytes).value();
    EXPECT_EQ(static_cast<int>(picture.data[4 * 18]), 72);  // first pixel of the fourth thumbnail
    Table shorter = metadata;
    shorter.rows.pop_back();
    EXPECT_THAT(capture_embedding(TensorView(vectors.data(), DType::F32, {5, 3}), {&shorter})
                    .error()
                    .message,
                HasSubstr("one per vector"));
}

TEST(Capture, FilesAreKeptAsTheyAreAndMustBeOfTheRightFamily) {
    const auto pixels = counting(12);
    const Bytes png =
        encode_png(reinterpret_cast<const std::byte*>(pixels.data()), 2, 2, 3).value();
    const Image image = finished<Image>(capture_image_file(png, "a.png", {.caption = "x"}));
    EXPECT_EQ(image.format, "png");
    EXPECT_EQ(*image.images[0].bytes, png);
    EXPECT_THAT(capture_video_file(png, "a.png").error().message,
                HasSubstr("a.png is a png file; give an MP4"));
    const Mesh mesh =
        finished<Mesh>(capture_mesh_file(write_ply({{0, 0, 0}, {}, {1, 2, 3}, {}}), "p.ply"));
    EXPECT_EQ(mesh.vertices, 1);
    EXPECT_TRUE(mesh.has_colors);
}

TEST(Capture, FiguresNeedValidJsonOrAPicture) {
    EXPECT_THAT(capture_figure("{nope").error().message, HasSubstr("not valid JSON"));
    EXPECT_FALSE(capture_figure("").ok());
    const std::array<float, 3> pixel{0, 0.5f, 1};
    const ImageView picture{TensorView(pixel.data(), DType::F32, {1, 1, 3})};
    const Figure figure = finished<Figure>(capture_figure(R"({"data": []})", &picture));
    EXPECT_EQ(figure.picture_format, "png");
    EXPECT_EQ(figure.picture.ref.sha256, sha256(*figure.picture.bytes));
}

TEST(Capture, TensorsKeepEveryBit) {
    const auto bytes = counting(24);
    const Tensor tensor =
        finished<Tensor>(capture_tensor(TensorView(bytes.data(), DType::F8E5M2, {4, 3}, {1, 4})));
    EXPECT_EQ(static_cast<int>((*tensor.data.bytes)[1]), 4);
    EXPECT_EQ(tensor.shape, (Shape{4, 3}));
}

}  // namespace
}  // namespace taffrail
