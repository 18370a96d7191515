// The loops behind Trainer. What each hook sees, and in which order hooks, views and rows follow
// each other, is decided here and nowhere else: fit_loop.cpp, evaluation_loop.cpp, stages.cpp.
#pragma once

#include <taffrail/profiler.h>
#include <taffrail/trainer.h>

#include "metrics/log_state.h"
#include "trainer/loop_state.h"
#include "trainer/outputs.h"
#include "trainer/stop.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::trainer {

using metrics::Hook;
using metrics::Loop;

/// Unwinds the loops after a mistake or a failed collective; the reason is in LogState. Not a
/// std::exception, so that a module that catches those around its closure does not swallow it.
struct Aborted {};

/// Unwinds a validation that a signal ended before its last batch: its values would be those of a
/// part, so nothing of it is kept.
struct Stopped {};

/// How far the fit is with its present batch; what a checkpoint written now goes on with.
enum class Place : std::uint8_t {
    Between,          ///< no epoch is open
    InStep,           ///< a batch is in flight: it is done again
    AfterBatch,       ///< its validation, if one is due, is still to come
    AfterValidation,  ///< nothing of the batch is left
    EpochEnd,         ///< in the hooks at the end of an epoch, which is counted already
};

/// "No limit" in counts of batches.
inline constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

/// One evaluation loop: which loaders, how many batches of each, how many were seen since the
/// loaders were made.
struct Evaluation {
    Loop loop = Loop::Validate;
    bool testing = false;
    LoaderList given = {};
    LoaderList loaders = {};
    std::vector<std::int64_t> batches = {};
    std::map<int, Step> seen = {};
    // Of a checkpoint, until the loaders are made
    std::map<int, Step> resumed_seen = {};
    std::vector<std::string> resumed_loaders = {};
    bool ready = false;
    std::optional<std::int64_t> loaded_in_epoch = {};
};

/// Whether the module logged while no Trainer ran it (W1), since this was last asked.
bool take_ignored_logs(const Module& module);

class Core {
  public:
    Core(TrainerOptions options, Trainer* owner);

    /// `has_val_dataloader`: whether the module's class has one, where that is known.
    Result<void> fit(Module& module, FitData data, const std::string& checkpoint,
                     std::optional<bool> has_val_dataloader);
    Result<EvaluationResults> evaluate(Module& module, LoaderList loaders, Stage stage,
                                       const std::string& checkpoint);
    Result<void> predict(Module& module, LoaderList loaders, const std::string& checkpoint);

    /// A log() call of the module or a callback.
    void log(std::string_view name, const LogValue& value, const LogOptions& options,
             const std::source_location& site) noexcept {
        if (actions_ != nullptr) {
            log_profiled(name, value, options, site);
            return;
        }
        log_now(name, value, options, site);
    }

    void log_now(std::string_view name, const LogValue& value, const LogOptions& options,
                 const std::source_location& site) noexcept {
        state_.log(name, value, options, site);
        if (!tracking_.empty() && state_.in_batch()) {
            feed_routines(name, value);
        }
    }

    /// Whether a routine of any logger tracks `name`.
    [[nodiscard]] bool tracks(std::string_view name) const noexcept;

    void run_hook(Module& module, std::string_view name, const std::function<void()>& work);

    // checkpoint.cpp
    Result<void> save_checkpoint(const std::string& path);
    /// Everything, to go on with the fit.
    Result<void> load_checkpoint(const std::string& wanted);
    /// The module's state alone.
    Result<void> load_module(Module& module, const std::string& wanted);
    /// The files of all ranks that a checkpoint consists of; each rank removes its own.
    void remove_checkpoint(const std::string& path);

    /// The last epoch ended before its last batch: a checkpoint goes on inside of it.
    [[nodiscard]] bool epoch_cut_short() const noexcept { return cut_short_; }

    [[nodiscard]] bool should_log() const noexcept;
    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] int world_size() const noexcept;

    TrainerOptions options_;
    Trainer* owner_;
    Outputs outputs_;
    metrics::LogState state_;
    Module* module_ = nullptr;
    Stage stage_ = Stage::Fit;
    std::exception_ptr exception_;
    Stop stop_;
    int exit_code_ = 0;

    // Counters, kept over stages
    std::int64_t epochs_processed_ = 0;  // batches done, hooks perhaps not
    std::int64_t epochs_completed_ = 0;
    Step optimizer_steps_ = 0;
    std::int64_t batches_in_epoch_ = 0;
    std::int64_t batches_total_ = 0;
    std::int64_t validation_batches_total_ = 0;  // of all loaders, the sanity check apart
    std::int64_t test_batches_total_ = 0;
    std::int64_t samples_ = 0;
    std::int64_t train_batches_ = kEndless;

  private:
    // outputs of a step
    void feed_routines(std::string_view name, const LogValue& value) noexcept;

    // stages.cpp
    template <typename Work>
    Result<void> run_stage(Module& module, Stage stage, Loop loop, Work&& work);
    void begin_stage(Module& module, Stage stage, Loop loop);
    void end_stage(RunState state, std::string_view why) noexcept;
    Result<void> failure(std::string_view reason);
    void check_options();

    // profiling.cpp
    void begin_profiling();
    void end_profiling() noexcept;
    [[nodiscard]] std::string_view label_of(const Callback& callback);
    void log_profiled(std::string_view name, const LogValue& value, const LogOptions& options,
                      const std::source_location& site) noexcept;

    // fit_loop.cpp
    void run_fit();
    void run_sanity_check();
    void set_up_train_data();
    void set_validation_interval();
    void run_train_epoch();
    void finish_resumed_batch();
    void end_train_pass();
    void begin_step(bool iterator);
    void validate_in_fit();
    void abandon_validation();
    void warn_of_replaced_items();
    bool run_train_batch(BatchSource& source);
    void run_step(const Batch& batch, std::int64_t index, bool stepping, BatchSource& source);
    void end_train_epoch();
    [[nodiscard]] bool fit_done();
    [[nodiscard]] bool epoch_done();
    [[nodiscard]] bool can_stop_early() const noexcept;
    [[nodiscard]] bool last_batch_reached() const noexcept;
    [[nodiscard]] bool accumulating() const noexcept;
    [[nodiscard]] bool validation_epoch() const noexcept;
    [[nodiscard]] std::optional<bool> has_validation() const noexcept;
    [[nodiscard]] bool validation_due() const noexcept;
    void watch_the_clock();
    [[nodiscard]] bool stopping() const noexcept;

    [[nodiscard]] bool epoch_to_resume() const noexcept {
        return resumed_ && resumed_->batches_in_epoch > 0;
    }

    /// Ends the stage when this failed.
    void require(Result<void> done);

    // checkpoint.cpp
    [[nodiscard]] LoopState capture() const;
    [[nodiscard]] std::vector<std::string> capture_validation_loaders() const;
    [[nodiscard]] std::vector<SavedMetric> capture_metrics(bool without_step) const;
    [[nodiscard]] std::string name_of(const Metric& metric) const;
    [[nodiscard]] Metric* find_metric(std::string_view name) const;
    Result<void> restore(const LoopState& state);
    Result<void> restore_metrics(const std::vector<SavedMetric>& metrics);
    Result<LoopState> share_of_this_rank(const std::string& path, const LoopState& of_rank_0) const;
    /// `wanted`, or the path of the ModelCheckpoint's file where it is "best" or "last".
    [[nodiscard]] Result<std::string> checkpoint_path(const std::string& wanted) const;
    /// At the start of an evaluation: the weights it was asked for, if it was.
    void use_weights_of(const std::string& checkpoint);

    // evaluation_loop.cpp
    EvaluationResults run_evaluation(Evaluation& evaluation);
    bool set_up_evaluation(Evaluation& evaluation);
    void run_evaluation_batch(Evaluation& evaluation, const Batch& batch, std::int64_t index,
                              int loader);
    std::int64_t limit_batches(std::optional<std::int64_t> size, const BatchLimit& limit,
                               std::string_view which);
    void run_predict();
    void fail_without_loader(std::string_view which);
    void stop_when_asked();
    /// After a batch of an evaluation or prediction; `done` batches of this loader are.
    void end_pass_batch(std::int64_t done);
    void end_pass();

    // hooks
    void check();
    template <typename... Declared, typename... Args>
    void callbacks(Hook hook, void (Callback::*method)(Trainer&, Module&, Declared...),
                   const Args&... args);
    template <typename... Declared, typename... Args>
    void in_module(Hook hook, void (Module::*method)(Declared...), const Args&... args);
    template <typename... InCallback, typename... InModule, typename... Args>
    void both(Hook hook, void (Callback::*in_callback)(Trainer&, Module&, InCallback...),
              void (Module::*own)(InModule...), const Args&... args);
    template <typename Work>
    void in_hook(Hook hook, std::string_view owner, Work&& work);
    Batch transferred(Batch batch, int loader);
    void send_output(Phase phase, std::int64_t index, std::optional<std::int64_t> total,
                     std::int64_t iterations);

    std::vector<std::shared_ptr<Callback>> active_callbacks_;
    Profiler* actions_ = nullptr;  ///< when it wants to hear of actions
    std::string module_label_ = "[Module]";
    std::map<const Callback*, std::string> callback_labels_;
    std::vector<LoggerBase*> tracking_;  ///< loggers of this stage, asked which names they track
    std::optional<Misuse> bad_options_;
    Evaluation fit_validation_{.loop = Loop::FitValidation};
    Evaluation validate_{.loop = Loop::Validate};
    Evaluation test_{.loop = Loop::Test, .testing = true};
    LoaderList predict_loaders_;
    std::optional<bool> has_val_dataloader_;
    std::shared_ptr<Loader> given_train_;
    std::shared_ptr<Loader> train_loader_;
    std::optional<std::int64_t> train_loaded_in_epoch_;
    std::int64_t validation_interval_ = kEndless;
    bool stream_ended_ = false;
    bool pass_ended_ = false;  // all ranks are at the end of their train epoch
    std::chrono::steady_clock::time_point started_;

    // What checkpoints are made of
    Place place_ = Place::Between;
    std::int64_t batches_drawn_ = 0;
    std::string loader_state_;  // before the open epoch
    bool pass_begun_ = false;   // the loader is past that state
    bool failing_ = false;

    struct StepBegin {
        std::int64_t batches_in_epoch = 0, batches_drawn = 0, batches_total = 0, samples = 0;
    } step_begin_;

    struct BeforeValidation {
        std::map<int, Step> rows;
        std::vector<std::string> loaders;
        std::int64_t batches_total = 0;
        std::vector<SavedMetric> metrics;
    };

    std::optional<BeforeValidation> before_validation_;
    // As the open epoch was before its end hooks: goes into a checkpoint when one of them fails, or
    // when the epoch ended before its last batch.
    std::optional<LoopState> before_epoch_end_;
    bool cut_short_ = false;
    std::optional<LoopState> resumed_;  // until its epoch goes on
};

/// For the ready callbacks, which know more of a Trainer than its public face.
struct Inside {
    static Core& core(Trainer& trainer) noexcept { return *trainer.core_; }
};

// Runs `work` as `hook`, measured under "[Module]Class.hook", and stops the loops when it made a
// mistake.
template <typename Work>
void Core::in_hook(Hook hook, std::string_view owner, Work&& work) {
    struct Leave {
        Core& core;
        Hook before;

        ~Leave() { core.state_.leave(before); }
    };

    {
        std::string action;
        if (actions_ != nullptr) {
            action = owner == "Module" ? module_label_ : owner;
            action += metrics::hook_info(hook).name;
        }
        const ProfiledAction profiled(actions_, action);
        const Leave leave{*this, state_.enter(hook)};
        work();
    }
    check();
}

template <typename... Declared, typename... Args>
void Core::callbacks(Hook hook, void (Callback::*method)(Trainer&, Module&, Declared...),
                     const Args&... args) {
    for (const auto& callback : active_callbacks_) {
        in_hook(hook, label_of(*callback),
                [&] { ((*callback).*method)(*owner_, *module_, args...); });
    }
}

template <typename... Declared, typename... Args>
void Core::in_module(Hook hook, void (Module::*method)(Declared...), const Args&... args) {
    in_hook(hook, "Module", [&] { (module_->*method)(args...); });
}

template <typename... InCallback, typename... InModule, typename... Args>
void Core::both(Hook hook, void (Callback::*in_callback)(Trainer&, Module&, InCallback...),
                void (Module::*own)(InModule...), const Args&... args) {
    callbacks(hook, in_callback, args...);
    in_module(hook, own, args...);
}

}  // namespace taffrail::trainer
