#include "pictures.h"

#include "digits.h"

#include <algorithm>
#include <cmath>

namespace vae_digits {

Picture grid(const Eigen::MatrixXf& digits, int columns, int zoom) {
    constexpr std::uint8_t kLine = 40;
    const int count = static_cast<int>(digits.cols());
    const int rows = (count + columns - 1) / columns;
    const int cell = kSide * zoom + 1;
    Picture picture{columns * cell + 1, rows * cell + 1, {}};
    picture.pixels.assign(
        static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height), kLine);
    for (int i = 0; i < count; ++i) {
        const int left = (i % columns) * cell + 1, top = (i / columns) * cell + 1;
        for (int y = 0; y < kSide * zoom; ++y) {
            for (int x = 0; x < kSide * zoom; ++x) {
                const float value =
                    std::clamp(digits((y / zoom) * kSide + x / zoom, i), 0.0f, 1.0f);
                picture.pixels[static_cast<std::size_t>((top + y) * picture.width + left + x)] =
                    static_cast<std::uint8_t>(std::lround(value * 255));
            }
        }
    }
    return picture;
}

Picture comparison(const Eigen::MatrixXf& truth, const Eigen::MatrixXf& guess, int columns,
                   int zoom) {
    const Eigen::Index rows = truth.cols() / columns;
    Eigen::MatrixXf both(truth.rows(), rows * columns * 2);
    for (Eigen::Index row = 0; row < rows; ++row) {
        both.middleCols(2 * row * columns, columns) = truth.middleCols(row * columns, columns);
        both.middleCols((2 * row + 1) * columns, columns) =
            guess.middleCols(row * columns, columns);
    }
    return grid(both, columns, zoom);
}

}  // namespace vae_digits
