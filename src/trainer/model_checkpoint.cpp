#include <taffrail/callbacks.h>
#include <taffrail/trainer.h>

#include "base/strings.h"
#include "base/try.h"
#include "codec/json.h"
#include "io/files.h"
#include "trainer/checkpoint_name.h"
#include "trainer/core.h"
#include "trainer/monitor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail {

ModelCheckpoint::ModelCheckpoint(ModelCheckpointOptions options) : options_(std::move(options)) {}

void ModelCheckpoint::setup(Trainer& trainer, Module&, Stage) {
    folder_ = options_.dirpath.empty() ? io::join(trainer.options().default_root_dir, "checkpoints")
                                       : options_.dirpath;
}

Result<std::string> ModelCheckpoint::file_name(Trainer& trainer) const {
    using trainer::NamedNumber;
    return trainer::checkpoint_name(
        options_.filename, [&](std::string_view name) -> std::optional<NamedNumber> {
            if (name == "epoch") {
                return trainer.current_epoch();
            }
            if (name == "step") {
                return std::int64_t{trainer.global_step()};
            }
            const auto value = trainer.callback_metrics().find(name);
            return value ? std::optional<NamedNumber>(*value) : std::nullopt;
        });
}

void ModelCheckpoint::on_fit_start(Trainer&, Module&) {
    monitored_at_ = 0;
    monitor_seen_ = false;
    validated_ = false;
}

bool ModelCheckpoint::epoch_is_due(const Trainer& trainer) const {
    return options_.every_n_train_steps == 0 && options_.every_n_epochs > 0 &&
           (trainer.current_epoch() + 1) % options_.every_n_epochs == 0;
}

void ModelCheckpoint::on_train_batch_end(Trainer& trainer, Module&, const Batch&, std::int64_t) {
    const Step step = trainer.global_step();
    if (options_.every_n_train_steps > 0 && step > 0 && step != saved_step_ &&
        step % options_.every_n_train_steps == 0) {
        save(trainer, Where::TrainBatch);
    }
}

void ModelCheckpoint::on_validation_end(Trainer& trainer, Module&) {
    if (trainer.stage() != Stage::Fit || trainer.sanity_checking()) {
        return;
    }
    validated_ = true;
    // By steps: a score of a validation is known only now, so its checkpoint waits for it.
    const bool steps_are_due =
        options_.every_n_train_steps > 0 && !options_.monitor.empty() &&
        trainer.global_step() - std::max<Step>(0, saved_step_) >= options_.every_n_train_steps;
    if (epoch_is_due(trainer) || steps_are_due) {
        save(trainer, Where::Validation);
    }
}

void ModelCheckpoint::on_train_epoch_end(Trainer& trainer, Module&) {
    if (epoch_is_due(trainer)) {
        save(trainer, Where::EpochEnd);
        check_monitor(trainer);
    }
}

// A stop in the middle of an epoch: what was done since the last checkpoint is not lost.
void ModelCheckpoint::on_train_end(Trainer& trainer, Module&) {
    const bool stopped =
        trainer.interrupted_by() != 0 || trainer::Inside::core(trainer).epoch_cut_short();
    if (stopped && options_.save_on_stop && !trainer.fast_dev_run()) {
        save_last(trainer);
    }
}

void ModelCheckpoint::on_exception(Trainer& trainer, Module&, std::string_view) {
    if (options_.save_on_stop && trainer.stage() == Stage::Fit && trainer.global_step() > 0 &&
        !trainer.fast_dev_run()) {
        save_last(trainer);
    }
}

// The value belongs to the weights of this moment: logged by the loop whose hook this is, after the
// last score.
bool ModelCheckpoint::monitored_is_new(Trainer& trainer, Where where) {
    if (!trainer.callback_metrics().contains(options_.monitor)) {
        return false;
    }
    monitor_seen_ = true;
    const auto fresh = trainer::Inside::core(trainer).state_.freshness(options_.monitor);
    const auto wanted =
        where == Where::Validation ? trainer::Loop::FitValidation : trainer::Loop::Train;
    if (fresh.loop != wanted || fresh.stamp <= monitored_at_) {
        return false;
    }
    monitored_at_ = fresh.stamp;
    return true;
}

// A name that nobody logs is a mistake, told as soon as it had its chance: at the end of an epoch
// with a validation, or of one that should have had it. One that was stopped before its validation
// had none.
void ModelCheckpoint::check_monitor(Trainer& trainer) {
    const auto& every = trainer.options().check_val_every_n_epoch;
    const bool whole = !trainer::Inside::core(trainer).epoch_cut_short();
    const bool had_its_chance =
        validated_ || (whole && (trainer.options().limit_val_batches.off() ||
                                 (every && (trainer.current_epoch() + 1) % *every == 0)));
    if (!options_.monitor.empty() && options_.save_top_k != 0 && !monitor_seen_ && had_its_chance &&
        !trainer.fast_dev_run()) {
        trainer::monitored(trainer, options_.monitor, "ModelCheckpoint", true);
    }
}

void ModelCheckpoint::save(Trainer& trainer, Where where) {
    if (trainer.fast_dev_run()) {
        return;
    }
    const Step step = trainer.global_step();
    if (options_.save_top_k != 0 && options_.monitor.empty() && step != saved_step_) {
        saved_step_ = step;
        save_best(trainer, static_cast<double>(step));
    } else if (options_.save_top_k != 0 && !options_.monitor.empty() &&
               monitored_is_new(trainer, where)) {
        const auto value = trainer::monitored(trainer, options_.monitor, "ModelCheckpoint", true);
        saved_step_ = step;
        if (value) {
            save_best(trainer, options_.mode == MonitorMode::Min ? -*value : *value);
        }
    }
    if (options_.save_last && step != last_step_) {
        save_last(trainer);
    }
}

void ModelCheckpoint::save_last(Trainer& trainer) {
    last_path_ = io::join(folder_, "last.ckpt");
    last_step_ = trainer.global_step();
    if (auto saved = trainer.save_checkpoint(last_path_); !saved.ok()) {
        trainer.fail(std::move(saved).error());
    }
}

// `score` is larger for better ones; NaN is the worst of all.
void ModelCheckpoint::save_best(Trainer& trainer, double score) {
    const auto rank_of = [](double one) { return std::isnan(one) ? -HUGE_VAL : one; };
    const auto worst = std::ranges::min_element(
        kept_, {}, [&](const Kept& one) { return std::pair(rank_of(one.score), one.step); });
    const bool full =
        options_.save_top_k > 0 && kept_.size() >= static_cast<std::size_t>(options_.save_top_k);
    if (full && rank_of(score) < rank_of(worst->score)) {
        return;
    }
    const auto name = file_name(trainer);
    if (!name.ok()) {
        trainer.fail(name.error());
        return;
    }
    std::string path = io::join(folder_, *name + ".ckpt");
    for (int version = 1;
         std::ranges::any_of(kept_, [&](const Kept& one) { return one.path == path; }); ++version) {
        path = io::join(folder_, *name + "-v" + std::to_string(version) + ".ckpt");
    }
    // Its own entry is part of what the file keeps of this callback.
    const std::vector<Kept> before = kept_;
    const std::string dropped = full ? worst->path : "";
    if (full) {
        kept_.erase(worst);
    }
    kept_.push_back({path, score, trainer.global_step()});
    choose_best();
    if (auto saved = trainer.save_checkpoint(path); !saved.ok()) {
        kept_ = before;
        choose_best();
        trainer.fail(std::move(saved).error());
    } else if (full) {
        trainer::Inside::core(trainer).remove_checkpoint(dropped);
    }
}

void ModelCheckpoint::choose_best() {
    const auto best = std::ranges::max_element(
        kept_, {}, [](const Kept& one) { return std::isnan(one.score) ? -HUGE_VAL : one.score; });
    best_path_ = best != kept_.end() ? best->path : "";
    best_score_.reset();
    if (best != kept_.end() && !options_.monitor.empty()) {
        best_score_ = options_.mode == MonitorMode::Min ? -best->score : best->score;
    }
}

std::string ModelCheckpoint::state_dict() const {
    Json::Array kept;
    for (const Kept& one : kept_) {
        kept.emplace_back(Json::Object{
            {"path", Json(one.path)}, {"score", Json(one.score)}, {"step", Json(one.step)}});
    }
    return Json(Json::Object{{"kept", Json(std::move(kept))},
                             {"best_path", Json(best_path_)},
                             {"best_score", best_score_ ? Json(*best_score_) : Json()},
                             {"last_path", Json(last_path_)},
                             {"saved_step", Json(saved_step_)}})
        .dump();
}

Result<void> ModelCheckpoint::load_state_dict(std::string_view text) {
    TAFFRAIL_ASSIGN(const Json state, parse_json(text));
    kept_.clear();
    if (const Json* kept = state.find("kept"); kept != nullptr && kept->array() != nullptr) {
        for (const Json& one : *kept->array()) {
            kept_.push_back({one.string_or("path", ""),
                             one.number_or("score", std::numeric_limits<double>::quiet_NaN()),
                             one.integer_or("step", 0)});
        }
    }
    best_path_ = state.string_or("best_path", "");
    last_path_ = state.string_or("last_path", "");
    saved_step_ = state.integer_or("saved_step", -1);
    if (state.find("best_score") != nullptr) {
        best_score_ = state.find("best_score")->number();
    }
    return {};
}

}  // namespace taffrail
