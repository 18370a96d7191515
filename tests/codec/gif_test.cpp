#include "codec/gif.h"

#include "codec/gif_frames.h"
#include "codec/palette.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffrail {
namespace {

TEST(Gif, FewColoursAreExact) {
    std::vector<std::uint8_t> frames;
    for (int i = 0; i < 3 * 20 * 30; ++i) {
        const auto level = static_cast<std::uint8_t>(i % 200);
        frames.insert(frames.end(), {level, static_cast<std::uint8_t>(255 - level), 7});
    }
    const Bytes file = encode_gif(frames, 3, 30, 20, 3, 25).value();
    const GifFrames decoded = read_gif(file).value();
    EXPECT_EQ(decoded.count, 3);
    EXPECT_EQ(decoded.width, 30);
    EXPECT_EQ(decoded.height, 20);
    EXPECT_EQ(decoded.delay, 4);
    EXPECT_EQ(decoded.rgb, frames);
}

TEST(Gif, GreyAndAlphaFramesAreTaken) {
    const std::vector<std::uint8_t> grey{0, 128, 255, 64};
    EXPECT_EQ(read_gif(encode_gif(grey, 1, 2, 2, 1, 10).value()).value().rgb,
              (std::vector<std::uint8_t>{0, 0, 0, 128, 128, 128, 255, 255, 255, 64, 64, 64}));
    const std::vector<std::uint8_t> rgba{1, 2, 3, 255};
    EXPECT_EQ(read_gif(encode_gif(rgba, 1, 1, 1, 4, 10).value()).value().rgb,
              (std::vector<std::uint8_t>{1, 2, 3}));
}

TEST(Palette, ManyColoursStayClose) {
    std::vector<std::uint8_t> rgb;
    for (int y = 0; y < 128; ++y) {
        for (int x = 0; x < 128; ++x) {
            rgb.insert(rgb.end(),
                       {static_cast<std::uint8_t>(x * 2), static_cast<std::uint8_t>(y * 2),
                        static_cast<std::uint8_t>(x + y)});
        }
    }
    const Palette palette = make_palette(rgb);
    EXPECT_EQ(palette.colors.size(), 256u);
    double squares = 0;
    for (std::size_t i = 0; i < rgb.size(); ++i) {
        const double off = rgb[i] - palette.colors[palette.indices[i / 3]][i % 3];
        squares += off * off;
    }
    EXPECT_LT(std::sqrt(squares / static_cast<double>(rgb.size())), 8.0);
}

TEST(Gif, RefusesWhatGifCannotHold) {
    const std::vector<std::uint8_t> pixels(12);
    EXPECT_FALSE(encode_gif(pixels, 1, 2, 2, 2, 10).ok());
    EXPECT_FALSE(encode_gif(pixels, 1, 70000, 1, 3, 10).ok());
    EXPECT_FALSE(encode_gif(pixels, 1, 2, 2, 3, 0).ok());
}

}  // namespace
}  // namespace taffrail
