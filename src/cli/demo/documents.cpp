#include "cli/demo/documents.h"

#include "base/try.h"
#include "cli/demo/pictures.h"
#include "cli/demo/random.h"
#include "codec/capture.h"
#include "codec/json_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail::cli::demo {
namespace {

constexpr int kClasses = 10;

std::string digits_axis() {
    return R"(["0","1","2","3","4","5","6","7","8","9"])";
}

std::string json_of(const Hparams& config) {
    JsonWriter json;
    json.begin_object();
    for (const auto& [name, cell] : config) {
        json.member(name, cell);
    }
    json.end_object();
    return std::move(json).take();
}

}  // namespace

Value sample_text(std::int64_t index, Step step, double progress) {
    constexpr std::array kAnimals{"fox", "owl", "elk"};
    const char* animal = kAnimals[static_cast<std::size_t>(index) % kAnimals.size()];
    return Text{
        fmt::format("### Sample at step {}\n\nThe model says: *the {} runs*.\n\n"
                    "| token | p |\n| --- | --- |\n| the | 0.91 |\n| {} | {:.2f} |\n\n"
                    "The loss is $\\mathcal{{L}} = \\frac{{1}}{{n}}\\sum_i (y_i - \\hat "
                    "y_i)^2$, and $p(y \\mid x)$ is what the table shows.",
                    step, animal, animal, 0.2 + 0.7 * progress)};
}

Value predictions(double progress, std::uint64_t seed) {
    Random random(seed);
    Table table;
    table.columns = {"id", "label", "prediction", "score"};
    for (std::int64_t id = 0; id < 40; ++id) {
        const std::int64_t label = id % kClasses;
        const bool right = random.uniform() < 0.3 + 0.68 * progress;
        const auto other = static_cast<std::int64_t>(random.uniform() * 9);
        const double score = std::round(1e4 * (right ? 0.6 + 0.4 * random.uniform() : 0.5)) / 1e4;
        table.rows.push_back({Cell(id), Cell(label),
                              Cell(right ? label : (label + 1 + other) % kClasses), Cell(score)});
    }
    return table;
}

Result<Value> confusion_figure(double progress) {
    const int right = static_cast<int>(40 + 54 * progress);
    std::string rows;
    for (int truth = 0; truth < kClasses; ++truth) {
        std::string row;
        for (int guess = 0; guess < kClasses; ++guess) {
            // The digit that looks most alike takes most of what is wrong.
            const bool alike = guess == (truth + 4) % kClasses;
            const int wrong = alike ? (100 - right) / 2 : (100 - right) / 18;
            row += fmt::format("{}{}", guess > 0 ? "," : "", guess == truth ? right : wrong);
        }
        rows += (truth > 0 ? ",[" : "[") + row + "]";
    }
    return capture_figure(fmt::format(
        R"({{"data":[{{"type":"heatmap","z":[{0}],"x":{1},"y":{1}}}],"layout":{{"title":{{"text":"Confusion"}},)"
        R"("xaxis":{{"title":{{"text":"predicted"}}}},"yaxis":{{"title":{{"text":"true"}}}}}}}})",
        rows, digits_axis()));
}

Result<Value> calibration_figure(double progress) {
    std::string seen, share;
    for (int i = 0; i <= 10; ++i) {
        const double stated = i / 10.0;
        const double curve = stated + (1 - progress) * 0.25 * std::sin(3.14159 * 2 * stated);
        seen += fmt::format("{}{:.4f}", i > 0 ? "," : "", std::clamp(curve, 0.0, 1.0));
        share +=
            fmt::format("{}{:.3f}", i > 0 ? "," : "", 0.05 + std::pow(2 * stated - 1, 2) * 0.5);
    }
    constexpr const char* kX = "[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]";
    return capture_figure(fmt::format(
        R"({{"data":[{{"type":"scatter","mode":"lines+markers","name":"model","x":{0},"y":[{1}]}},)"
        R"({{"type":"bar","name":"share","x":{0},"y":[{2}]}}],"layout":{{"title":{{"text":"Calibration"}},)"
        R"("xaxis":{{"title":{{"text":"stated"}}}},"yaxis":{{"title":{{"text":"seen"}}}}}}}})",
        kX, seen, share));
}

Value distribution(std::uint64_t seed, double spread, double shift, std::uint64_t nan_count) {
    Random random(seed);
    std::vector<double> values(800);
    for (double& value : values) {
        value = shift + spread * random.normal();
    }
    for (std::uint64_t i = 0; i < nan_count; ++i) {
        values[i * 7] = std::nan("");
    }
    return Histogram::from_values(values, 48);
}

Value detector_curve(std::uint64_t seed, double skill) {
    Random random(seed);
    std::vector<std::uint8_t> labels(1000);
    std::vector<double> scores(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = i % 10 == 0 ? 1 : 0;
        const double centre = labels[i] != 0 ? 0.5 + 0.35 * skill : 0.5 - 0.25 * skill;
        scores[i] = std::clamp(centre + 0.16 * random.normal(), 0.0, 1.0);
    }
    return PrCurve::from_predictions(labels, scores, 101);
}

Result<Value> latent_space(std::uint64_t seed, double separation) {
    constexpr std::int64_t kCount = 600, kDimensions = 16;
    constexpr int kThumbnail = 16;
    Random random(seed);
    std::array<std::array<double, kDimensions>, kClasses> centres{};
    for (auto& centre : centres) {
        for (double& at : centre) {
            at = separation * random.normal();
        }
    }
    std::vector<float> vectors;
    std::vector<std::uint8_t> pixels;
    Table metadata;
    metadata.columns = {"digit", "index"};
    for (std::int64_t i = 0; i < kCount; ++i) {
        const std::int64_t digit = i % kClasses;
        metadata.rows.push_back({Cell(std::to_string(digit)), Cell(i)});
        for (double at : centres[static_cast<std::size_t>(digit)]) {
            vectors.push_back(static_cast<float>(at + random.normal()));
        }
        const auto picture =
            thumbnail(static_cast<int>(digit), kThumbnail, static_cast<std::uint64_t>(i));
        pixels.insert(pixels.end(), picture.begin(), picture.end());
    }
    const ImageView thumbnails{
        TensorView(pixels.data(), DType::U8, {kCount, kThumbnail, kThumbnail, 1})};
    return capture_embedding(TensorView(vectors.data(), DType::F32, {kCount, kDimensions}),
                             {.metadata = &metadata, .thumbnails = &thumbnails});
}

Value model_graph(std::int64_t blocks) {
    Graph graph;
    const auto add = [&](std::string name, std::string op, std::vector<std::string> inputs,
                         std::vector<std::int64_t> shape, std::int64_t parameters = 0) {
        graph.nodes.push_back({std::move(name),
                               std::move(op),
                               std::move(inputs),
                               std::move(shape),
                               parameters,
                               "cuda:0",
                               {{"dtype", Cell("float32")}}});
    };
    add("input", "Placeholder", {}, {64, 1, 28, 28});
    std::string last = "input";
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::string at = "encoder/block" + std::to_string(block) + "/";
        add(at + "conv", "Conv2d", {last}, {64, 32, 28, 28}, block == 0 ? 320 : 9248);
        add(at + "norm", "BatchNorm2d", {at + "conv"}, {64, 32, 28, 28}, 64);
        add(at + "relu", "ReLU", {at + "norm"}, {64, 32, 28, 28});
        add(at + "add", "Add", {at + "relu", last}, {64, 32, 28, 28});
        last = at + "add";
    }
    add("encoder/pool", "AvgPool2d", {last}, {64, 32});
    add("latent/mean", "Linear", {"encoder/pool"}, {64, 16}, 528);
    add("latent/log_var", "Linear", {"encoder/pool"}, {64, 16}, 528);
    add("latent/sample", "Sample", {"latent/mean", "latent/log_var"}, {64, 16});
    add("decoder/linear", "Linear", {"latent/sample"}, {64, 784}, 13328);
    add("decoder/sigmoid", "Sigmoid", {"decoder/linear"}, {64, 784});
    add("loss/reconstruction", "BinaryCrossEntropy", {"decoder/sigmoid", "input"}, {});
    add("loss/kl", "KlDivergence", {"latent/mean", "latent/log_var"}, {});
    add("loss/total", "Add", {"loss/reconstruction", "loss/kl"}, {});
    return graph;
}

Value checkpoint(const std::string& version, std::uint64_t seed, const Hparams& config,
                 double accuracy) {
    Random random(seed);
    Bytes weights(4096);
    std::ranges::generate(weights, [&] { return static_cast<std::byte>(random.bits()); });
    const std::string settings = json_of(config);
    const ByteSpan text = as_bytes(std::string_view(settings));
    Artifact artifact{"model", "checkpoint", version, {}, {{"val/accuracy", Cell(accuracy)}}};
    artifact.files.push_back({"weights.bin", make_blob(std::move(weights))});
    artifact.files.push_back({"config.json", make_blob(Bytes(text.begin(), text.end()))});
    return artifact;
}

}  // namespace taffrail::cli::demo
