#include "codec/media_probe.h"

#include "codec/gif.h"
#include "codec/image_resize.h"
#include "codec/jpeg.h"
#include "codec/mesh.h"
#include "codec/png.h"
#include "codec/wav.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace taffrail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MediaProbe, TellsFormatsBySignatureAndReadsTheirSizes) {
    const Bytes pixels(40 * 30 * 3);
    const MediaInfo png = probe_media(encode_png(pixels.data(), 40, 15, 3, 16).value()).value();
    EXPECT_EQ(png.format, "png");
    EXPECT_EQ(png.width, 40);
    EXPECT_EQ(png.height, 15);
    EXPECT_EQ(png.bit_depth, 16);
    const MediaInfo jpeg = probe_media(encode_jpeg(pixels.data(), 40, 30, 3).value()).value();
    EXPECT_EQ(jpeg.format, "jpeg");
    EXPECT_EQ(jpeg.width, 40);
    EXPECT_EQ(jpeg.channels, 3);
    const std::vector<std::uint8_t> frames(2 * 4 * 3 * 3);
    const MediaInfo gif = probe_media(encode_gif(frames, 2, 4, 3, 3, 20).value()).value();
    EXPECT_EQ(gif.frames, 2);
    EXPECT_EQ(gif.frames_per_second, 20);
    const MediaInfo wav = probe_media(encode_wav(pixels, DType::I16, 2, 22050).value()).value();
    EXPECT_EQ(wav.sample_rate, 22050);
    EXPECT_EQ(wav.frames, 900);
    const MediaInfo glb = probe_media(write_glb({{0, 0, 0, 1, 1, 1}, {}, {}, {}})).value();
    EXPECT_EQ(glb.vertices, 2);
    EXPECT_EQ(glb.family, "mesh");
}

TEST(MediaProbe, ObjNeedsItsNameAndStrangersAreNamed) {
    EXPECT_EQ(probe_media(as_bytes("v 0 0 0\n"), "a/B.OBJ").value().format, "obj");
    EXPECT_THAT(probe_media(as_bytes("hello"), "notes.txt").error().message,
                HasSubstr("notes.txt is none of PNG"));
    EXPECT_FALSE(probe_media({}).ok());
}

TEST(Jpeg, DecodesWhatItEncodedNearly) {
    Bytes pixels(64 * 64 * 3);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<std::byte>(i / 192 * 3);
    }
    const Pixels decoded = decode_jpeg(encode_jpeg(pixels.data(), 64, 64, 3).value()).value();
    ASSERT_EQ(decoded.data.size(), pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        ASSERT_NEAR(static_cast<int>(decoded.data[i]), static_cast<int>(pixels[i]), 12);
    }
    EXPECT_FALSE(probe_jpeg(as_bytes("\xff\xd8\xff\xe0\x00\x10JFIF")).ok());
}

TEST(Jpeg, ASizeThatItsBytesCannotFillTakesNoMemory) {
    const Bytes pixels(64 * 64 * 3);
    const Bytes file = encode_jpeg(pixels.data(), 64, 64, 3).value();
    Bytes wide = file;
    const std::byte frame[] = {std::byte{0xFF}, std::byte{0xC0}};
    const auto at = std::ranges::search(wide, frame).begin() + 5;  // height, then width
    std::ranges::fill(at, at + 4, std::byte{0x3F});                // 16191 pixels each way
    EXPECT_THAT(decode_jpeg(wide).error().message,
                HasSubstr(std::to_string(file.size()) + " bytes cannot hold 16191x16191 pixels"));
    std::ranges::fill(at, at + 4, std::byte{0xFF});
    EXPECT_THAT(decode_jpeg(wide).error().message, HasSubstr("not a readable JPEG"));
    EXPECT_TRUE(decode_jpeg(ByteSpan(file).first(file.size() - 2)).ok())
        << "cut short: as far as it goes";
}

TEST(Jpeg, TheFlattestPictureIsBelieved) {
    const Bytes pixels(4096 * 4096);
    const Bytes file = encode_jpeg(pixels.data(), 4096, 4096, 1).value();
    EXPECT_EQ(decode_jpeg(file).value().data.size(), pixels.size());
}

TEST(ImageResize, HalvingAveragesAndGrowingInterpolates) {
    const std::vector<std::uint8_t> grey{0, 100, 200, 100, 0, 100, 200, 100};
    EXPECT_THAT(resize_image(grey, 4, 2, 1, 2, 1), ElementsAre(50, 150));
    const std::vector<std::uint8_t> pair{0, 100};
    EXPECT_THAT(resize_image(pair, 2, 1, 1, 4, 1), ElementsAre(0, 25, 75, 100));
    EXPECT_EQ(resize_image(grey, 4, 2, 1, 4, 2), grey);
    const std::vector<std::uint8_t> flat(300 * 3, 77);
    EXPECT_THAT(resize_image(flat, 30, 10, 3, 7, 3), testing::Each(77));
}

}  // namespace
}  // namespace taffrail
