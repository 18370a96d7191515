// Fills a made-up training run through one writer: its scalars, its machine's load, its values.
#pragma once

#include "base/try.h"
#include "cli/demo/recipe.h"
#include "transfer/run_writer.h"

#include <algorithm>

namespace taffrail::cli::demo {

inline constexpr std::int64_t kStepsAnEpoch = 100;

/// What one attempt of the run logs: steps [first, end) out of `total`.
struct Span {
    Step first = 0, end = 0, total = 0;
    std::int64_t start_ns = 0, step_ns = 0;

    [[nodiscard]] std::int64_t time(Step step) const { return start_ns + (step - first) * step_ns; }

    [[nodiscard]] double progress(Step step) const {
        return static_cast<double>(step) / static_cast<double>(total);
    }
};

class TrainingWriter {
  public:
    TrainingWriter(Recipe recipe, Span span, transfer::RunWriter& writer, std::uint64_t seed)
        : recipe_(std::move(recipe)), span_(span), writer_(writer), random_(seed) {}

    Result<void> scalars();
    /// Load of one machine with two GPUs, below `prefix`.
    Result<void> machine(const std::string& prefix);
    Result<void> alerts();
    /// Pictures, sound, text, distributions, files. The first runs have all kinds.
    Result<void> values(const Hparams& config);

    [[nodiscard]] double best_loss() const noexcept { return best_loss_; }

    [[nodiscard]] double last_accuracy() const noexcept { return accuracy_; }

  private:
    Result<void> train(Step step);
    Result<void> validate(Step step, double loss);
    [[nodiscard]] double odd_value(Step step, double loss) const;
    Result<void> gpu(const std::string& prefix, int number, Step step, std::int64_t reading);
    Result<void> reconstructions(Step step, double progress);
    Result<void> all_media(Step step, double progress);
    Result<void> distributions(Step step, double progress);
    Result<void> model_pictures();
    [[nodiscard]] double skill() const;
    Result<void> put(std::string_view key, Step step, double value, Phase phase = Phase::Train);
    Result<void> put_value(std::string_view key, Step step, Result<Value> value);

    using WriteAt = Result<void> (TrainingWriter::*)(Step step, double progress);
    /// Calls `write` about `times` times, never more often than every 40th step.
    Result<void> every(std::int64_t times, WriteAt write);

    Recipe recipe_;
    Span span_;
    transfer::RunWriter& writer_;
    Random random_;
    double drift_ = 0, best_loss_ = INFINITY, accuracy_ = 0;
};

}  // namespace taffrail::cli::demo
