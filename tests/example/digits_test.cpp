// The digits of the example: drawn well, the same everywhere, and written as PNG that others read.
#include "digits.h"

#include "latent.h"
#include "pictures.h"
#include "test_files.h"

#include <gtest/gtest.h>

namespace vae_digits {
namespace {

TEST(Digits, AreTheSameForTheSameSeed) {
    EXPECT_EQ(draw_digits(20, 1).pixels, draw_digits(20, 1).pixels);
    EXPECT_NE(draw_digits(20, 1).pixels, draw_digits(20, 2).pixels);
}

TEST(Digits, FillTheirFrameWithInk) {
    const Digits digits = draw_digits(200, 3);
    for (Eigen::Index i = 0; i < digits.pixels.cols(); ++i) {
        const float ink = digits.pixels.col(i).sum();
        EXPECT_GT(ink, 25) << "digit " << digits.labels[static_cast<std::size_t>(i)];
        EXPECT_LT(ink, 300);
        EXPECT_GE(digits.pixels.col(i).minCoeff(), 0);
        EXPECT_LE(digits.pixels.col(i).maxCoeff(), 1);
    }
}

// A picture of another digit is farther away than another picture of the same digit, on average.
TEST(Digits, LookLikeTheirClass) {
    const Digits digits = draw_digits(400, 4);
    const LatentClasses classes = LatentClasses::fit(
        digits.pixels.leftCols(300), {digits.labels.begin(), digits.labels.begin() + 300});
    int right = 0;
    for (Eigen::Index i = 300; i < 400; ++i) {
        int nearest = 0;
        float best = 1e30f;
        for (std::size_t digit = 0; digit < kClasses; ++digit) {
            const float distance = (digits.pixels.col(i) - classes.mean[digit]).squaredNorm();
            if (distance < best) {
                best = distance;
                nearest = static_cast<int>(digit);
            }
        }
        right += nearest == digits.labels[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    EXPECT_GT(right, 60);
}

TEST(Pictures, WritePngWithTheRightChecksums) {
    const taffrail::test::TestFolder folder;
    const Picture picture = grid(draw_digits(20, 1).pixels, 10, 2);
    EXPECT_EQ(picture.width, 10 * 57 + 1);
    EXPECT_EQ(picture.height, 2 * 57 + 1);
    ASSERT_TRUE(write_png(folder / "x.png", picture));
    const std::string file = folder.read("x.png");
    EXPECT_EQ(file.substr(1, 3), "PNG");
    // The checksum of an empty IEND chunk is a constant of the format.
    EXPECT_EQ(file.substr(file.size() - 4), std::string("\xAE\x42\x60\x82"));
    EXPECT_FALSE(write_png("/nonexistent-folder/x.png", picture));
}

}  // namespace
}  // namespace vae_digits
