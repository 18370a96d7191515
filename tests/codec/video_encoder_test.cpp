#include "codec/video_encoder.h"

#include "codec/capture.h"
#include "codec/media_probe.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace taffrail {
namespace {

/// A bright square that wanders over a dark ground.
Bytes wandering_square(const Video& video) {
    Bytes frames(
        static_cast<std::size_t>(video.frames * video.width * video.height * video.channels),
        std::byte{30});
    const auto width = static_cast<std::size_t>(video.width),
               depth = static_cast<std::size_t>(video.channels);
    for (std::size_t t = 0; t < static_cast<std::size_t>(video.frames); ++t) {
        for (std::size_t y = 2; y < 8; ++y) {
            for (std::size_t x = t + 2; x < t + 8; ++x) {
                const std::size_t at =
                    ((t * static_cast<std::size_t>(video.height) + y) * width + x) * depth;
                frames[at] = std::byte{220};
            }
        }
    }
    return frames;
}

#if defined(TAFFRAIL_HAS_VIDEO)

TEST(VideoEncoder, MakesMp4AndWebmOfEveryChannelCountAndOddSizes) {
    for (int channels : {1, 3, 4}) {
        const Video video{"frames", 33, 17, 12, channels, 12.5, {}, ""};
        const auto encoded = encode_video(wandering_square(video), video);
        ASSERT_TRUE(encoded.ok()) << encoded.error().message;
        EXPECT_EQ(encoded->format, "mp4");
        const MediaInfo info = probe_media(encoded->file).value();
        EXPECT_EQ(info.format, "mp4");
        EXPECT_EQ(info.width, 34);
        EXPECT_EQ(info.height, 18);
        EXPECT_EQ(info.frames, 12);
        EXPECT_NEAR(info.frames_per_second, 12.5, 0.01);
    }
    const Video video{"frames", 32, 16, 5, 3, 10, {}, ""};
    EXPECT_EQ(probe_media(encode_video(wandering_square(video), video, "webm").value().file)
                  .value()
                  .format,
              "webm");
}

TEST(VideoEncoder, DecodesWhatItEncodedInBothFormats) {
    for (const char* format : {"mp4", "webm"}) {
        const Video video{"frames", 33, 17, 12, 3, 12.5, {}, ""};
        const Bytes frames = wandering_square(video);
        const auto encoded = encode_video(frames, video, format);
        ASSERT_TRUE(encoded.ok()) << encoded.error().message;
        const auto decoded = decode_video(encoded->file);
        ASSERT_TRUE(decoded.ok()) << decoded.error().message;
        EXPECT_EQ(decoded->count, 12);
        EXPECT_EQ(decoded->width, 34);
        EXPECT_EQ(decoded->height, 18);
        EXPECT_NEAR(decoded->frames_per_second, 12.5, 0.1);
        ASSERT_EQ(decoded->frames.size(), 12u * 34 * 18 * 3);
        // The square is where it was, to what such codecs keep of a small one.
        const auto red = [&](std::size_t t, std::size_t x, std::size_t y) {
            return static_cast<int>(decoded->frames[((t * 18 + y) * 34 + x) * 3]);
        };
        for (std::size_t t : {0u, 6u, 11u}) {
            EXPECT_GT(red(t, t + 5, 5), red(t, t + 5, 14) + 40) << format << " frame " << t;
        }
    }
}

TEST(VideoEncoder, DecodingJunkFailsWithAReason) {
    const auto decoded = decode_video(Bytes(1000, std::byte{0x41}));
    ASSERT_FALSE(decoded.ok());
    EXPECT_NE(decoded.error().message.find("video decoder"), std::string::npos);
}

TEST(VideoEncoder, CapturedFramesBecomeAVideo) {
    const Video shape{"frames", 32, 16, 5, 3, 10, {}, ""};
    const Bytes frames = wandering_square(shape);
    Value value =
        capture_video({TensorView(frames.data(), DType::U8, {5, 16, 32, 3}), Layout::Hwc, 10})
            .value();
    ASSERT_TRUE(encode_media(value).ok());
    EXPECT_EQ(std::get<Video>(value).format, "mp4");
    EXPECT_EQ(std::get<Video>(value).frames, 5);
}

TEST(VideoEncoder, UnknownFormatsAndWrongSizesAreErrors) {
    const Video video{"frames", 32, 16, 5, 3, 10, {}, ""};
    EXPECT_THAT(encode_video(wandering_square(video), video, "avi").error().message,
                testing::HasSubstr("avi"));
    EXPECT_FALSE(encode_video(Bytes(7), video).ok());
    EXPECT_THAT(describe_video_module(), testing::HasSubstr("FFmpeg"));
}

#else

TEST(VideoEncoder, WithoutAModuleFramesStayFrames) {
    const Video shape{"frames", 32, 16, 5, 3, 10, {}, ""};
    const Bytes frames = wandering_square(shape);
    Value value =
        capture_video({TensorView(frames.data(), DType::U8, {5, 16, 32, 3}), Layout::Hwc, 10})
            .value();
    ASSERT_TRUE(encode_media(value).ok());
    EXPECT_EQ(std::get<Video>(value).format, "frames");
}

#endif

}  // namespace
}  // namespace taffrail
