#include "codec/raw_picture.h"

#include "codec/png.h"

#include <gtest/gtest.h>

#include <vector>

namespace taffrail {
namespace {

Image floats(std::int64_t height, std::int64_t width, int channels) {
    Image image;
    image.format = "raw";
    image.dtype = DType::F32;
    image.height = height;
    image.width = width;
    image.channels = channels;
    return image;
}

TEST(RawPicture, BecomesEightBitPixelsAndAPng) {
    const std::vector<float> elements{0.0f, 0.5f, 1.0f, 2.0f, -1.0f, 0.25f};
    const ByteSpan bytes = std::as_bytes(std::span(elements));
    const auto pixels = raw_pixels(floats(2, 1, 3), bytes);
    ASSERT_TRUE(pixels.ok());
    EXPECT_EQ(*pixels, (std::vector<std::uint8_t>{0, 128, 255, 255, 0, 64}));
    const auto png = raw_to_png(floats(2, 1, 3), bytes);
    ASSERT_TRUE(png.ok());
    const auto decoded = decode_png(*png);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->width, 1u);
    EXPECT_EQ(decoded->height, 2u);
    EXPECT_EQ(decoded->channels, 3);
}

TEST(RawPicture, OfAnotherSizeThanItSaysIsRefused) {
    const std::vector<float> elements(6);
    const ByteSpan bytes = std::as_bytes(std::span(elements));
    EXPECT_EQ(raw_pixels(floats(2, 2, 3), bytes).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(raw_to_png(floats(-1, 2, -3), bytes).error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace taffrail
