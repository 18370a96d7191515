// Digits side by side.
#pragma once

#include "png.h"

#include <Eigen/Core>

namespace vae_digits {

/// The columns of `digits` as a grid, each pixel `zoom` times as large, with a thin line between
/// the digits.
Picture grid(const Eigen::MatrixXf& digits, int columns, int zoom = 2);

/// The first rows of `truth` with their reconstructions below each.
Picture comparison(const Eigen::MatrixXf& truth, const Eigen::MatrixXf& guess, int columns,
                   int zoom = 2);

}  // namespace vae_digits
