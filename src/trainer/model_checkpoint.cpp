#include <taffrail/callbacks.h>
#include <taffrail/trainer.h>

#include "base/strings.h"
#include "base/try.h"
#include "codec/json.h"
#include "io/files.h"
#include "trainer/checkpoint_name.h"
#include "trainer/monitor.h"

#include <algorithm>
#include <cmath>

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

void ModelCheckpoint::on_train_batch_end(Trainer& trainer, Module&, const Batch&, std::int64_t) {
    const Step step = trainer.global_step();
    if (options_.every_n_train_steps > 0 && step > 0 && step != saved_step_ &&
        step % options_.every_n_train_steps == 0) {
        save(trainer);
    }
}

void ModelCheckpoint::on_validation_end(Trainer& trainer, Module&) {
    if (trainer.stage() == Stage::Fit && !trainer.sanity_checking() &&
        options_.every_n_train_steps == 0 && options_.every_n_epochs > 0 &&
        (trainer.current_epoch() + 1) % options_.every_n_epochs == 0) {
        save(trainer);
    }
}

void ModelCheckpoint::on_train_epoch_end(Trainer& trainer, Module&) {
    if (options_.every_n_train_steps == 0 && options_.every_n_epochs > 0 &&
        (trainer.current_epoch() + 1) % options_.every_n_epochs == 0 &&
        trainer.global_step() != saved_step_) {
        save(trainer);
    }
}

void ModelCheckpoint::on_train_end(Trainer& trainer, Module&) {
    if (trainer.interrupted_by() != 0 && options_.save_on_stop) {
        save_last(trainer);
    }
}

void ModelCheckpoint::on_exception(Trainer& trainer, Module&, std::string_view) {
    if (options_.save_on_stop && trainer.stage() == Stage::Fit && trainer.global_step() > 0) {
        save_last(trainer);
    }
}

void ModelCheckpoint::save(Trainer& trainer) {
    if (trainer.fast_dev_run()) {
        return;
    }
    saved_step_ = trainer.global_step();
    if (options_.save_top_k != 0) {
        double score = static_cast<double>(trainer.global_step());
        if (!options_.monitor.empty()) {
            const auto value =
                trainer::monitored(trainer, options_.monitor, "ModelCheckpoint", true);
            if (!value) {
                return;
            }
            score = options_.mode == MonitorMode::Min ? -*value : *value;
        }
        save_best(trainer, score);
    }
    if (options_.save_last) {
        save_last(trainer);
    }
}

void ModelCheckpoint::save_last(Trainer& trainer) {
    last_path_ = io::join(folder_, "last.ckpt");
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
    if (auto saved = trainer.save_checkpoint(path); !saved.ok()) {
        trainer.fail(std::move(saved).error());
        return;
    }
    if (full) {
        if (trainer.rank() == 0) {
            static_cast<void>(io::remove(worst->path).ok());
        }
        kept_.erase(worst);
    }
    kept_.push_back({path, score, trainer.global_step()});
    const auto best =
        std::ranges::max_element(kept_, {}, [&](const Kept& one) { return rank_of(one.score); });
    best_path_ = best->path;
    if (!options_.monitor.empty()) {
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
                             {"last_path", Json(last_path_)}})
        .dump();
}

Result<void> ModelCheckpoint::load_state_dict(std::string_view text) {
    TAFFRAIL_ASSIGN(const Json state, parse_json(text));
    kept_.clear();
    if (const Json* kept = state.find("kept"); kept != nullptr && kept->array() != nullptr) {
        for (const Json& one : *kept->array()) {
            kept_.push_back(
                {one.string_or("path", ""), one.number_or("score", 0), one.integer_or("step", 0)});
        }
    }
    best_path_ = state.string_or("best_path", "");
    last_path_ = state.string_or("last_path", "");
    if (state.find("best_score") != nullptr) {
        best_score_ = state.find("best_score")->number();
    }
    return {};
}

}  // namespace taffrail
