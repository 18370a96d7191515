#include "cli/demo/documents.h"
#include "cli/demo/pictures.h"
#include "cli/demo/training_writer.h"

#include <fmt/core.h>

#include <cmath>

namespace taffrail::cli::demo {
namespace {

constexpr std::int64_t kRunsWithAllMedia = 4, kRunsWithDistributions = 8;

}  // namespace

Result<void> TrainingWriter::put_value(std::string_view key, Step step, Result<Value> value) {
    TAFFRAIL_TRY(value);
    Entry entry;
    entry.step = step;
    entry.time_ns = span_.time(step);
    entry.epoch = static_cast<double>(step) / kStepsAnEpoch;
    entry.value = std::make_shared<const Value>(std::move(*value));
    return writer_.value(key, entry);
}

Result<void> TrainingWriter::every(std::int64_t times, WriteAt write) {
    const Step stride = std::max<Step>(40, span_.total / times);
    const Step first = (span_.first + stride - 1) / stride * stride;
    for (Step step = first; step < span_.end; step += stride) {
        TAFFRAIL_TRY((this->*write)(step, span_.progress(step)));
    }
    return {};
}

// A run that ends worse draws worse.
double TrainingWriter::skill() const {
    return std::clamp(1.15 - recipe_.floor, 0.3, 1.0);
}

Result<void> TrainingWriter::reconstructions(Step step, double progress) {
    constexpr std::uint64_t kSamePictures = 3;
    const double quality = std::min(1.0, progress * 1.5 + 0.02) * skill();
    const auto own = static_cast<std::uint64_t>(recipe_.index) * 5 + 40;
    const double error = 0.09 * std::pow(1 - quality, 1.5) + 0.0035;
    TAFFRAIL_TRY(put_value("reconstruction", step,
                           digits(kSamePictures, quality, {fmt::format("mse {:.4f}", error)})));
    TAFFRAIL_TRY(put_value("target", step, digits(kSamePictures, 1, {"target"})));
    return put_value("samples", step,
                     digits(own, (0.05 + 0.95 * progress) * skill(), {"prior", "posterior"}));
}

Result<void> TrainingWriter::all_media(Step step, double progress) {
    const auto seed = static_cast<std::uint64_t>(recipe_.index);
    const double hertz = 220 + 60 * static_cast<double>(recipe_.index) + 200 * progress;
    TAFFRAIL_TRY(put_value("speech", step, tone(hertz, "tone")));
    TAFFRAIL_TRY(put_value("rollout", step, moving_blob(6 * progress, "policy")));
    TAFFRAIL_TRY(put_value("shape", step, sphere(16, 0.3 * (1 - progress))));
    TAFFRAIL_TRY(put_value("scan", step, cloud(8000, seed + static_cast<std::uint64_t>(step))));
    TAFFRAIL_TRY(put_value("notes", step, sample_text(recipe_.index, step, progress)));
    TAFFRAIL_TRY(put_value("predictions", step, predictions(progress, seed)));
    TAFFRAIL_TRY(put_value("confusion", step, confusion_figure(progress)));
    return put_value("calibration", step, calibration_figure(progress));
}

Result<void> TrainingWriter::distributions(Step step, double progress) {
    const auto seed = static_cast<std::uint64_t>(step);
    const double growth = 0.6 + 0.8 * progress;
    const bool odd = recipe_.fate == Fate::LogsNonFinite && step * 4 == span_.total;
    const auto put_layer = [&](const char* key, std::uint64_t part, double spread, double shift) {
        const std::uint64_t nan_count = odd && part == 0 ? 3 : 0;
        return put_value(key, step, distribution(seed * 4 + part, spread, shift, nan_count));
    };
    TAFFRAIL_TRY(put_layer("layers/0/weight", 0, growth, 0.3 * progress));
    TAFFRAIL_TRY(put_layer("layers/1/weight", 1, 0.6 * growth, -0.4 * progress));
    TAFFRAIL_TRY(put_layer("layers/2/weight", 2, 0.4 * growth, 0.1 * progress));
    return put_layer("layers/0/grad", 3, 0.3 * (1.1 - progress), 0);
}

Result<void> TrainingWriter::model_pictures() {
    const auto seed = static_cast<std::uint64_t>(recipe_.index);
    const Step stride = std::max<Step>(40, span_.total / 4);
    for (Step step = span_.first; step < span_.end; step += stride) {
        const double learnt = span_.progress(step) * skill();
        TAFFRAIL_TRY(put_value("pr/digit_3", step, detector_curve(seed, learnt)));
        TAFFRAIL_TRY(put_value("pr/digit_8", step, detector_curve(seed + 50, learnt * 0.8)));
    }
    TAFFRAIL_TRY(put_value("graph", span_.first, model_graph(2 + recipe_.depth)));
    return put_value("latent", span_.end - 1, latent_space(seed, 1 + 2 * skill()));
}

Result<void> TrainingWriter::values(const Hparams& config) {
    const auto seed = static_cast<std::uint64_t>(recipe_.index);
    TAFFRAIL_TRY(every(20, &TrainingWriter::reconstructions));
    if (recipe_.index < kRunsWithAllMedia) {
        TAFFRAIL_TRY(every(4, &TrainingWriter::all_media));
    }
    if (recipe_.index < kRunsWithDistributions) {
        TAFFRAIL_TRY(every(50, &TrainingWriter::distributions));
        TAFFRAIL_TRY(model_pictures());
    }
    const Step middle = span_.first + (span_.end - span_.first) / 2;
    TAFFRAIL_TRY(put_value("model", middle, checkpoint("v0", seed * 2, config, accuracy_ * 0.97)));
    return put_value("model", span_.end - 1, checkpoint("v1", seed * 2 + 1, config, accuracy_));
}

Result<void> TrainingWriter::alerts() {
    if (recipe_.fate == Fate::Fails) {
        const Step last = span_.end - 1;
        TAFFRAIL_TRY(
            put_value("alerts", last,
                      Value(Alert{AlertLevel::Error, "Loss is NaN",
                                  fmt::format("train/loss turned NaN at step {}.", last)})));
    }
    if (recipe_.index % 6 != 0) {
        return {};
    }
    return put_value("alerts", span_.first + (span_.end - span_.first) / 8,
                     Value(Alert{AlertLevel::Warning, "Slow data loader",
                                 "38 ms of each step are spent waiting for data."}));
}

}  // namespace taffrail::cli::demo
