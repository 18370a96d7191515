// Training: epochs, batches, steps, and when to validate.
#include <taffrail/training_bars.h>

#include "pipeline/bar_items.h"
#include "trainer/core.h"
#include "trainer/signals.h"

#include <algorithm>

namespace taffrail::trainer {

namespace {

/// The batches of one train epoch, one drawn ahead where only the end of a stream tells that a
/// batch was the last.
class EpochSource final : public BatchSource {
  public:
    EpochSource(Loader& loader, std::int64_t epoch, std::int64_t limit, bool& ended)
        : loader_(loader), limit_(limit), ended_(ended) {
        loader_.start(epoch);
        ended_ = false;
        if (limit_ == kEndless) {
            ahead_ = loader_.next();
            ended_ = !ahead_;
        }
    }

    std::optional<Batch> next() override {
        if (drawn_ >= limit_) {
            return std::nullopt;
        }
        ++drawn_;
        std::optional<Batch> batch = limit_ == kEndless ? std::move(ahead_) : loader_.next();
        if (limit_ == kEndless && batch) {
            ahead_ = loader_.next();
            ended_ = !ahead_;
        } else if (!batch) {
            ended_ = true;
        }
        return batch;
    }

  private:
    Loader& loader_;
    std::int64_t limit_;
    bool& ended_;
    std::int64_t drawn_ = 0;
    std::optional<Batch> ahead_;
};

}  // namespace

void Core::run_fit() {
    run_sanity_check();
    set_up_train_data();
    if (!train_loader_ && !options_.limit_train_batches.off()) {
        fail_without_loader("train");
    }
    if (options_.limit_train_batches.off() || fit_done()) {
        return;
    }
    if (validation_epoch() && !fit_validation_.ready) {
        const auto saved = state_.suspend(Loop::FitValidation);
        set_up_evaluation(fit_validation_);
        state_.resume(saved);
    }
    both(Hook::OnTrainStart, &Callback::on_train_start, &Module::on_train_start);
    while (!fit_done()) {
        set_up_train_data();
        both(Hook::OnTrainEpochStart, &Callback::on_train_epoch_start,
             &Module::on_train_epoch_start);
        run_train_epoch();
        end_train_epoch();
    }
    both(Hook::OnTrainEnd, &Callback::on_train_end, &Module::on_train_end);
}

// A few validation batches before training, so that a mistake there does not cost an epoch. Nothing
// of it is kept.
void Core::run_sanity_check() {
    if (options_.num_sanity_val_steps == 0 || options_.limit_val_batches.off()) {
        return;
    }
    const auto saved = state_.suspend(Loop::FitValidation);
    state_.sanity = true;
    if (set_up_evaluation(fit_validation_)) {
        state_.reset_slots();
        state_.clear_views();
        callbacks(Hook::OnSanityCheckStart, &Callback::on_sanity_check_start);
        run_evaluation(fit_validation_);
        callbacks(Hook::OnSanityCheckEnd, &Callback::on_sanity_check_end);
        state_.reset_slots();
        state_.clear_views();
    }
    state_.sanity = false;
    state_.resume(saved);
    state_.end_batches();
    outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
}

void Core::set_up_train_data() {
    const std::int64_t reload = options_.reload_dataloaders_every_n_epochs;
    const bool stale = reload > 0 && train_loaded_in_epoch_ &&
                       epochs_completed_ - *train_loaded_in_epoch_ >= reload;
    if ((train_loader_ && !stale) || options_.limit_train_batches.off()) {
        return;
    }
    if (given_train_) {
        train_loader_ = given_train_;
    } else {
        in_hook(Hook::TrainDataloader, "Module",
                [&] { train_loader_ = module_->train_dataloader(); });
    }
    if (!train_loader_) {
        return;
    }
    train_batches_ = limit_batches(train_loader_->size(), options_.limit_train_batches, "train");
    if (train_batches_ == 0) {
        return;
    }
    train_loaded_in_epoch_ = epochs_completed_;
    set_validation_interval();
    if (state_.settings().has_sink && options_.fast_dev_run == 0 &&
        train_batches_ < options_.log_every_n_steps) {
        state_.warn("W7", "",
                    "an epoch has " + std::to_string(train_batches_) +
                        " batches, fewer than log_every_n_steps = " +
                        std::to_string(options_.log_every_n_steps) +
                        ": some epochs give sinks no step rows. Lower it to see every epoch; the "
                        "run itself keeps every call");
    }
}

void Core::set_validation_interval() {
    const ValidationInterval& interval = options_.val_check_interval;
    if (interval.count()) {
        validation_interval_ = std::max<std::int64_t>(1, *interval.count());
        if (validation_interval_ > train_batches_ && options_.check_val_every_n_epoch &&
            !options_.limit_val_batches.off()) {
            state_.fail(Misuse{
                "E16", MisuseKind::BadValue,
                "val_check_interval = " + std::to_string(validation_interval_) +
                    " is more than the " + std::to_string(train_batches_) +
                    " batches of an epoch; lower it, set check_val_every_n_epoch to nothing to "
                    "count "
                    "batches over epochs, or set limit_val_batches to 0 to switch validation off"});
        }
    } else if (train_batches_ == kEndless) {
        validation_interval_ = kEndless;
        if (interval.share() != 1.0) {
            state_.fail(Misuse{
                "E16", MisuseKind::Configuration,
                "val_check_interval is a share of a stream, whose length is not known; give a "
                "number of batches"});
        }
    } else {
        validation_interval_ = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(train_batches_) * interval.share()));
    }
    check();
}

bool Core::can_stop_early() const noexcept {
    return epochs_processed_ >= options_.min_epochs.value_or(0) &&
           optimizer_steps_ >= options_.min_steps.value_or(0);
}

bool Core::fit_done() {
    if (train_batches_ == 0 || interrupted_by_ != 0) {
        return true;
    }
    if (options_.max_steps >= 0 && optimizer_steps_ >= options_.max_steps) {
        return true;
    }
    if (options_.max_epochs >= 0 && epochs_processed_ >= options_.max_epochs) {
        epochs_completed_ = epochs_processed_;
        state_.epoch = epochs_completed_;
        return true;
    }
    return should_stop_ && can_stop_early();
}

bool Core::last_batch_reached() const noexcept {
    return batches_in_epoch_ == train_batches_ || stream_ended_;
}

bool Core::epoch_done() {
    const bool steps_done = options_.max_steps >= 0 && optimizer_steps_ >= options_.max_steps;
    return steps_done || last_batch_reached() || interrupted_by_ != 0 ||
           (should_stop_ && can_stop_early());
}

bool Core::accumulating() const noexcept {
    return batches_in_epoch_ % options_.accumulate_grad_batches != 0 && !last_batch_reached();
}

bool Core::validation_epoch() const noexcept {
    return !options_.limit_val_batches.off() &&
           (!options_.check_val_every_n_epoch ||
            (epochs_completed_ + 1) % *options_.check_val_every_n_epoch == 0);
}

bool Core::validation_due() const noexcept {
    if (!validation_epoch() || interrupted_by_ != 0) {
        return false;
    }
    if ((stream_ended_ && validation_interval_ == kEndless) || (should_stop_ && can_stop_early())) {
        return true;
    }
    if (validation_interval_ == kEndless) {
        return last_batch_reached();
    }
    const std::int64_t batches =
        options_.check_val_every_n_epoch ? batches_in_epoch_ : batches_total_;
    return batches % validation_interval_ == 0;
}

void Core::run_train_epoch() {
    batches_in_epoch_ = 0;
    outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
    EpochSource source(*train_loader_, epochs_processed_, train_batches_, stream_ended_);
    // A resumed epoch starts where it was left: the batches before that are drawn and dropped.
    for (; skip_batches_ > 0 && !epoch_done(); --skip_batches_) {
        source.next();
        ++batches_in_epoch_;
    }
    skip_batches_ = 0;
    const auto total = train_batches_ == kEndless ? std::nullopt : std::optional(train_batches_);
    if (options_.progress_bar) {
        options_.progress_bar->begin(Phase::Train, "Epoch " + std::to_string(epochs_completed_),
                                     total, batches_in_epoch_);
    }
    in_epoch_ = true;
    while (!epoch_done() && run_train_batch(source)) {
    }
    in_epoch_ = false;
    if (options_.progress_bar) {
        warn_of_replaced_items();
        options_.progress_bar->end(state_.stored_bar_metrics());
    }
}

// Logged names win over the bar's own items. Once per epoch is often enough to notice.
void Core::warn_of_replaced_items() {
    auto* bars = dynamic_cast<TrainingBars*>(options_.progress_bar.get());
    if (bars == nullptr) {
        return;
    }
    for (const auto& [name, value] : bars->get_metrics({})) {
        if (state_.stored_bar_metrics().contains(name)) {
            state_.warn("W8", name, replaced_item_message(name));
        }
    }
}

bool Core::run_train_batch(BatchSource& source) {
    const bool iterator = module_->takes_iterator();
    std::optional<Batch> data = iterator ? std::optional<Batch>(Batch()) : source.next();
    if (!data) {
        return false;
    }
    const Batch batch = iterator ? Batch() : transferred(std::move(*data), 0);
    const std::int64_t index = batches_in_epoch_;
    ++batches_in_epoch_;
    ++batches_total_;
    state_.begin_batch(batch, metrics::kNoLoader, iterator);
    state_.call_step = state_.step;
    both(Hook::OnTrainBatchStart, &Callback::on_train_batch_start, &Module::on_train_batch_start,
         batch, index);
    run_step(batch, index, !accumulating(), source);
    both(Hook::OnTrainBatchEnd, &Callback::on_train_batch_end, &Module::on_train_batch_end, batch,
         index);
    state_.end_batch();
    check();
    const auto total = train_batches_ == kEndless ? std::nullopt : std::optional(train_batches_);
    send_output(Phase::Train, index, total, batches_total_ - 1);
    if (!accumulating() && (should_log() || options_.fast_dev_run > 0)) {
        state_.write_train_step();
        check();
    }
    watch_the_clock();
    if (options_.progress_bar) {
        options_.progress_bar->update(batches_in_epoch_, state_.stored_bar_metrics());
    }
    if (validation_due()) {
        const auto saved = state_.suspend(Loop::FitValidation);
        if (!accumulating()) {
            in_module(Hook::OnValidationModelZeroGrad, &Module::on_validation_model_zero_grad);
        }
        run_evaluation(fit_validation_);
        state_.resume(saved);
        outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
    }
    if (!accumulating()) {
        ++state_.step;
    }
    return true;
}

void Core::run_step(const Batch& batch, std::int64_t index, bool stepping, BatchSource& source) {
    const auto closure = [&] {
        if (module_->takes_iterator()) {
            in_hook(Hook::TrainingStep, "Module", [&] { module_->training_step(source, index); });
        } else {
            in_hook(Hook::TrainingStep, "Module", [&] { module_->training_step(batch, index); });
        }
        if (index % options_.accumulate_grad_batches == 0) {
            both(Hook::OnBeforeZeroGrad, &Callback::on_before_zero_grad,
                 &Module::on_before_zero_grad);
            in_module(Hook::OptimizerZeroGrad, &Module::optimizer_zero_grad);
        }
        both(Hook::OnBeforeBackward, &Callback::on_before_backward, &Module::on_before_backward);
        in_module(Hook::Backward, &Module::backward);
        both(Hook::OnAfterBackward, &Callback::on_after_backward, &Module::on_after_backward);
        if (stepping) {
            both(Hook::OnBeforeOptimizerStep, &Callback::on_before_optimizer_step,
                 &Module::on_before_optimizer_step);
            in_module(Hook::ConfigureGradientClipping, &Module::configure_gradient_clipping);
        }
    };
    if (!stepping) {
        closure();
        return;
    }
    in_hook(Hook::OptimizerStep, "Module", [&] { module_->optimizer_step(closure); });
    ++optimizer_steps_;
    in_module(Hook::LrSchedulerStep, &Module::lr_scheduler_step);
}

void Core::end_train_epoch() {
    state_.end_batches();
    ++epochs_processed_;
    state_.call_step = std::max<Step>(state_.step - 1, 0);
    // Callbacks that monitor a value run last: the module may log it in its own epoch-end hook.
    for (const bool monitoring : {false, true}) {
        for (const auto& callback : active_callbacks_) {
            if (callback->monitors() == monitoring) {
                in_hook(Hook::OnTrainEpochEnd, "Callback",
                        [&] { callback->on_train_epoch_end(*owner_, *module_); });
            }
        }
        if (!monitoring) {
            in_module(Hook::OnTrainEpochEnd, &Module::on_train_epoch_end);
        }
    }
    state_.end_epoch();
    check();
    state_.write_train_epoch();
    check();
    for (const auto& logger : options_.loggers) {
        logger->log_epoch(epochs_completed_, Phase::Train);
    }
    ++epochs_completed_;
    state_.epoch = epochs_completed_;
    batches_in_epoch_ = 0;
}

// Whatever asks the loop to end from outside: time and signals.
void Core::watch_the_clock() {
    if (options_.max_time && std::chrono::steady_clock::now() - started_ >= *options_.max_time) {
        should_stop_ = true;
    }
    if (options_.handle_signals && interrupted_by_ == 0) {
        interrupted_by_ = pending_signal();
    }
}

}  // namespace taffrail::trainer
