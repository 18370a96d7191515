// The training code as the Trainer runs it: steps, logging, and what happens at the end of an
// epoch.
#pragma once

#include <taffrail/communicator.h>
#include <taffrail/event_writer.h>
#include <taffrail/module.h>
#include <taffrail/run.h>

#include "batches.h"
#include "digits.h"
#include "latent.h"
#include "model.h"
#include "png.h"
#include "settings.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace vae_digits {

class DigitsModule : public taffrail::Module {
  public:
    DigitsModule(const Settings& settings, taffrail::Run& run,
                 std::optional<taffrail::EventWriter>& writer,
                 std::shared_ptr<taffrail::Communicator> ranks);

    std::shared_ptr<taffrail::Loader> train_dataloader() override;
    taffrail::LoaderList val_dataloader() override;
    void training_step(const taffrail::Batch& batch, std::int64_t index) override;
    void apply_gradients() override;
    void on_train_batch_end(const taffrail::Batch& batch, std::int64_t index) override;
    void validation_step(const taffrail::Batch& batch, std::int64_t index, int loader) override;
    void on_validation_epoch_start() override;
    void on_validation_epoch_end() override;
    void on_train_start() override;
    std::vector<std::pair<std::string, double>> learning_rates() const override;

    /// Held-out quality in dB over all ranks, after the last validation.
    [[nodiscard]] double psnr_db() const { return psnr_db_; }

    /// What is recorded after the last epoch, and the three pictures. Rank 0.
    taffrail::Result<void> finish(taffrail::Step step);

  private:
    [[nodiscard]] double learning_rate() const;
    void log_number(std::string_view name, double value, taffrail::LogOptions options = {});
    void hand_to_loggers(const Eigen::MatrixXf& pictures, const Loss& loss);
    [[nodiscard]] LatentClasses classes() const;
    [[nodiscard]] Picture reconstructions() const;
    [[nodiscard]] Picture generated(const LatentClasses& classes) const;

    const Settings& settings_;
    taffrail::Run& run_;
    std::optional<taffrail::EventWriter>& writer_;
    std::shared_ptr<taffrail::Communicator> ranks_;
    Digits data_, held_out_;  ///< this rank's share
    Model model_;
    Random noise_;
    std::int64_t batches_ = 0;
    std::vector<double> losses_;
    double squared_error_ = 0, pixels_ = 0, psnr_db_ = 0;
    bool said_good_ = false;
    std::chrono::steady_clock::time_point step_began_;
};

}  // namespace vae_digits
