#include "codec/png.h"

#include "codec/gzip.h"

#include <gmock/gmock.h>

#include <random>

namespace taffrail {
namespace {

using testing::HasSubstr;

Bytes smooth_noise(std::size_t size, unsigned seed) {
    Bytes bytes(size);
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>((i / 7) + random() % 5);
    }
    return bytes;
}

// libspng, which is not ours, reads back every combination bit for bit.
TEST(Png, RoundTripsEveryDepthChannelCountAndLevel) {
    unsigned seed = 0;
    for (int depth : {8, 16}) {
        for (int channels : {1, 2, 3, 4}) {
            for (PngLevel level : {PngLevel::Fast, PngLevel::Small}) {
                for (auto [width, height] :
                     {std::pair<std::uint32_t, std::uint32_t>{1, 1}, {7, 5}, {1, 64}, {257, 3}}) {
                    const Bytes pixels = smooth_noise(
                        std::size_t{width} * height * static_cast<unsigned>(channels * depth / 8),
                        seed++);
                    const auto file =
                        encode_png(pixels.data(), width, height, channels, depth, level);
                    ASSERT_TRUE(file.ok()) << file.error().message;
                    const auto decoded = decode_png(*file);
                    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
                    EXPECT_EQ(decoded->width, width);
                    EXPECT_EQ(decoded->height, height);
                    EXPECT_EQ(decoded->channels, channels);
                    EXPECT_EQ(decoded->bit_depth, depth);
                    EXPECT_EQ(decoded->data, pixels);
                }
            }
        }
    }
}

TEST(Png, SmallLevelIsSmallerOnSmoothPictures) {
    Bytes pixels(256 * 256 * 3);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<std::byte>((i % 768) / 3 + i / 768 / 2);
    }
    const Bytes fast = encode_png(pixels.data(), 256, 256, 3).value();
    const Bytes small = encode_png(pixels.data(), 256, 256, 3, 8, PngLevel::Small).value();
    EXPECT_LT(small.size(), fast.size());
    EXPECT_LT(fast.size(), pixels.size() / 4);
}

TEST(Png, RefusesShapesThatPngCannotHold) {
    const std::byte pixel{};
    EXPECT_THAT(encode_png(&pixel, 0, 1, 3).error().message, HasSubstr("0x1 with 3 channels"));
    EXPECT_THAT(encode_png(&pixel, 1, 1, 5).error().message, HasSubstr("1 to 4 channels"));
    EXPECT_THAT(encode_png(&pixel, 1, 1, 3, 12).error().message, HasSubstr("12 bits"));
    EXPECT_THAT(encode_png(&pixel, 60000, 60000, 4).error().message, HasSubstr("1 GiB"));
}

TEST(Png, DamagedFilesAreErrorsNotPictures) {
    const Bytes pixels = smooth_noise(64 * 64 * 3, 3);
    const Bytes file = encode_png(pixels.data(), 64, 64, 3).value();
    for (std::size_t cut = 0; cut < file.size() - 12; cut += 97) {
        EXPECT_FALSE(decode_png(ByteSpan(file).first(cut)).ok()) << cut;
    }
    Bytes flipped = file;
    flipped[file.size() / 2] ^= std::byte{1};
    EXPECT_FALSE(decode_png(flipped).ok());
}

// Only what is true of the whole picture can be told before it is unpacked, so a size is checked
// against what its bytes could unpack to at most.
TEST(Png, ASizeThatItsBytesCannotFillTakesNoMemory) {
    const Bytes flat(4096 * 4096 * 3);
    const Bytes file = encode_png(flat.data(), 4096, 4096, 3, 8, PngLevel::Small).value();
    EXPECT_EQ(decode_png(file).value().data.size(), flat.size()) << "the flattest is believed";
    Bytes wide = encode_png(flat.data(), 64, 64, 3).value();
    const std::uint32_t side = __builtin_bswap32(16384);
    store_at(wide.data() + 16, side);
    store_at(wide.data() + 20, side);
    store_at(wide.data() + 29, __builtin_bswap32(crc32(ByteSpan(wide).subspan(12, 17))));
    EXPECT_THAT(decode_png(wide).error().message,
                HasSubstr("bytes cannot hold 16384x16384 pixels"));
}

}  // namespace
}  // namespace taffrail
