// Training: epochs, batches, steps, and when to validate.
#include <taffrail/training_bars.h>

#include "trainer/bar_items.h"
#include "trainer/core.h"
#include "trainer/signals.h"

#include <algorithm>
#include <utility>

namespace taffrail::trainer {

namespace {

/// The batches of one train epoch, one drawn ahead where only the end of a stream tells that a
/// batch was the last.
class EpochSource final : public BatchSource {
  public:
    EpochSource(Loader& loader, std::int64_t epoch, std::int64_t limit, bool& ended,
                std::int64_t& drawn)
        : loader_(loader), limit_(limit), ended_(ended), drawn_(drawn) {
        drawn_ = 0;
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
        const bool looks_ahead = limit_ == kEndless && ahead_;
        // A loader that fails while it looks ahead has not given this batch away: it counts below.
        std::optional<Batch> drawn =
            looks_ahead || limit_ != kEndless ? loader_.next() : std::nullopt;
        ++drawn_;
        ended_ = !drawn;
        return looks_ahead ? std::exchange(ahead_, std::move(drawn)) : drawn;
    }

    /// Those that a resumed epoch has had already.
    void skip(std::int64_t batches) {
        if (limit_ != kEndless) {
            loader_.skip(batches);
            drawn_ += batches;
            return;
        }
        for (; batches > 0 && next(); --batches) {
        }
    }

  private:
    Loader& loader_;
    std::int64_t limit_;
    bool& ended_;
    std::int64_t& drawn_;
    std::optional<Batch> ahead_;
};

}  // namespace

void Core::run_fit() {
    if (!resumed_) {  // the check would spoil what the checkpoint brought, and was passed before
        run_sanity_check();
    }
    set_up_train_data();
    if (!train_loader_ && !options_.limit_train_batches.off()) {
        fail_without_loader("train");
    }
    if (options_.limit_train_batches.off() || (!epoch_to_resume() && fit_done())) {
        return;
    }
    if (validation_epoch() && !fit_validation_.ready) {
        const auto saved = state_.suspend(Loop::FitValidation);
        set_up_evaluation(fit_validation_);
        state_.resume(saved);
    }
    both(Hook::OnTrainStart, &Callback::on_train_start, &Module::on_train_start);
    try {
        while (epoch_to_resume() || !fit_done()) {
            set_up_train_data();
            both(Hook::OnTrainEpochStart, &Callback::on_train_epoch_start,
                 &Module::on_train_epoch_start);
            {
                const ProfiledAction epoch(actions_, "run_training_epoch");
                run_train_epoch();
            }
            if (stop_.signal() != 0) {
                break;  // the epoch is left open: its values so far go into the checkpoint
            }
            end_train_epoch();
        }
    } catch (const Stopped&) {
        abandon_validation();
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
    const std::optional<bool> known = has_validation();
    if (known ? *known : set_up_evaluation(fit_validation_)) {
        state_.reset_slots();
        state_.clear_views();
        callbacks(Hook::OnSanityCheckStart, &Callback::on_sanity_check_start);
        run_evaluation(fit_validation_);
        callbacks(Hook::OnSanityCheckEnd, &Callback::on_sanity_check_end);
        state_.reset_slots();
        state_.clear_views();
    } else {
        require(stop_.begin_pass(false));
    }
    require(stop_.meet());
    state_.sanity = false;
    state_.resume(saved);
    state_.end_batches();
    outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
}

// Whether there is anything to validate on, as far as that is known without asking for it: the hook
// before the check must not run in vain, and comes before the loaders are asked for.
std::optional<bool> Core::has_validation() const noexcept {
    return fit_validation_.given.empty() ? has_val_dataloader_ : true;
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
    if (train_batches_ == 0 || stop_.signal() != 0) {
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
    return stopping();
}

bool Core::last_batch_reached() const noexcept {
    return batches_in_epoch_ == train_batches_ || stream_ended_;
}

bool Core::epoch_done() {
    const bool steps_done = options_.max_steps >= 0 && optimizer_steps_ >= options_.max_steps;
    return steps_done || last_batch_reached() || stopping();
}

// What all ranks agreed on; one that is alone agrees with itself.
bool Core::stopping() const noexcept {
    return stop_.signal() != 0 || (stop_.asked() && can_stop_early());
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
    if (!validation_epoch() || stop_.signal() != 0) {
        return false;
    }
    if ((stream_ended_ && validation_interval_ == kEndless) || stopping()) {
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
    before_epoch_end_.reset();
    cut_short_ = false;
    batches_in_epoch_ = 0;
    outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
    if (resumed_) {
        require(train_loader_->load_state(resumed_->loader));
    }
    loader_state_ = train_loader_->state();
    pass_begun_ = true;
    EpochSource source(*train_loader_, epochs_processed_, train_batches_, stream_ended_,
                       batches_drawn_);
    const bool goes_on = epoch_to_resume();
    if (goes_on) {
        source.skip(resumed_->batches_drawn);
        batches_in_epoch_ = resumed_->batches_in_epoch;
        state_.continue_epoch();
    }
    pass_ended_ = goes_on && last_batch_reached();
    const auto total = train_batches_ == kEndless ? std::nullopt : std::optional(train_batches_);
    if (options_.progress_bar) {
        options_.progress_bar->begin(Phase::Train, "Epoch " + std::to_string(epochs_completed_),
                                     total, batches_in_epoch_);
    }
    if (goes_on) {
        finish_resumed_batch();
    }
    resumed_.reset();
    while (!epoch_done() && run_train_batch(source)) {
    }
    end_train_pass();
    if (options_.progress_bar) {
        warn_of_replaced_items();
        options_.progress_bar->end(state_.stored_bar_metrics());
    }
}

// The last batch before the checkpoint is done but for the validation that may be due after it.
void Core::finish_resumed_batch() {
    const bool validated = resumed_->validated;
    place_ = validated ? Place::AfterValidation : Place::AfterBatch;
    step_begin_ = {batches_in_epoch_, batches_drawn_, batches_total_, samples_};
    if (!validated && validation_due()) {
        // The row of a validation stands at the step before the count goes on.
        const Step after = state_.step;
        state_.step = std::max<Step>(0, after - (accumulating() ? 0 : 1));
        validate_in_fit();
        state_.step = after;
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
            state_.warn("W8", name, trainer::replaced_item_message(name));
        }
    }
}

// What a step that fails half-way takes back, so that a checkpoint can begin with it again.
void Core::begin_step(bool iterator) {
    step_begin_ = {batches_in_epoch_, batches_drawn_ - (iterator ? 0 : 1), batches_total_,
                   samples_};
    state_.begin_step();
    for (const auto& [name, metric] : module_->metrics()) {
        metric->begin_step();
    }
}

bool Core::run_train_batch(BatchSource& source) {
    const bool iterator = module_->takes_iterator();
    std::optional<Batch> data = std::optional<Batch>(Batch());
    if (!iterator) {
        const ProfiledAction fetch(actions_, "get_train_batch");
        data = source.next();
    }
    if (!data) {
        return false;
    }
    if (options_.profiler) {
        options_.profiler->step(optimizer_steps_);
    }
    const std::int64_t index = batches_in_epoch_;
    if (index % options_.accumulate_grad_batches == 0) {
        begin_step(iterator);
    }
    place_ = Place::InStep;
    std::optional<ProfiledAction> running(std::in_place, actions_, "run_training_batch");
    const Batch batch = iterator ? Batch() : transferred(std::move(*data), 0);
    ++batches_in_epoch_;
    ++batches_total_;
    state_.begin_batch(batch, metrics::kNoLoader, iterator);
    state_.call_step = state_.step;
    both(Hook::OnTrainBatchStart, &Callback::on_train_batch_start, &Module::on_train_batch_start,
         batch, index);
    run_step(batch, index, !accumulating(), source);
    running.reset();
    place_ = Place::AfterBatch;
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
    if (!accumulating()) {  // gradients of half a step would be lost
        require(stop_.batch_done());
    }
    if (last_batch_reached()) {
        end_train_pass();
    }
    if (validation_due()) {
        validate_in_fit();
    }
    if (!accumulating()) {
        ++state_.step;
    }
    return true;
}

// Before anything that ranks do together at the end of an epoch: one may have a batch more. Ranks
// that agreed to stop did so at the same batch.
void Core::end_train_pass() {
    if (!pass_ended_ && !stopping()) {
        pass_ended_ = true;
        require(stop_.end_pass());
    }
}

void Core::validate_in_fit() {
    const auto saved = state_.suspend(Loop::FitValidation);
    if (!accumulating()) {
        in_module(Hook::OnValidationModelZeroGrad, &Module::on_validation_model_zero_grad);
    }
    set_up_evaluation(fit_validation_);  // now, so that its loaders are asked before they start
    before_validation_ =
        BeforeValidation{fit_validation_.seen, capture_validation_loaders(),
                         validation_batches_total_, capture_metrics(accumulating())};
    run_evaluation(fit_validation_);
    // One that only closes a fit which was asked to stop is no part of the training that goes on
    // from a checkpoint: that begins as if it had not been.
    const std::int64_t batches =
        options_.check_val_every_n_epoch ? batches_in_epoch_ : batches_total_;
    const bool due_anyway = validation_interval_ == kEndless ? last_batch_reached()
                                                             : batches % validation_interval_ == 0;
    if (due_anyway) {
        before_validation_.reset();
    }
    place_ = due_anyway ? Place::AfterValidation : Place::AfterBatch;
    state_.resume(saved);
    outputs_.set_position(static_cast<double>(epochs_completed_), samples_, Phase::Train);
    require(stop_.meet());
}

// It is done again from its start when the training goes on.
void Core::abandon_validation() {
    state_.reset_slots();
    state_.leave_loader();
    state_.select(Loop::Train);
    if (before_validation_) {
        fit_validation_.seen = std::move(before_validation_->rows);
        for (std::size_t index = 0; index < before_validation_->loaders.size(); ++index) {
            require(fit_validation_.loaders[index]->load_state(before_validation_->loaders[index]));
        }
        validation_batches_total_ = before_validation_->batches_total;
        require(restore_metrics(before_validation_->metrics));
        before_validation_.reset();
    }
}

void Core::run_step(const Batch& batch, std::int64_t index, bool stepping, BatchSource& source) {
    const auto closure = [&] {
        const ProfiledAction both_ways(actions_, "training_step_and_backward");
        {
            const ProfiledAction forward(actions_, "model_forward");
            in_hook(Hook::TrainingStep, "Module", [&] {
                module_->takes_iterator() ? module_->training_step(source, index)
                                          : module_->training_step(batch, index);
            });
        }
        if (index % options_.accumulate_grad_batches == 0) {
            both(Hook::OnBeforeZeroGrad, &Callback::on_before_zero_grad,
                 &Module::on_before_zero_grad);
            in_module(Hook::OptimizerZeroGrad, &Module::optimizer_zero_grad);
        }
        both(Hook::OnBeforeBackward, &Callback::on_before_backward, &Module::on_before_backward);
        {
            const ProfiledAction backward(actions_, "model_backward");
            in_module(Hook::Backward, &Module::backward);
        }
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
    {
        const ProfiledAction step(actions_, "optimizer_step_and_closure_0");
        in_hook(Hook::OptimizerStep, "Module", [&] { module_->optimizer_step(closure); });
    }
    ++optimizer_steps_;
    in_module(Hook::LrSchedulerStep, &Module::lr_scheduler_step);
}

void Core::end_train_epoch() {
    before_epoch_end_ = capture();
    cut_short_ = !last_batch_reached();
    place_ = Place::EpochEnd;
    state_.end_batches();
    ++epochs_processed_;
    state_.call_step = std::max<Step>(state_.step - 1, 0);
    // Callbacks that monitor a value run last: the module may log it in its own epoch-end hook.
    for (const bool monitoring : {false, true}) {
        for (const auto& callback : active_callbacks_) {
            if (callback->monitors() == monitoring) {
                in_hook(Hook::OnTrainEpochEnd, label_of(*callback),
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
    place_ = Place::Between;
    pass_begun_ = false;
    watch_the_clock();
    require(stop_.meet());
}

// Whatever asks the loop to end from outside: time and signals. They are wishes of this rank until
// all ranks agree.
void Core::watch_the_clock() {
    if (options_.max_time && std::chrono::steady_clock::now() - started_ >= *options_.max_time) {
        stop_.ask();
    }
    if (options_.handle_signals) {
        stop_.notice_signal(pending_signal());
    }
}

void Core::require(Result<void> done) {
    if (!done.ok()) {
        state_.fail(std::move(done).error());
        check();
    }
}

}  // namespace taffrail::trainer
