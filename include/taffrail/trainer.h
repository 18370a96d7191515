// A small, honest training loop. It knows epochs, batches, validation, limits, callbacks and
// logging; it knows nothing of any neural-network library.
//
//   struct Digits : taffrail::Module {
//       void training_step(const taffrail::Batch& batch, std::int64_t) override {
//           …
//           log("loss", loss);
//       }
//   };
//   taffrail::Trainer trainer({.max_epochs = 10});
//   auto done = trainer.fit(module, {.train = loader, .val = {val_loader}});
#pragma once

#include <taffrail/api.h>
#include <taffrail/callback.h>
#include <taffrail/communicator.h>
#include <taffrail/loader.h>
#include <taffrail/log_options.h>
#include <taffrail/logger_base.h>
#include <taffrail/metric_map.h>
#include <taffrail/module.h>
#include <taffrail/profiler.h>
#include <taffrail/progress_base.h>
#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/routine.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

class Run;

namespace trainer {
class Core;
struct Inside;
}  // namespace trainer

/// When to validate: every k train batches, or every share of an epoch.
using ValidationInterval = BatchLimit;

struct TrainerOptions {
    std::int64_t max_epochs = 1000;  ///< -1 = no limit
    std::optional<std::int64_t> min_epochs = {};
    std::int64_t max_steps = -1;  ///< optimiser steps; -1 = no limit
    std::optional<std::int64_t> min_steps = {};
    std::optional<std::chrono::milliseconds> max_time = {};
    BatchLimit limit_train_batches = {}, limit_val_batches = {}, limit_test_batches = {},
               limit_predict_batches = {};
    std::int64_t num_sanity_val_steps = 2;  ///< batches per loader before training; -1 = all
    ValidationInterval val_check_interval = 1.0;
    /// Nothing: count train batches over epochs.
    std::optional<std::int64_t> check_val_every_n_epoch = 1;
    std::int64_t accumulate_grad_batches = 1;
    /// Step rows to sinks; 0 = none. The store keeps every call.
    std::int64_t log_every_n_steps = 50;
    std::int64_t reload_dataloaders_every_n_epochs = 0;
    std::int64_t fast_dev_run = 0;  ///< so many batches of everything, once, without sinks
    bool barebones = false;         ///< log() off, to measure raw speed
    LogPrecision log_precision = LogPrecision::Double;
    /// Where the rows of routed loggers and every call go; not set: the run of the first logger
    /// that has one.
    Run* run = nullptr;
    std::vector<std::shared_ptr<LoggerBase>> loggers = {};
    std::vector<std::shared_ptr<Callback>> callbacks = {};
    std::shared_ptr<ProgressBarBase> progress_bar = {};
    std::shared_ptr<Communicator> communicator = {};
    std::shared_ptr<Profiler> profiler = {};
    std::string default_root_dir = ".";
    bool handle_signals = true;  ///< Ctrl-C and SIGTERM end a stage cleanly while it runs
    bool print_results = true;   ///< the table after validate() and test()
};

/// Where batches come from; what is empty is asked from the module.
struct FitData {
    std::shared_ptr<Loader> train = {};
    LoaderList val = {};
};

namespace detail {

/// Whether a class of modules has a val_dataloader() of its own; nothing where it keeps it private.
template <typename M>
constexpr std::optional<bool> has_val_dataloader() {
    if constexpr (requires { &M::val_dataloader; }) {
        return !std::same_as<decltype(&M::val_dataloader), decltype(&Module::val_dataloader)>;
    } else {
        return std::nullopt;
    }
}

}  // namespace detail

/// One map per evaluated loader.
using EvaluationResults = std::vector<std::vector<std::pair<std::string, double>>>;

/// Runs modules. One thread; several stages one after the other share the counters.
class TAFFRAIL_API Trainer {
  public:
    explicit Trainer(TrainerOptions options = {});
    Trainer(Trainer&&) noexcept;
    Trainer& operator=(Trainer&&) noexcept;
    ~Trainer();

    /// Trains. `checkpoint` continues from a file written before. A mistake of the program, an
    /// exception or a missing rank is the error; a requested stop, Ctrl-C and SIGTERM are not: ask
    /// interrupted_by(), and give main()'s caller exit_code(). The run given to the trainer knows
    /// how the stage ended: Run::finish() needs no state.
    Result<void> fit(Module& module, FitData data = {}, const std::string& checkpoint = {});

    /// The same where the class of the module is known: then on_sanity_check_start comes before
    /// val_dataloader(), and for a class without one not at all.
    template <std::derived_from<Module> M>
        requires(!std::same_as<M, Module>)
    Result<void> fit(M& module, FitData data = {}, const std::string& checkpoint = {}) {
        return fit_known(module, std::move(data), checkpoint, detail::has_val_dataloader<M>());
    }

    /// Evaluation and prediction. With a `checkpoint` they use the weights of that file: see
    /// load_checkpoint().
    Result<EvaluationResults> validate(Module& module, LoaderList loaders = {},
                                       const std::string& checkpoint = {});
    Result<EvaluationResults> test(Module& module, LoaderList loaders = {},
                                   const std::string& checkpoint = {});
    Result<void> predict(Module& module, LoaderList loaders = {},
                         const std::string& checkpoint = {});

    /// Asks fit() to stop after this batch (and its validation), not before min_epochs and
    /// min_steps. Safe from any thread.
    void stop() noexcept;
    [[nodiscard]] bool should_stop() const noexcept;
    /// Ends the stage with this error when the current hook returns; the first one counts.
    void fail(Error error) noexcept;
    /// The signal that ended the last stage, 0 for none.
    [[nodiscard]] int interrupted_by() const noexcept;
    /// What main() should return after the last stage, as shells expect it: 0, 1 when it failed,
    /// 130 after Ctrl-C and 143 after SIGTERM.
    [[nodiscard]] int exit_code() const noexcept;

    [[nodiscard]] std::int64_t current_epoch() const noexcept;  ///< finished epochs
    [[nodiscard]] Step global_step() const noexcept;            ///< optimiser steps done
    [[nodiscard]] bool sanity_checking() const noexcept;
    [[nodiscard]] Stage stage() const noexcept;
    [[nodiscard]] bool fast_dev_run() const noexcept;
    [[nodiscard]] std::optional<std::int64_t> num_training_batches() const noexcept;
    [[nodiscard]] const TrainerOptions& options() const noexcept;
    /// The x of this step's rows: optimiser steps before this one.
    [[nodiscard]] Step logging_step() const noexcept;
    /// Whether this step's values go to the sinks.
    [[nodiscard]] bool should_log() const noexcept;
    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int world_size() const noexcept;

    /// The three views. Inside a hook they hold the stored values and the current ones.
    const MetricMap& callback_metrics();
    const MetricMap& logged_metrics();
    const MetricMap& progress_bar_metrics();

    /// The mistake that stopped the last stage, and the exception if it was one.
    [[nodiscard]] const std::optional<Misuse>& misuse() const noexcept;
    [[nodiscard]] std::exception_ptr exception() const noexcept;
    /// Codes of the warnings so far: "W4", …
    [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;

    /// Writes a checkpoint: the module's and the callbacks' state, the states of registered
    /// metrics, the counters, and what log() has accumulated in the open epoch. Call it on every
    /// rank: rank 0 writes the file, the others what they accumulated beside it ("<path>.rank<N>").
    Result<void> save_checkpoint(const std::string& path);

    /// Gives `module` the state it had when the checkpoint was written (Module::load_state_dict),
    /// such as the best weights after a fit. Nothing else changes: the counters, the callbacks and
    /// what was logged stay; to go on with the training, give the path to fit(). Here and wherever
    /// a checkpoint is given, "best" and "last" are those of the trainer's ModelCheckpoint, and
    /// anything else is a path or URL.
    Result<void> load_checkpoint(Module& module, const std::string& path);

    /// Runs `work` as a hook of the program's own; log() in it is refused by that name unless it is
    /// one of the table.
    void run_hook(Module& module, std::string_view name, const std::function<void()>& work);

    /// Straight to the sinks, outside of log(): a row at a step.
    void log_metrics(std::span<const std::pair<std::string_view, double>> row, Step step);

  private:
    friend struct trainer::Inside;

    Result<void> fit_known(Module& module, FitData data, const std::string& checkpoint,
                           std::optional<bool> has_val_dataloader);

    std::unique_ptr<trainer::Core> core_;
};

}  // namespace taffrail
