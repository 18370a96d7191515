// What can be seen in latent space: one Gaussian per digit, distances, walks and principal axes.
#pragma once

#include "digits.h"
#include "random.h"

#include <Eigen/Core>

#include <array>
#include <vector>

namespace vae_digits {

/// A mean and a standard deviation per digit, per latent axis.
struct LatentClasses {
    std::array<Eigen::VectorXf, kClasses> mean, deviation;

    static LatentClasses fit(const Eigen::MatrixXf& latent, const std::vector<int>& labels);

    /// Probability of each digit for a point, kClasses × count.
    [[nodiscard]] Eigen::MatrixXf probabilities(const Eigen::MatrixXf& latent) const;
    /// One point of each digit in turn.
    [[nodiscard]] Eigen::MatrixXf sample(int count, Random& random) const;
    /// Points on the way from digit to digit and back to the first.
    [[nodiscard]] Eigen::MatrixXf walk(int steps_between) const;
};

/// The points in their three directions of largest spread, 3 × count.
Eigen::MatrixXf principal_three(const Eigen::MatrixXf& latent);

}  // namespace vae_digits
