// The model of the example: its gradients against finite differences, and that it learns.
#include "model.h"

#include "digits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vae_digits {
namespace {

// With a tiny learning rate Adam's first step moves every weight by the rate against the sign of
// its gradient, so the loss falls by about rate · Σ|gradient|. A wrong gradient anywhere breaks
// that.
TEST(Model, GradientsPredictTheChangeOfTheLoss) {
    const Digits digits = draw_digits(20, 1);
    Model model({.pixels = kPixels, .hidden = 12, .latent = 4}, 2);
    const auto loss_with_noise = [&](Model copy) {
        Random noise(5);
        return copy.gather(digits.pixels, 1.0f, noise).total();
    };
    Random noise(5);
    const double before = model.gather(digits.pixels, 1.0f, noise).total();
    double predicted = 0;
    const std::vector<double> sums = model.gathered();
    for (std::size_t i = 1; i < sums.size(); ++i) {
        predicted += std::abs(sums[i]) / sums[0];
    }
    constexpr float kRate = 2e-5f;
    model.step(kRate);
    const double change = before - loss_with_noise(model);
    EXPECT_NEAR(change / (predicted * static_cast<double>(kRate)), 1.0, 0.1);
}

TEST(Model, GatheringHalvesEqualsGatheringTheWhole) {
    const Digits digits = draw_digits(20, 1);
    Model whole({.pixels = kPixels, .hidden = 12, .latent = 4}, 2), parts = whole;
    Random one(5), two(5);
    whole.gather(digits.pixels, 1.0f, one);
    parts.gather(digits.pixels.leftCols(8), 1.0f, two);
    parts.gather(digits.pixels.rightCols(12), 1.0f, two);
    const std::vector<double> a = whole.gathered(), b = parts.gathered();
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a[0], 20);
    EXPECT_EQ(b[0], 20);
    for (std::size_t i = 1; i < a.size(); ++i) {
        ASSERT_NEAR(a[i], b[i], 1e-3 * (1 + std::abs(a[i]))) << i;
    }
    whole.set_gathered(b);
    EXPECT_EQ(whole.gathered(), b);
}

TEST(Model, LearnsToReconstruct) {
    const Digits digits = draw_digits(640, 1), held_out = draw_digits(100, 2);
    Model model({.pixels = kPixels, .hidden = 64, .latent = 12}, 3);
    Random noise(4);
    const double before = psnr(held_out.pixels, model.reconstruct(held_out.pixels));
    for (int epoch = 0; epoch < 8; ++epoch) {
        for (int batch = 0; batch < 10; ++batch) {
            model.gather(digits.pixels.middleCols(batch * 64, 64), 1.0f, noise);
            model.step(3e-3f);
        }
    }
    const double after = psnr(held_out.pixels, model.reconstruct(held_out.pixels));
    EXPECT_LT(before, 10);
    EXPECT_GT(after, 12.5);
}

TEST(Psnr, IsTwentyDecibelsForATenthOfError) {
    const Eigen::MatrixXf truth = Eigen::MatrixXf::Zero(4, 4);
    EXPECT_NEAR(psnr(truth, truth.array() + 0.1f), 20, 1e-4);
}

}  // namespace
}  // namespace vae_digits
