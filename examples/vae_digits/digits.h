// Hand-drawn looking digits, made by the example itself: strokes with random slant, size, place and
// thickness.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace vae_digits {

inline constexpr int kSide = 28;
inline constexpr int kPixels = kSide * kSide;
inline constexpr int kClasses = 10;

/// One picture per column, values 0…1, rows of pixels from the top.
struct Digits {
    Eigen::MatrixXf pixels;   ///< kPixels × count
    std::vector<int> labels;  ///< count
};

/// `count` digits, every class equally often; the same seed gives the same pictures everywhere.
Digits draw_digits(int count, std::uint64_t seed);

}  // namespace vae_digits
