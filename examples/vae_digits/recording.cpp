#include "recording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

namespace vae_digits {
namespace {

using taffrail::Cell;
using taffrail::DType;
using taffrail::Step;
using taffrail::TensorView;

TensorView tensor(const Eigen::MatrixXf& matrix) {
    // Eigen keeps columns together: seen row by row, that is the transpose.
    return {matrix.data(), DType::F32, {matrix.cols(), matrix.rows()}};
}

TensorView values(const Eigen::MatrixXf& matrix) {
    return {matrix.data(), DType::F32, {matrix.size()}};
}

taffrail::Graph graph_of(const Model& model) {
    const ModelShape& shape = model.shape();
    const auto parameters = [&](std::size_t i) {
        return model.layers()[i].weight.size() + model.layers()[i].bias.size();
    };
    const auto node = [](std::string name, std::string op, std::vector<std::string> inputs,
                         std::int64_t size, std::int64_t count = 0) {
        taffrail::GraphNode made;
        made.name = std::move(name);
        made.op = std::move(op);
        made.inputs = std::move(inputs);
        made.output_shape = {-1, size};
        made.parameters = count;
        made.device = "cpu";
        return made;
    };
    return {
        {node("input", "Placeholder", {}, shape.pixels),
         node("encoder/hidden", "Linear", {"input"}, shape.hidden, parameters(0)),
         node("encoder/relu", "Relu", {"encoder/hidden"}, shape.hidden),
         node("encoder/mean", "Linear", {"encoder/relu"}, shape.latent, parameters(1)),
         node("encoder/log_variance", "Linear", {"encoder/relu"}, shape.latent, parameters(2)),
         node("latent/noise", "RandomNormal", {}, shape.latent),
         node("latent/sample", "Reparameterise",
              {"encoder/mean", "encoder/log_variance", "latent/noise"}, shape.latent),
         node("decoder/hidden", "Linear", {"latent/sample"}, shape.hidden, parameters(3)),
         node("decoder/relu", "Relu", {"decoder/hidden"}, shape.hidden),
         node("decoder/output", "Linear", {"decoder/relu"}, shape.pixels, parameters(4)),
         node("decoder/sigmoid", "Sigmoid", {"decoder/output"}, shape.pixels),
         node("loss/reconstruction", "BinaryCrossEntropy", {"decoder/sigmoid", "input"}, 1),
         node("loss/divergence", "KullbackLeibler", {"encoder/mean", "encoder/log_variance"}, 1),
         node("loss/total", "Add", {"loss/reconstruction", "loss/divergence"}, 1)}};
}

std::array<double, kClasses> psnr_per_digit(const Model& model, const Digits& digits) {
    std::array<double, kClasses> quality{};
    const Eigen::MatrixXf guess = model.reconstruct(digits.pixels);
    for (int digit = 0; digit < kClasses; ++digit) {
        double error = 0, count = 0;
        for (Eigen::Index i = 0; i < guess.cols(); ++i) {
            if (digits.labels[static_cast<std::size_t>(i)] == digit) {
                error += static_cast<double>((guess.col(i) - digits.pixels.col(i)).squaredNorm());
                count += kPixels;
            }
        }
        quality[static_cast<std::size_t>(digit)] = -10 * std::log10(error / count);
    }
    return quality;
}

void record_quality(taffrail::Run& run, const Model& model, const Digits& held_out, Step step) {
    const auto quality = psnr_per_digit(model, held_out);
    taffrail::Table table{{"digit", "psnr_db"}, {}};
    std::string x, y;
    for (std::size_t digit = 0; digit < kClasses; ++digit) {
        if (!std::isfinite(quality[digit])) {
            continue;  // the share of this rank has no such digit
        }
        table.rows.push_back({static_cast<std::int64_t>(digit), quality[digit]});
        x += (x.empty() ? "" : ",") + std::to_string(digit);
        y += (y.empty() ? "" : ",") + std::to_string(quality[digit]);
    }
    run.log_table("val/quality_per_digit", table, step);
    run.log_figure(
        "val/quality_figure",
        R"({"data":[{"type":"bar","x":[)" + x + R"(],"y":[)" + y +
            R"(]}],"layout":{"title":{"text":"Held-out PSNR per digit"},"xaxis":{"title":{"text":"digit"},"dtick":1},)"
            R"("yaxis":{"title":{"text":"dB"}}}})",
        step);
}

constexpr double kGoodDb = 20;

std::string decibels(double value) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.1f dB", value);
    return text.data();
}

// How well an eight is told from other digits by where it lies in latent space.
void record_precision(taffrail::Run& run, const Model& model, const Digits& held_out,
                      const LatentClasses& classes, Step step) {
    constexpr int kSought = 8;
    const Eigen::MatrixXf probability = classes.probabilities(model.encode(held_out.pixels));
    std::vector<std::uint8_t> labels;
    std::vector<double> predictions;
    for (Eigen::Index i = 0; i < probability.cols(); ++i) {
        labels.push_back(held_out.labels[static_cast<std::size_t>(i)] == kSought ? 1 : 0);
        predictions.push_back(static_cast<double>(probability(kSought, i)));
    }
    run.log_pr_curve("val/is_an_eight", taffrail::PrCurve::from_predictions(labels, predictions),
                     step);
}

constexpr std::array<std::array<std::uint8_t, 3>, kClasses> kColors = {{{31, 119, 180},
                                                                        {255, 127, 14},
                                                                        {44, 160, 44},
                                                                        {214, 39, 40},
                                                                        {148, 103, 189},
                                                                        {140, 86, 75},
                                                                        {227, 119, 194},
                                                                        {127, 127, 127},
                                                                        {188, 189, 34},
                                                                        {23, 190, 207}}};

void record_latent_cloud(taffrail::Run& run, const Model& model, const Digits& held_out,
                         Step step) {
    const Eigen::MatrixXf points = principal_three(model.encode(held_out.pixels));
    std::vector<std::uint8_t> colors;
    for (const int label : held_out.labels) {
        const auto& color = kColors[static_cast<std::size_t>(label)];
        colors.insert(colors.end(), color.begin(), color.end());
    }
    run.log_mesh(
        "latent/points",
        {.vertices = {points.data(), static_cast<std::size_t>(points.size())}, .colors = colors},
        step);
}

// A generated digit as a landscape: brightness is height.
void record_landscape(taffrail::Run& run, const Eigen::VectorXf& digit, Step step) {
    std::vector<float> vertices;
    std::vector<std::uint32_t> faces;
    std::vector<std::uint8_t> colors;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const float height = digit[y * kSide + x];
            vertices.insert(vertices.end(), {static_cast<float>(x) / kSide, height * 0.3f,
                                             static_cast<float>(y) / kSide});
            const auto level = static_cast<std::uint8_t>(std::lround(255 * height));
            colors.insert(colors.end(), {level, static_cast<std::uint8_t>(80 + level / 2),
                                         static_cast<std::uint8_t>(255 - level)});
            if (x + 1 < kSide && y + 1 < kSide) {
                const auto a = static_cast<std::uint32_t>(y * kSide + x), below = a + kSide;
                faces.insert(faces.end(), {a, below, a + 1, a + 1, below, below + 1});
            }
        }
    }
    run.log_mesh("generated/landscape", {.vertices = vertices, .faces = faces, .colors = colors},
                 step);
}

// The loss heard: its logarithm is the pitch of a tone of three seconds.
void record_tone(taffrail::Run& run, const std::vector<double>& losses, Step step) {
    if (losses.empty()) {
        return;
    }
    constexpr int kRate = 16000, kSeconds = 3;
    const double highest = *std::ranges::max_element(losses),
                 lowest = *std::ranges::min_element(losses);
    std::vector<float> samples(kRate * kSeconds);
    double phase = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double loss = losses[i * losses.size() / samples.size()];
        const double place =
            highest > lowest ? std::log(loss / lowest) / std::log(highest / lowest) : 0;
        phase += 2 * 3.14159265358979 * (220 + 660 * place) / kRate;
        const double fade = std::min(
            {1.0, static_cast<double>(i) / 800, static_cast<double>(samples.size() - i) / 800});
        samples[i] = static_cast<float>(0.4 * fade * std::sin(phase));
    }
    run.log_audio("train/loss_as_tone", {TensorView(samples), kRate}, step,
                  {.caption = "pitch follows the training loss"});
}

}  // namespace

taffrail::ImageView view(const Picture& picture) {
    return {TensorView(picture.pixels.data(), DType::U8, {picture.height, picture.width})};
}

void record_start(taffrail::Run& run, const Model& model, const Picture& originals) {
    const ModelShape& shape = model.shape();
    run.log_text("model/card",
                 "# Variational auto-encoder on drawn digits\n\n"
                 "| part | size |\n| --- | --- |\n| pixels | " +
                     std::to_string(shape.pixels) + " |\n| hidden | " +
                     std::to_string(shape.hidden) + " |\n| latent | " +
                     std::to_string(shape.latent) + " |\n| parameters | " +
                     std::to_string(model.parameters()) + " |\n",
                 0);
    run.log_graph("model/graph", graph_of(model), 0);
    run.log_image("data/originals", view(originals), 0,
                  {.caption = "digits as the example draws them"});
}

void record_epoch(taffrail::Run& run, const Model& model, const Digits& held_out,
                  const LatentClasses& classes, const Picture& reconstructions,
                  const Picture& generated, Step step) {
    for (const Layer& layer : model.layers()) {
        run.log_histogram("weights/" + layer.name, values(layer.weight), step);
        run.log_histogram("gradients/" + layer.name, values(layer.weight_gradient), step);
    }
    run.log_image("val/reconstructions", view(reconstructions), step,
                  {.caption = "above: held out, below: reconstructed"});
    run.log_image("generated/digits", view(generated), step, {.caption = "one column per digit"});
    record_quality(run, model, held_out, step);
    record_precision(run, model, held_out, classes, step);
    record_latent_cloud(run, model, held_out, step);
}

bool alert_when_good(taffrail::Run& run, double psnr_db) {
    if (!(psnr_db >= kGoodDb)) {
        return false;
    }
    run.alert("good reconstructions",
              "held-out PSNR passed " + decibels(kGoodDb) + ": it is " + decibels(psnr_db),
              taffrail::AlertLevel::Info);
    run.tag("good");
    return true;
}

void alert_poor_quality(taffrail::Run& run, double psnr_db) {
    run.alert("poor reconstructions",
              "held-out PSNR ended at " + decibels(psnr_db) + ", below " + decibels(kGoodDb) +
                  "; train longer (trainer.max_epochs) or take model=large");
    run.tag("poor");
}

bool record_weights(taffrail::Run& run, const Model& model, const std::string& path) {
    taffrail::Hparams shapes;
    std::ofstream file(path, std::ios::binary);
    const auto write = [&](const float* numbers, Eigen::Index count) {
        file.write(
            reinterpret_cast<const char*>(numbers),
            static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(float)));
    };
    for (const Layer& layer : model.layers()) {
        write(layer.weight.data(), layer.weight.size());
        write(layer.bias.data(), layer.bias.size());
        shapes.emplace_back(layer.name, std::to_string(layer.weight.rows()) + "×" +
                                            std::to_string(layer.weight.cols()));
    }
    file.close();
    if (!file) {
        return false;
    }
    run.log_artifact("weights", path, {.type = "model", .metadata = shapes});
    return true;
}

void record_end(taffrail::Run& run, const Model& model, const Digits& held_out,
                const LatentClasses& classes, const std::vector<double>& losses, Step step) {
    taffrail::Table labels{{"digit"}, {}};
    std::vector<std::uint8_t> thumbnails;
    for (Eigen::Index i = 0; i < held_out.pixels.cols(); ++i) {
        labels.rows.push_back(
            {Cell(static_cast<std::int64_t>(held_out.labels[static_cast<std::size_t>(i)]))});
        for (Eigen::Index pixel = 0; pixel < kPixels; ++pixel) {
            thumbnails.push_back(
                static_cast<std::uint8_t>(std::lround(held_out.pixels(pixel, i) * 255)));
        }
    }
    const taffrail::ImageView sprites{
        TensorView(thumbnails.data(), DType::U8, {held_out.pixels.cols(), kSide, kSide, 1})};
    const Eigen::MatrixXf latent = model.encode(held_out.pixels);
    Eigen::MatrixXf centres(latent.rows(), kClasses);
    for (int digit = 0; digit < kClasses; ++digit) {
        centres.col(digit) = classes.mean[static_cast<std::size_t>(digit)];
    }
    run.log_tensor("latent/centres", tensor(centres), step);
    run.log_embedding("latent/embedding", tensor(latent), step,
                      {.metadata = &labels, .thumbnails = &sprites});

    constexpr int kStepsBetween = 8;
    const Eigen::MatrixXf walk = model.decode(classes.walk(kStepsBetween));
    std::vector<std::uint8_t> frames;
    for (const float value : walk.reshaped()) {
        frames.push_back(
            static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255)));
    }
    run.log_video("generated/walk",
                  {TensorView(frames.data(), DType::U8, {walk.cols(), kSide, kSide, 1}),
                   taffrail::Layout::Hwc, 10},
                  step, {.caption = "from digit to digit through latent space"});
    record_landscape(run, model.decode(classes.mean[3]).col(0), step);
    record_tone(run, losses, step);
}

}  // namespace vae_digits
