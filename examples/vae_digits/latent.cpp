#include "latent.h"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace vae_digits {

using Eigen::MatrixXf;
using Eigen::VectorXf;

LatentClasses LatentClasses::fit(const MatrixXf& latent, const std::vector<int>& labels) {
    LatentClasses classes;
    for (std::size_t digit = 0; digit < kClasses; ++digit) {
        VectorXf sum = VectorXf::Zero(latent.rows()), squares = sum;
        float count = 0;
        for (Eigen::Index i = 0; i < latent.cols(); ++i) {
            if (labels[static_cast<std::size_t>(i)] == static_cast<int>(digit)) {
                sum += latent.col(i);
                squares += latent.col(i).cwiseProduct(latent.col(i));
                count += 1;
            }
        }
        classes.mean[digit] = sum / count;
        const VectorXf variance =
            squares / count - classes.mean[digit].cwiseProduct(classes.mean[digit]);
        classes.deviation[digit] = variance.cwiseMax(1e-6f).cwiseSqrt();
    }
    return classes;
}

MatrixXf LatentClasses::probabilities(const MatrixXf& latent) const {
    MatrixXf scores(kClasses, latent.cols());
    for (std::size_t digit = 0; digit < kClasses; ++digit) {
        const auto distance =
            (latent.colwise() - mean[digit]).array().colwise() / deviation[digit].array();
        scores.row(static_cast<Eigen::Index>(digit)) =
            -0.5f * distance.square().colwise().sum() - deviation[digit].array().log().sum();
    }
    for (Eigen::Index i = 0; i < scores.cols(); ++i) {
        const VectorXf weights = (scores.col(i).array() - scores.col(i).maxCoeff()).exp().matrix();
        scores.col(i) = weights / weights.sum();
    }
    return scores;
}

MatrixXf LatentClasses::sample(int count, Random& random) const {
    MatrixXf points(mean[0].size(), count);
    for (int i = 0; i < count; ++i) {
        const auto digit = static_cast<std::size_t>(i % kClasses);
        // A little closer to the middle than the data: the rim of a class is where digits fall
        // apart.
        constexpr float kNarrow = 0.7f;
        for (Eigen::Index axis = 0; axis < points.rows(); ++axis) {
            points(axis, i) =
                mean[digit][axis] + kNarrow * deviation[digit][axis] * random.normal();
        }
    }
    return points;
}

MatrixXf LatentClasses::walk(int steps_between) const {
    MatrixXf points(mean[0].size(), kClasses * steps_between);
    for (int i = 0; i < kClasses * steps_between; ++i) {
        const auto from = static_cast<std::size_t>(i / steps_between), to = (from + 1) % kClasses;
        const float share =
            static_cast<float>(i % steps_between) / static_cast<float>(steps_between);
        points.col(i) = (1 - share) * mean[from] + share * mean[to];
    }
    return points;
}

MatrixXf principal_three(const MatrixXf& latent) {
    const MatrixXf centred = latent.colwise() - latent.rowwise().mean();
    const Eigen::SelfAdjointEigenSolver<MatrixXf> solver(centred * centred.transpose());
    return solver.eigenvectors().rightCols(3).transpose() * centred;
}

}  // namespace vae_digits
