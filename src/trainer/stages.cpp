// A stage from its first hook to its last, and how it ends when something goes wrong.
#include <taffrail/callbacks.h>

#include "base/diagnostics.h"
#include "base/strings.h"
#include "metrics/gather_communicator.h"
#include "run/run_core.h"
#include "trainer/core.h"
#include "trainer/signals.h"

#include <algorithm>
#include <exception>

namespace taffrail::trainer {

namespace {

metrics::LogSettings log_settings(const TrainerOptions& options, metrics::RowOutput* output) {
    metrics::LogSettings settings;
    settings.precision = options.log_precision;
    settings.has_sink = !options.loggers.empty() || options.run != nullptr;
    settings.bare = options.barebones;
    settings.output = output;
    settings.communicator = options.communicator.get();
    return settings;
}

// Loggers know their run: a program that gave them need not give it again.
TrainerOptions with_run_of_loggers(TrainerOptions options) {
    for (const auto& logger : options.loggers) {
        if (options.run == nullptr) {
            options.run = logger->run();
        }
    }
    return options;
}

// A quick pass over everything: few batches, one epoch, nothing written.
TrainerOptions with_fast_dev_run(TrainerOptions options) {
    if (const std::int64_t batches = options.fast_dev_run; batches > 0) {
        options.max_steps = batches;
        options.max_epochs = 1;
        options.num_sanity_val_steps = 0;
        options.val_check_interval = 1.0;
        options.check_val_every_n_epoch = 1;
        options.limit_train_batches = options.limit_val_batches = options.limit_test_batches =
            options.limit_predict_batches = BatchLimit(batches);
    }
    return options;
}

// The ready communicators can say more than a collective has words for.
metrics::GatherCommunicator* gathering(const TrainerOptions& options) {
    return dynamic_cast<metrics::GatherCommunicator*>(options.communicator.get());
}

// While a stage runs, a rank that the run folder shows to be gone ends the collectives that would
// wait for it.
class RankLink {
  public:
    explicit RankLink(const TrainerOptions& options) {
        auto* ranks = gathering(options);
        run_ = options.run != nullptr && ranks != nullptr && ranks->world_size() > 1
                   ? detail::RunInside::core(*options.run)
                   : nullptr;
        if (run_ != nullptr) {
            number_ =
                run_->on_rank_gone([ranks](const std::string& how) { ranks->interrupt(how); });
        }
    }

    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;

    ~RankLink() {
        if (run_ != nullptr) {
            run_->forget_listener(number_);
        }
    }

  private:
    detail::RunCore* run_ = nullptr;
    std::uint64_t number_ = 0;
};

/// What is wrong with a limit or interval; empty when it makes sense.
std::string wrong_limit(std::string_view name, const BatchLimit& limit, bool may_be_off) {
    const std::string lowest = may_be_off ? "0 (off)" : "1";
    if (limit.count()) {
        return *limit.count() >= (may_be_off ? 0 : 1)
                   ? ""
                   : std::string(name) + " = " + std::to_string(*limit.count()) +
                         " is no number of batches; give at least " + lowest +
                         ", or a share such as 0.5";
    }
    const bool sensible =
        limit.share() <= 1 && (may_be_off ? limit.share() >= 0 : limit.share() > 0);
    return sensible ? ""
                    : std::string(name) + " = " + format_double(limit.share()) +
                          " is no share of an epoch; give 0.0 to 1.0, or a whole number of batches";
}

}  // namespace

Core::Core(TrainerOptions options, Trainer* owner)
    : options_(with_fast_dev_run(with_run_of_loggers(std::move(options)))),
      owner_(owner),
      outputs_(options_.run, options_.loggers, options_.fast_dev_run > 0),
      state_(log_settings(options_, &outputs_)) {
    state_.settings().is_registered = [this](const Metric& metric) {
        for (const auto& [name, known] : module_->metrics()) {
            if (known == &metric) {
                return true;
            }
        }
        return false;
    };
    state_.settings().registered_names = [this] {
        std::vector<std::string> names;
        for (const auto& [name, known] : module_->metrics()) {
            names.push_back(name);
        }
        return names;
    };
    check_options();
}

void Core::check_options() {
    const std::pair<std::string_view, const BatchLimit&> limits[] = {
        {"limit_train_batches", options_.limit_train_batches},
        {"limit_val_batches", options_.limit_val_batches},
        {"limit_test_batches", options_.limit_test_batches},
        {"limit_predict_batches", options_.limit_predict_batches},
        {"val_check_interval", options_.val_check_interval}};
    for (const auto& [name, limit] : limits) {
        if (std::string wrong = wrong_limit(name, limit, name != "val_check_interval");
            !wrong.empty()) {
            bad_options_ = Misuse{"options", MisuseKind::Configuration, std::move(wrong)};
            return;
        }
    }
    if (!options_.check_val_every_n_epoch && !options_.val_check_interval.count()) {
        bad_options_ =
            Misuse{"E16", MisuseKind::Configuration,
                   "val_check_interval must be a number of batches when check_val_every_n_epoch is "
                   "nothing: batches are then counted over epochs"};
    } else if (options_.accumulate_grad_batches < 1 || options_.log_every_n_steps < 0 ||
               options_.max_epochs < -1 || options_.max_steps < -1 ||
               options_.num_sanity_val_steps < -1 || options_.fast_dev_run < 0 ||
               options_.reload_dataloaders_every_n_epochs < 0 ||
               options_.check_val_every_n_epoch.value_or(1) < 1) {
        bad_options_ =
            Misuse{"options", MisuseKind::Configuration,
                   "accumulate_grad_batches and check_val_every_n_epoch must be at least 1, "
                   "log_every_n_steps, fast_dev_run and reload_dataloaders_every_n_epochs at least "
                   "0, max_epochs, max_steps and num_sanity_val_steps at least -1"};
    }
}

int Core::rank() const noexcept {
    return options_.communicator ? options_.communicator->rank() : 0;
}

int Core::world_size() const noexcept {
    return options_.communicator ? options_.communicator->world_size() : 1;
}

bool Core::should_log() const noexcept {
    const std::int64_t every = options_.log_every_n_steps;
    return every != 0 && ((state_.step + 1) % every == 0 || stop_.asked());
}

void Core::check() {
    if (state_.failed()) {
        throw Aborted{};
    }
}

Batch Core::transferred(Batch batch, int loader) {
    const auto step = [&](Hook hook, Batch (Module::*method)(Batch, int)) {
        in_hook(hook, "Module", [&] { batch = (module_->*method)(std::move(batch), loader); });
    };
    step(Hook::OnBeforeBatchTransfer, &Module::on_before_batch_transfer);
    step(Hook::TransferBatchToDevice, &Module::transfer_batch_to_device);
    step(Hook::OnAfterBatchTransfer, &Module::on_after_batch_transfer);
    if (stage_ == Stage::Fit && state_.loop() == Loop::Train) {
        BatchVisitor visitor;
        batch.visit(visitor);
        samples_ += visitor.size().value_or(0);
        outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
    }
    return batch;
}

bool Core::tracks(std::string_view name) const noexcept {
    return std::ranges::any_of(tracking_,
                               [&](const LoggerBase* logger) { return logger->tracks(name); });
}

// What log() was given under a tracked name is data of the batch like what stands in `output`,
// which wins where both are there.
void Core::feed_routines(std::string_view name, const LogValue& value) noexcept {
    const bool is_number = value.form() == LogValue::Form::Number ||
                           (value.form() == LogValue::Form::Tensor && value.elements() == 1);
    if (!is_number || !tracks(name)) {
        return;
    }
    try {
        module_->output.values.try_emplace(std::string(name), value.number());
    } catch (...) {
        diagnose_once(DiagnosticLevel::Error, "trainer.feed",
                      "a logged value did not reach the routines: no memory");
    }
}

void Core::send_output(Phase phase, std::int64_t index, std::optional<std::int64_t> total,
                       std::int64_t iterations) {
    DataMap& data = module_->output;
    data.phase = phase;
    data.epoch = epochs_completed_;
    data.max_epochs = options_.max_epochs;
    data.batch_current = index + 1;
    data.batch_total = total.value_or(0);
    data.total_iters = iterations;
    for (const auto& logger : options_.loggers) {
        logger->log_iter(data);
    }
    data.values.clear();
}

void Core::begin_stage(Module& module, Stage stage, Loop loop) {
    module_ = &module;
    stage_ = stage;
    begin_profiling();
    exception_ = nullptr;
    failing_ = false;
    place_ = Place::Between;
    pass_begun_ = false;
    before_validation_.reset();
    before_epoch_end_.reset();
    cut_short_ = false;
    resumed_.reset();
    fit_validation_.resumed_seen.clear();
    fit_validation_.resumed_loaders.clear();
    if (auto* ranks = gathering(options_); ranks != nullptr) {
        ranks->forget_farewells();
    }
    stop_.begin(options_.communicator.get());
    started_ = std::chrono::steady_clock::now();
    if (take_ignored_logs(module)) {
        state_.warn("W1", "",
                    "log() was called before a Trainer ran the module; those calls are ignored");
    }
    module.core_ = this;
    module.trainer_ = owner_;
    tracking_.clear();
    for (const auto& logger : options_.loggers) {
        tracking_.push_back(logger.get());
    }
    if (options_.progress_bar) {
        options_.progress_bar->attach(options_);
    }
    for (const auto& [name, metric] : module.metrics()) {
        metric->set_communicator(options_.communicator);
    }
    state_.select(loop);
    state_.epoch = epochs_completed_;
    state_.call_step = state_.step;
    active_callbacks_ = options_.callbacks;
    in_hook(Hook::ConfigureCallbacks, "Module", [&] {
        for (auto& callback : module.configure_callbacks()) {
            active_callbacks_.push_back(std::move(callback));
        }
    });
    // What they save includes what the other callbacks did in the same hook.
    std::ranges::stable_partition(active_callbacks_, [](const auto& callback) {
        return dynamic_cast<const ModelCheckpoint*>(callback.get()) == nullptr;
    });
    if (rank() == 0) {
        in_module(Hook::PrepareData, &Module::prepare_data);
    }
    if (world_size() > 1) {
        if (auto met = options_.communicator->barrier(); !met.ok()) {
            state_.fail(std::move(met).error());
        }
        check();
    }
    both(Hook::Setup, &Callback::setup, &Module::setup, stage);
    in_module(Hook::ConfigureModel, &Module::configure_model);
    state_.begin_stage(loop);
}

// The one way out of a stage, however it ends: the run, its sinks and the loggers hear the same.
void Core::end_stage(RunState state, std::string_view why) noexcept {
    exit_code_ = state == RunState::Failed    ? 1
                 : state == RunState::Aborted ? 128 + stop_.signal()
                                              : 0;
    state_.leave(Hook::None);
    state_.select(Loop::None);
    state_.sanity = false;
    module_->core_ = nullptr;
    module_->trainer_ = nullptr;
    if (options_.progress_bar) {
        options_.progress_bar->end_stage();
    }
    end_profiling();
    if (options_.run != nullptr) {
        options_.run->note_outcome(to_string(stage_), state, why);
    }
    if (state != RunState::Finished) {
        for (const auto& logger : options_.loggers) {
            logger->end_log(state, why);
        }
    }
}

// Tells callbacks, the other ranks and the loggers, and makes the error the stage returns.
Result<void> Core::failure(std::string_view reason) {
    failing_ = true;
    // A hook after a step failed: the step is done and is not done again, so its row is due now.
    if (place_ == Place::AfterBatch && state_.loop() == Loop::Train && state_.in_batch() &&
        !accumulating() && should_log()) {
        state_.write_train_step();
    }
    for (const auto& callback : active_callbacks_) {
        try {
            const Hook before = state_.enter(Hook::OnException);
            callback->on_exception(*owner_, *module_, reason);
            state_.leave(before);
        } catch (...) {
            diagnose(DiagnosticLevel::Error,
                     "a callback failed in on_exception; the first failure is reported");
        }
    }
    if (auto* ranks = gathering(options_); ranks != nullptr) {
        ranks->say_farewell(reason);
    }
    end_stage(RunState::Failed, reason);
    return Error{state_.error()    ? state_.error()->code
                 : state_.misuse() ? ErrorCode::InvalidArgument
                                   : ErrorCode::Internal,
                 std::string(reason)};
}

template <typename Work>
Result<void> Core::run_stage(Module& module, Stage stage, Loop loop, Work&& work) {
    state_.forgive();
    if (bad_options_) {
        state_.fail(*bad_options_);
        exit_code_ = 1;
        if (options_.run != nullptr) {
            options_.run->note_outcome(to_string(stage), RunState::Failed, bad_options_->message);
        }
        return Error{ErrorCode::InvalidArgument, bad_options_->message};
    }
    SignalScope signals(options_.handle_signals);
    const RankLink ranks(options_);
    const std::string name(to_string(stage));
    try {
        begin_stage(module, stage, loop);
        if (stage == Stage::Fit) {
            in_module(Hook::ConfigureOptimizers, &Module::configure_optimizers);
            both(Hook::OnFitStart, &Callback::on_fit_start, &Module::on_fit_start);
        }
        try {
            work();
        } catch (const Stopped&) {
            // By a signal that all ranks agreed on: the stage ends without the rest of its data.
        }
        if (stage == Stage::Fit) {
            both(Hook::OnFitEnd, &Callback::on_fit_end, &Module::on_fit_end);
        }
        both(Hook::Teardown, &Callback::teardown, &Module::teardown, stage);
    } catch (const Aborted&) {
        return failure(state_.misuse() ? state_.misuse()->message : state_.error()->message);
    } catch (const std::exception& problem) {
        exception_ = std::current_exception();
        return failure(name + " stopped by an exception: " + problem.what());
    } catch (...) {
        exception_ = std::current_exception();
        return failure(name + " stopped by an exception of unknown type");
    }
    if (stop_.signal() != 0) {
        signals.expect_late(stop_.signal());
        end_stage(RunState::Aborted, name + " was stopped by " + name_signal(stop_.signal()));
    } else {
        end_stage(RunState::Finished, "");
    }
    return {};
}

Result<void> Core::fit(Module& module, FitData data, const std::string& checkpoint,
                       std::optional<bool> has_val_dataloader) {
    has_val_dataloader_ = has_val_dataloader;
    given_train_ = std::move(data.train);
    fit_validation_.given = std::move(data.val);
    train_loader_.reset();
    fit_validation_.ready = false;
    train_batches_ = kEndless;
    stream_ended_ = false;
    return run_stage(module, Stage::Fit, Loop::Train, [&] {
        if (!checkpoint.empty()) {
            require(load_checkpoint(checkpoint));
        }
        run_fit();
    });
}

void Core::use_weights_of(const std::string& checkpoint) {
    if (!checkpoint.empty()) {
        require(load_module(*module_, checkpoint));
    }
}

Result<EvaluationResults> Core::evaluate(Module& module, LoaderList loaders, Stage stage,
                                         const std::string& checkpoint) {
    Evaluation& evaluation = stage == Stage::Test ? test_ : validate_;
    evaluation.given = std::move(loaders);
    evaluation.ready = false;
    EvaluationResults results;
    auto done = run_stage(module, stage, evaluation.loop, [&] {
        use_weights_of(checkpoint);
        results = run_evaluation(evaluation);
    });
    if (!done.ok()) {
        return std::move(done).error();
    }
    return results;
}

Result<void> Core::predict(Module& module, LoaderList loaders, const std::string& checkpoint) {
    predict_loaders_ = std::move(loaders);
    return run_stage(module, Stage::Predict, Loop::None, [&] {
        use_weights_of(checkpoint);
        run_predict();
    });
}

void Core::run_hook(Module& module, std::string_view name, const std::function<void()>& work) {
    module_ = &module;
    Core* const before_core = std::exchange(module.core_, this);
    const Loop loop = state_.loop();
    if (before_core == nullptr) {
        state_.select(Loop::Train);
    }
    const Hook before = state_.enter_unknown(name);
    work();
    state_.leave(before);
    state_.select(loop);
    module.core_ = before_core;
}

}  // namespace taffrail::trainer
