// Validation and test: one pass over all loaders, the same for fit, validate, test and the sanity
// check.
#include "trainer/core.h"
#include "trainer/result_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace taffrail::trainer {

namespace {

// The same pass under two sets of names.
struct Names {
    Hook start, end, epoch_start, epoch_end, batch_start, batch_end, step, model_eval, model_train;
    void (Callback::*callback_start)(Trainer&, Module&);
    void (Callback::*callback_end)(Trainer&, Module&);
    void (Callback::*callback_epoch_start)(Trainer&, Module&);
    void (Callback::*callback_epoch_end)(Trainer&, Module&);
    void (Callback::*callback_batch_start)(Trainer&, Module&, const Batch&, std::int64_t, int);
    void (Callback::*callback_batch_end)(Trainer&, Module&, const Batch&, std::int64_t, int);
    void (Module::*module_start)();
    void (Module::*module_end)();
    void (Module::*module_epoch_start)();
    void (Module::*module_epoch_end)();
    void (Module::*module_batch_start)(const Batch&, std::int64_t, int);
    void (Module::*module_batch_end)(const Batch&, std::int64_t, int);
    void (Module::*module_step)(const Batch&, std::int64_t, int);
    void (Module::*module_eval)();
    void (Module::*module_train)();
};

constexpr Names kValidation{Hook::OnValidationStart,
                            Hook::OnValidationEnd,
                            Hook::OnValidationEpochStart,
                            Hook::OnValidationEpochEnd,
                            Hook::OnValidationBatchStart,
                            Hook::OnValidationBatchEnd,
                            Hook::ValidationStep,
                            Hook::OnValidationModelEval,
                            Hook::OnValidationModelTrain,
                            &Callback::on_validation_start,
                            &Callback::on_validation_end,
                            &Callback::on_validation_epoch_start,
                            &Callback::on_validation_epoch_end,
                            &Callback::on_validation_batch_start,
                            &Callback::on_validation_batch_end,
                            &Module::on_validation_start,
                            &Module::on_validation_end,
                            &Module::on_validation_epoch_start,
                            &Module::on_validation_epoch_end,
                            &Module::on_validation_batch_start,
                            &Module::on_validation_batch_end,
                            &Module::validation_step,
                            &Module::on_validation_model_eval,
                            &Module::on_validation_model_train};

constexpr Names kTest{Hook::OnTestStart,
                      Hook::OnTestEnd,
                      Hook::OnTestEpochStart,
                      Hook::OnTestEpochEnd,
                      Hook::OnTestBatchStart,
                      Hook::OnTestBatchEnd,
                      Hook::TestStep,
                      Hook::OnTestModelEval,
                      Hook::OnTestModelTrain,
                      &Callback::on_test_start,
                      &Callback::on_test_end,
                      &Callback::on_test_epoch_start,
                      &Callback::on_test_epoch_end,
                      &Callback::on_test_batch_start,
                      &Callback::on_test_batch_end,
                      &Module::on_test_start,
                      &Module::on_test_end,
                      &Module::on_test_epoch_start,
                      &Module::on_test_epoch_end,
                      &Module::on_test_batch_start,
                      &Module::on_test_batch_end,
                      &Module::test_step,
                      &Module::on_test_model_eval,
                      &Module::on_test_model_train};

const Names& names_of(const Evaluation& evaluation) {
    return evaluation.testing ? kTest : kValidation;
}

}  // namespace

// How many batches of a loader are used. A share that leaves none is a mistake, a count of 0
// switches off.
std::int64_t Core::limit_batches(std::optional<std::int64_t> size, const BatchLimit& limit,
                                 std::string_view which) {
    if (size && *size == 0) {
        return 0;
    }
    if (limit.count()) {
        return std::min(size.value_or(kEndless), *limit.count());
    }
    if (!size) {
        if (limit.share() != 1.0) {
            state_.fail(Misuse{"E17", MisuseKind::Configuration,
                               "limit_" + std::string(which) +
                                   "_batches is a share of a stream, whose "
                                   "length is not known; give a number of batches"});
            check();
        }
        return kEndless;
    }
    const auto batches = static_cast<std::int64_t>(static_cast<double>(*size) * limit.share());
    if (batches == 0 && limit.share() > 0) {
        state_.fail(Misuse{
            "E17", MisuseKind::Configuration,
            "limit_" + std::string(which) + "_batches = " + std::to_string(limit.share()) +
                " leaves no batch of " + std::to_string(*size) + "; use at least " +
                std::to_string(1.0 / static_cast<double>(*size)) + ", or 0 to switch it off"});
        check();
    }
    return batches;
}

// A stage that has nothing to run over did not run: saying "ok" would hide it.
void Core::fail_without_loader(std::string_view which) {
    state_.fail(Misuse{"loader", MisuseKind::Configuration,
                       std::string(to_string(stage_)) +
                           "() has no loader; pass one, or override "
                           "Module::" +
                           std::string(which) + "_dataloader()"});
    check();
}

// Asks for the loaders where needed and counts their batches. False when there is nothing to
// evaluate.
bool Core::set_up_evaluation(Evaluation& evaluation) {
    const bool fitting = stage_ == Stage::Fit;
    const std::int64_t reload = options_.reload_dataloaders_every_n_epochs;
    const bool stale = reload > 0 && (!evaluation.loaded_in_epoch ||
                                      epochs_completed_ - *evaluation.loaded_in_epoch >= reload);
    if (evaluation.ready && fitting && !stale) {
        return !evaluation.loaders.empty();
    }
    const BatchLimit& limit =
        evaluation.testing ? options_.limit_test_batches : options_.limit_val_batches;
    if (limit.off()) {
        return false;
    }
    if (fitting && (!state_.sanity || validation_epoch())) {
        evaluation.loaded_in_epoch = epochs_completed_;
    }
    if (!evaluation.given.empty()) {
        evaluation.loaders = evaluation.given;
    } else if (evaluation.testing) {
        in_hook(Hook::TestDataloader, "Module",
                [&] { evaluation.loaders = module_->test_dataloader(); });
    } else {
        in_hook(Hook::ValDataloader, "Module",
                [&] { evaluation.loaders = module_->val_dataloader(); });
    }
    const auto states = std::exchange(evaluation.resumed_loaders, {});
    for (std::size_t index = 0; index < std::min(states.size(), evaluation.loaders.size());
         ++index) {
        require(evaluation.loaders[index]->load_state(states[index]));
    }
    evaluation.batches.clear();
    for (const auto& loader : evaluation.loaders) {
        evaluation.batches.push_back(
            limit_batches(loader->size(), limit, evaluation.testing ? "test" : "val"));
    }
    evaluation.seen = std::exchange(evaluation.resumed_seen, {});
    evaluation.ready = true;
    return !evaluation.loaders.empty();
}

EvaluationResults Core::run_evaluation(Evaluation& evaluation) {
    const Names& names = names_of(evaluation);
    if (!set_up_evaluation(evaluation)) {
        const BatchLimit& limit =
            evaluation.testing ? options_.limit_test_batches : options_.limit_val_batches;
        if (stage_ != Stage::Fit && !limit.off()) {
            fail_without_loader(evaluation.testing ? "test" : "val");
        }
        require(stop_.begin_pass(false));
        return {};
    }
    std::vector<std::int64_t> batches = evaluation.batches;
    if (state_.sanity && options_.num_sanity_val_steps >= 0) {
        for (std::int64_t& count : batches) {
            count = std::min(count, options_.num_sanity_val_steps);
        }
    }
    const bool nothing =
        std::ranges::all_of(batches, [](std::int64_t count) { return count == 0; });
    require(stop_.begin_pass(!nothing));
    stop_when_asked();
    if (nothing) {
        return {};
    }
    const Phase phase = evaluation.testing ? Phase::Test
                        : state_.sanity    ? Phase::Sanity
                                           : Phase::Validate;
    outputs_.set_position(static_cast<double>(epochs_completed_), samples_, phase);
    in_module(names.model_eval, names.module_eval);
    both(names.start, names.callback_start, names.module_start);
    both(names.epoch_start, names.callback_epoch_start, names.module_epoch_start);

    EvaluationResults rows;
    int previous = 0;
    for (std::size_t index = 0; index < evaluation.loaders.size(); ++index) {
        if (batches[index] == 0) {
            require(stop_.end_pass());
            continue;
        }
        const int loader = static_cast<int>(index);
        evaluation.loaders[index]->start(epochs_processed_);
        const auto total =
            batches[index] == kEndless ? std::nullopt : std::optional(batches[index]);
        if (options_.progress_bar) {
            const std::string kind = evaluation.testing ? "Testing"
                                     : state_.sanity    ? "Sanity Checking"
                                                        : "Validation";
            options_.progress_bar->begin(phase, kind + " DataLoader " + std::to_string(loader),
                                         total, 0);
        }
        for (std::int64_t batch = 0; batch < batches[index]; ++batch) {
            std::optional<Batch> data = evaluation.loaders[index]->next();
            if (!data) {
                break;
            }
            if (loader != previous) {
                rows.push_back(state_.finish_loader());
                check();
                previous = loader;
            }
            run_evaluation_batch(evaluation, transferred(std::move(*data), loader), batch, loader);
            std::int64_t& done =
                evaluation.testing ? test_batches_total_ : validation_batches_total_;
            send_output(phase, batch, total, done);
            done += state_.sanity ? 0 : 1;
            end_pass_batch(batch + 1);
        }
        end_pass();
    }
    rows.push_back(state_.finish_loader());
    check();
    state_.leave_loader();
    state_.call_step = state_.step;
    both(names.epoch_end, names.callback_epoch_end, names.module_epoch_end);
    state_.end_epoch();
    check();
    state_.write_evaluation_epoch(rows);
    check();
    if (evaluation.loop == Loop::FitValidation && !state_.sanity && !stopping()) {
        place_ = Place::AfterValidation;
    }
    both(names.end, names.callback_end, names.module_end);
    state_.reset_slots();
    in_module(names.model_train, names.module_train);
    for (const auto& logger : options_.loggers) {
        if (!state_.sanity) {
            logger->log_epoch(epochs_completed_, phase);
        }
    }
    if (stage_ != Stage::Fit && options_.print_results && rank() == 0) {
        print_result_table(rows, evaluation.testing ? "Test metric" : "Validate metric");
    }
    return rows;
}

void Core::end_pass_batch(std::int64_t done) {
    if (options_.progress_bar) {
        options_.progress_bar->update(done, state_.stored_bar_metrics());
    }
    watch_the_clock();
    require(stop_.batch_done());
    stop_when_asked();
}

void Core::end_pass() {
    require(stop_.end_pass());
    stop_when_asked();
    if (options_.progress_bar) {
        options_.progress_bar->end(state_.stored_bar_metrics());
    }
}

// A signal: values over a part of the data would be taken for those of all of it.
void Core::stop_when_asked() {
    if (stop_.signal() != 0) {
        throw Stopped{};
    }
}

void Core::run_evaluation_batch(Evaluation& evaluation, const Batch& batch, std::int64_t index,
                                int loader) {
    const Names& names = names_of(evaluation);
    if (options_.profiler && stage_ != Stage::Fit) {  // there the training steps count
        options_.profiler->step(evaluation.seen[loader]);
    }
    state_.begin_batch(batch, evaluation.loaders.size() > 1 ? loader : metrics::kNoLoader);
    state_.call_step = state_.sanity ? index : evaluation.seen[loader];
    both(names.batch_start, names.callback_batch_start, names.module_batch_start, batch, index,
         loader);
    {
        const ProfiledAction step(actions_, "evaluation_step_and_end");
        in_module(names.step, names.module_step, batch, index, loader);
    }
    both(names.batch_end, names.callback_batch_end, names.module_batch_end, batch, index, loader);
    state_.end_batch();
    check();
    if (!state_.sanity) {
        state_.write_evaluation_step(evaluation.seen[loader]++);
        check();
    }
}

void Core::run_predict() {
    LoaderList loaders = predict_loaders_;
    if (loaders.empty()) {
        loaders = module_->predict_dataloader();
    }
    if (loaders.empty()) {
        fail_without_loader("predict");
    }
    require(stop_.begin_pass(!loaders.empty()));
    stop_when_asked();
    both(Hook::OnPredictStart, &Callback::on_predict_start, &Module::on_predict_start);
    both(Hook::OnPredictEpochStart, &Callback::on_predict_epoch_start,
         &Module::on_predict_epoch_start);
    for (std::size_t index = 0; index < loaders.size(); ++index) {
        const int loader = static_cast<int>(index);
        const std::int64_t batches =
            limit_batches(loaders[index]->size(), options_.limit_predict_batches, "predict");
        loaders[index]->start(epochs_processed_);
        if (options_.progress_bar) {
            options_.progress_bar->begin(
                Phase::Predict, "Predicting DataLoader " + std::to_string(loader),
                batches == kEndless ? std::nullopt : std::optional(batches), 0);
        }
        for (std::int64_t number = 0; number < batches; ++number) {
            std::optional<Batch> data = loaders[index]->next();
            if (!data) {
                break;
            }
            if (options_.profiler) {
                options_.profiler->step(number);
            }
            const Batch batch = transferred(std::move(*data), loader);
            both(Hook::OnPredictBatchStart, &Callback::on_predict_batch_start,
                 &Module::on_predict_batch_start, batch, number, loader);
            in_module(Hook::PredictStep, &Module::predict_step, batch, number, loader);
            both(Hook::OnPredictBatchEnd, &Callback::on_predict_batch_end,
                 &Module::on_predict_batch_end, batch, number, loader);
            end_pass_batch(number + 1);
        }
        end_pass();
    }
    both(Hook::OnPredictEpochEnd, &Callback::on_predict_epoch_end, &Module::on_predict_epoch_end);
    both(Hook::OnPredictEnd, &Callback::on_predict_end, &Module::on_predict_end);
}

}  // namespace taffrail::trainer
