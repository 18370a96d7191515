#include "model.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace vae_digits {
namespace {

using Eigen::MatrixXf;

MatrixXf affine(const Layer& layer, const MatrixXf& input) {
    return (layer.weight * input).colwise() + layer.bias;
}

MatrixXf sigmoid(const MatrixXf& logits) {
    return (1.0f + (-logits.array()).exp()).inverse().matrix();
}

// Binary cross-entropy of logits, summed; the form that never overflows.
double cross_entropy(const MatrixXf& logits, const Eigen::Ref<const MatrixXf>& truth) {
    const auto z = logits.array();
    return static_cast<double>((z.max(0.0f) - z * truth.array() + (-z.abs()).exp().log1p()).sum());
}

}  // namespace

Model::Model(ModelShape shape, std::uint64_t seed) : shape_(shape) {
    Random random(seed);
    const auto make = [&](const char* name, int in, int out) {
        Layer layer;
        layer.name = name;
        const float scale = std::sqrt(2.0f / static_cast<float>(in));
        layer.weight = MatrixXf::NullaryExpr(out, in, [&] { return random.normal() * scale; });
        layer.bias = Eigen::VectorXf::Zero(out);
        layer.weight_gradient = layer.weight_mean = layer.weight_square = MatrixXf::Zero(out, in);
        layer.bias_gradient = layer.bias_mean = layer.bias_square = Eigen::VectorXf::Zero(out);
        return layer;
    };
    layers_ = {make("encoder/hidden", shape.pixels, shape.hidden),
               make("encoder/mean", shape.hidden, shape.latent),
               make("encoder/log_variance", shape.hidden, shape.latent),
               make("decoder/hidden", shape.latent, shape.hidden),
               make("decoder/output", shape.hidden, shape.pixels)};
    layers_[kLogVariance].weight *= 0.1f;
}

Model::Gradients Model::gradients(const Eigen::Ref<const MatrixXf>& batch, const MatrixXf& noise,
                                  float beta) const {
    const MatrixXf input = batch;
    const MatrixXf hidden = affine(layers_[kEncode], input).cwiseMax(0.0f);
    const MatrixXf mean = affine(layers_[kMean], hidden);
    const MatrixXf log_variance = affine(layers_[kLogVariance], hidden);
    const MatrixXf deviation = (log_variance.array() * 0.5f).exp().matrix();
    const MatrixXf latent = mean + deviation.cwiseProduct(noise);
    const MatrixXf decoded = affine(layers_[kDecode], latent).cwiseMax(0.0f);
    const MatrixXf logits = affine(layers_[kOutput], decoded);

    Gradients out;
    out.loss.reconstruction = cross_entropy(logits, input);
    out.loss.divergence =
        0.5 * static_cast<double>(
                  (log_variance.array().exp() + mean.array().square() - 1.0f - log_variance.array())
                      .sum());

    const auto back = [&](Part part, const MatrixXf& error, const MatrixXf& from) {
        out.weight[part] = error * from.transpose();
        out.bias[part] = error.rowwise().sum();
    };
    const MatrixXf at_output = sigmoid(logits) - input;
    back(kOutput, at_output, decoded);
    MatrixXf at_decoded = layers_[kOutput].weight.transpose() * at_output;
    at_decoded.array() *= (decoded.array() > 0.0f).cast<float>();
    back(kDecode, at_decoded, latent);
    const MatrixXf at_latent = layers_[kDecode].weight.transpose() * at_decoded;
    const MatrixXf at_mean = at_latent + beta * mean;
    const MatrixXf at_log_variance = (0.5f * at_latent.array() * noise.array() * deviation.array() +
                                      0.5f * beta * (log_variance.array().exp() - 1.0f))
                                         .matrix();
    back(kMean, at_mean, hidden);
    back(kLogVariance, at_log_variance, hidden);
    MatrixXf at_hidden = layers_[kMean].weight.transpose() * at_mean +
                         layers_[kLogVariance].weight.transpose() * at_log_variance;
    at_hidden.array() *= (hidden.array() > 0.0f).cast<float>();
    back(kEncode, at_hidden, input);
    return out;
}

// The batch is always cut in the same two halves, so the result does not depend on the number of
// cores.
Loss Model::gather(const MatrixXf& batch, float beta, Random& noise) {
    const Eigen::Index count = batch.cols(), first = count / 2;
    const MatrixXf epsilon =
        MatrixXf::NullaryExpr(shape_.latent, count, [&] { return noise.normal(); });
    Gradients halves[2];
    std::thread other([&] {
        halves[1] =
            gradients(batch.rightCols(count - first), epsilon.rightCols(count - first), beta);
    });
    halves[0] = gradients(batch.leftCols(first), epsilon.leftCols(first), beta);
    other.join();

    for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (pictures_ == 0) {
            layers_[i].weight_gradient.setZero();
            layers_[i].bias_gradient.setZero();
        }
        layers_[i].weight_gradient += halves[0].weight[i] + halves[1].weight[i];
        layers_[i].bias_gradient += halves[0].bias[i] + halves[1].bias[i];
    }
    const double pictures = static_cast<double>(count);
    pictures_ += pictures;
    return {(halves[0].loss.reconstruction + halves[1].loss.reconstruction) / pictures,
            (halves[0].loss.divergence + halves[1].loss.divergence) / pictures};
}

std::vector<double> Model::gathered() const {
    std::vector<double> sums = {pictures_};
    for (const Layer& layer : layers_) {
        sums.insert(sums.end(), layer.weight_gradient.data(),
                    layer.weight_gradient.data() + layer.weight_gradient.size());
        sums.insert(sums.end(), layer.bias_gradient.data(),
                    layer.bias_gradient.data() + layer.bias_gradient.size());
    }
    return sums;
}

void Model::set_gathered(const std::vector<double>& sums) {
    auto next = sums.begin();
    pictures_ = *next++;
    const auto fill = [&](auto& gradient) {
        for (Eigen::Index i = 0; i < gradient.size(); ++i) {
            gradient.data()[i] = static_cast<float>(*next++);
        }
    };
    for (Layer& layer : layers_) {
        fill(layer.weight_gradient);
        fill(layer.bias_gradient);
    }
}

void Model::step(float learning_rate) {
    const auto share = static_cast<float>(1.0 / std::max(1.0, pictures_));
    for (Layer& layer : layers_) {
        layer.weight_gradient *= share;
        layer.bias_gradient *= share;
    }
    pictures_ = 0;
    adam(learning_rate);
}

void Model::adam(float learning_rate) {
    constexpr float kFirst = 0.9f, kSecond = 0.999f, kTiny = 1e-8f;
    ++steps_;
    const float first_bias = 1.0f - std::pow(kFirst, static_cast<float>(steps_));
    const float second_bias = 1.0f - std::pow(kSecond, static_cast<float>(steps_));
    const float rate = learning_rate * std::sqrt(second_bias) / first_bias;
    const auto update = [&](auto& value, const auto& gradient, auto& mean, auto& square) {
        mean = kFirst * mean + (1 - kFirst) * gradient;
        square = kSecond * square + (1 - kSecond) * gradient.cwiseProduct(gradient);
        value.array() -= rate * mean.array() / (square.array().sqrt() + kTiny);
    };
    for (Layer& layer : layers_) {
        update(layer.weight, layer.weight_gradient, layer.weight_mean, layer.weight_square);
        update(layer.bias, layer.bias_gradient, layer.bias_mean, layer.bias_square);
    }
}

Loss Model::evaluate(const MatrixXf& batch) const {
    const Gradients result = gradients(batch, MatrixXf::Zero(shape_.latent, batch.cols()), 1.0f);
    const double pictures = static_cast<double>(batch.cols());
    return {result.loss.reconstruction / pictures, result.loss.divergence / pictures};
}

MatrixXf Model::encode(const MatrixXf& batch) const {
    return affine(layers_[kMean], affine(layers_[kEncode], batch).cwiseMax(0.0f));
}

MatrixXf Model::decode(const MatrixXf& latent) const {
    return sigmoid(affine(layers_[kOutput], affine(layers_[kDecode], latent).cwiseMax(0.0f)));
}

double Model::gradient_norm() const {
    double sum = 0;
    for (const Layer& layer : layers_) {
        sum += static_cast<double>(layer.weight_gradient.squaredNorm() +
                                   layer.bias_gradient.squaredNorm());
    }
    return std::sqrt(sum);
}

std::int64_t Model::parameters() const {
    std::int64_t count = 0;
    for (const Layer& layer : layers_) {
        count += layer.weight.size() + layer.bias.size();
    }
    return count;
}

double psnr(const MatrixXf& truth, const MatrixXf& guess) {
    const double error =
        static_cast<double>((truth - guess).squaredNorm()) / static_cast<double>(truth.size());
    return -10.0 * std::log10(error);
}

}  // namespace vae_digits
