// The training code: what a program overrides so that a Trainer can run it. Everything has a
// default that does nothing; a module overrides what it needs. All hooks run on the training
// thread.
#pragma once

#include <taffrail/api.h>
#include <taffrail/batch.h>
#include <taffrail/loader.h>
#include <taffrail/log_options.h>
#include <taffrail/metric.h>
#include <taffrail/routine.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

class Callback;
class Trainer;

namespace trainer {
class Core;
}

/// What the trainer was asked to do.
enum class Stage : std::uint8_t { Fit, Validate, Test, Predict };

/// "fit", "validate", "test", "predict".
TAFFRAIL_API std::string_view to_string(Stage stage) noexcept;

/// The batches of a pass for a training step that draws them itself.
class TAFFRAIL_API BatchSource {
  public:
    virtual ~BatchSource() = default;
    /// The next batch, or nothing at the end.
    virtual std::optional<Batch> next() = 0;
};

/// Base of the training code. One train batch is these calls, in this order:
///
///   on_before_batch_transfer, transfer_batch_to_device, on_after_batch_transfer
///   on_train_batch_start
///   optimizer_step                       wraps what is indented; its closure runs:
///       training_step
///       on_before_zero_grad, optimizer_zero_grad     gradients are emptied here, AFTER the step:
///       on_before_backward, backward                 add to them in backward(), not before
///       on_after_backward
///       on_before_optimizer_step, configure_gradient_clipping
///     then apply_gradients
///   lr_scheduler_step
///   on_train_batch_end
///
/// With accumulate_grad_batches = k, zeroing comes with every first and optimizer_step with every
/// last of k batches (and of the epoch); the others run the closure alone.
class TAFFRAIL_API Module {
  public:
    Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    virtual ~Module();

    // The work

    virtual void training_step(const Batch& batch, std::int64_t index);
    virtual void validation_step(const Batch& batch, std::int64_t index, int loader);
    virtual void test_step(const Batch& batch, std::int64_t index, int loader);
    virtual void predict_step(const Batch& batch, std::int64_t index, int loader);

    /// True: training_step(BatchSource&) is called instead and draws its own batches; log() then
    /// needs batch_size.
    [[nodiscard]] virtual bool takes_iterator() const { return false; }

    virtual void training_step(BatchSource& batches, std::int64_t index);

    /// Gradients of the loss of the last training_step. Called for every batch.
    virtual void backward();
    /// The parameter update from the gradients. Called when enough batches were accumulated.
    virtual void apply_gradients();
    virtual void optimizer_zero_grad();
    virtual void configure_gradient_clipping();
    /// Wraps the whole step: `closure` runs training_step, zeroing and backward. The default runs
    /// it, then apply_gradients().
    virtual void optimizer_step(const std::function<void()>& closure);
    /// After each optimiser step and each epoch, for schedules.
    virtual void lr_scheduler_step();

    /// Learning rates by name, for the monitor.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> learning_rates() const {
        return {};
    }

    // Data; used where the trainer was given none

    virtual std::shared_ptr<Loader> train_dataloader();
    virtual LoaderList val_dataloader();
    virtual LoaderList test_dataloader();
    virtual LoaderList predict_dataloader();
    virtual Batch on_before_batch_transfer(Batch batch, int loader);
    virtual Batch transfer_batch_to_device(Batch batch, int loader);
    virtual Batch on_after_batch_transfer(Batch batch, int loader);

    // Life cycle

    virtual void prepare_data();  ///< rank 0 only
    virtual void setup(Stage stage);
    virtual void configure_model();
    virtual void configure_optimizers();
    virtual std::vector<std::shared_ptr<Callback>> configure_callbacks();
    virtual void on_fit_start();
    virtual void on_fit_end();
    virtual void on_train_start();
    virtual void on_train_end();
    virtual void on_train_epoch_start();
    virtual void on_train_epoch_end();
    virtual void on_train_batch_start(const Batch& batch, std::int64_t index);
    virtual void on_train_batch_end(const Batch& batch, std::int64_t index);
    virtual void on_before_zero_grad();
    virtual void on_before_backward();
    virtual void on_after_backward();
    virtual void on_before_optimizer_step();
    virtual void on_validation_model_eval();
    virtual void on_validation_model_train();
    virtual void on_validation_model_zero_grad();
    virtual void on_validation_start();
    virtual void on_validation_end();
    virtual void on_validation_epoch_start();
    virtual void on_validation_epoch_end();
    virtual void on_validation_batch_start(const Batch& batch, std::int64_t index, int loader);
    virtual void on_validation_batch_end(const Batch& batch, std::int64_t index, int loader);
    virtual void on_test_model_eval();
    virtual void on_test_model_train();
    virtual void on_test_start();
    virtual void on_test_end();
    virtual void on_test_epoch_start();
    virtual void on_test_epoch_end();
    virtual void on_test_batch_start(const Batch& batch, std::int64_t index, int loader);
    virtual void on_test_batch_end(const Batch& batch, std::int64_t index, int loader);
    virtual void on_predict_start();
    virtual void on_predict_end();
    virtual void on_predict_epoch_start();
    virtual void on_predict_epoch_end();
    virtual void on_predict_batch_start(const Batch& batch, std::int64_t index, int loader);
    virtual void on_predict_batch_end(const Batch& batch, std::int64_t index, int loader);
    virtual void teardown(Stage stage);

    /// What a checkpoint keeps of the module, as bytes of its own choice.
    [[nodiscard]] virtual std::vector<std::byte> state_dict();
    /// The bytes state_dict() gave; a failure stops the resume.
    virtual Result<void> load_state_dict(const std::vector<std::byte>& bytes);

    // Logging

    /// Records `value` under `name`: see LogOptions. Costs nanoseconds after the first call of a
    /// name. A mistake stops the trainer at the end of the hook, with a message that names this
    /// place.
    void log(std::string_view name, const LogValue& value, const LogOptions& options = {},
             const std::source_location& site = std::source_location::current()) noexcept;
    /// The same options for several values.
    void log_dict(const std::vector<std::pair<std::string, LogValue>>& values,
                  const LogOptions& options = {},
                  const std::source_location& site = std::source_location::current()) noexcept;

    /// Makes a Metric known, so that it can be logged, syncs over ranks and is saved in
    /// checkpoints. It must live as long as the module.
    void register_metric(std::string name, Metric& metric);

    [[nodiscard]] const std::vector<std::pair<std::string, Metric*>>& metrics() const noexcept {
        return metrics_;
    }

    /// What this step hands to the loggers' routines (images, histograms, …); sent and emptied
    /// after each batch. Views are copied when they are put in; emit() spares the copy of what no
    /// routine tracks.
    DataMap output;

    /// output.values[name] = value, where a routine of any logger tracks that name. The data is
    /// read before it returns: a local of the step will do.
    template <typename T>
    void emit(std::string_view name, const T& value) {
        if (is_tracked(name)) {
            output.values.insert_or_assign(std::string(name), Datum(value));
        }
    }

    /// Whether a routine of any logger of the running trainer tracks `name`.
    [[nodiscard]] bool is_tracked(std::string_view name) const noexcept;

    /// The trainer that runs this module; null outside.
    [[nodiscard]] Trainer* trainer() const noexcept { return trainer_; }

  private:
    friend class trainer::Core;

    std::vector<std::pair<std::string, Metric*>> metrics_;
    Trainer* trainer_ = nullptr;
    trainer::Core* core_ = nullptr;
};

}  // namespace taffrail
