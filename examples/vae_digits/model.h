// A variational auto-encoder with one hidden layer on each side, its gradients written out, and
// Adam.
//
//   x ─ W1 ─ relu ─┬─ mean ──────┐
//                  └─ log var ─ noise ─ z ─ W2 ─ relu ─ W3 ─ sigmoid ─ x'
#pragma once

#include "random.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace vae_digits {

struct Layer {
    std::string name;
    Eigen::MatrixXf weight, weight_gradient, weight_mean, weight_square;
    Eigen::VectorXf bias, bias_gradient, bias_mean, bias_square;
};

struct ModelShape {
    int pixels = 784;
    int hidden = 160;
    int latent = 16;
};

/// The two parts of the loss, averaged over a batch, in nats per picture.
struct Loss {
    double reconstruction = 0;
    double divergence = 0;

    [[nodiscard]] double total() const { return reconstruction + divergence; }
};

class Model {
  public:
    Model(ModelShape shape, std::uint64_t seed);

    /// Forward and backward: adds the gradients of a batch (pictures in columns) to those gathered
    /// so far. `beta` weighs the divergence.
    Loss gather(const Eigen::MatrixXf& batch, float beta, Random& noise);
    /// Sums of gradients and the number of pictures they come from, in one row: what ranks add up.
    [[nodiscard]] std::vector<double> gathered() const;
    void set_gathered(const std::vector<double>& sums);
    /// One optimiser step with the mean of what was gathered, which is then forgotten.
    void step(float learning_rate);
    /// The loss without noise and without learning.
    [[nodiscard]] Loss evaluate(const Eigen::MatrixXf& batch) const;

    [[nodiscard]] Eigen::MatrixXf encode(
        const Eigen::MatrixXf& batch) const;  ///< means, latent × count
    [[nodiscard]] Eigen::MatrixXf decode(const Eigen::MatrixXf& latent) const;

    [[nodiscard]] Eigen::MatrixXf reconstruct(const Eigen::MatrixXf& batch) const {
        return decode(encode(batch));
    }

    [[nodiscard]] const std::array<Layer, 5>& layers() const { return layers_; }

    [[nodiscard]] double gradient_norm() const;
    [[nodiscard]] std::int64_t parameters() const;

    [[nodiscard]] const ModelShape& shape() const { return shape_; }

  private:
    enum Part { kEncode, kMean, kLogVariance, kDecode, kOutput };

    struct Gradients {
        std::array<Eigen::MatrixXf, 5> weight;
        std::array<Eigen::VectorXf, 5> bias;
        Loss loss;
    };

    Gradients gradients(const Eigen::Ref<const Eigen::MatrixXf>& batch,
                        const Eigen::MatrixXf& noise, float beta) const;
    void adam(float learning_rate);

    ModelShape shape_;
    std::array<Layer, 5> layers_;
    double pictures_ = 0;  ///< gathered so far
    std::int64_t steps_ = 0;
};

/// Peak signal-to-noise ratio in dB of pictures with values 0…1.
double psnr(const Eigen::MatrixXf& truth, const Eigen::MatrixXf& guess);

}  // namespace vae_digits
