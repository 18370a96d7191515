#include <taffrail/callbacks.h>
#include <taffrail/trainer.h>

#include "base/diagnostics.h"
#include "base/try.h"
#include "codec/json.h"
#include "trainer/monitor.h"

#include <cmath>
#include <limits>

namespace taffrail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Validation at the end of each train epoch: the epoch-end hook sees its values and the training's.
bool checks_at_epoch_end(const TrainerOptions& options) {
    return options.limit_val_batches.off() ||
           (!options.val_check_interval.count() && options.val_check_interval.share() == 1.0 &&
            options.check_val_every_n_epoch == 1);
}

}  // namespace

EarlyStopping::EarlyStopping(EarlyStoppingOptions options)
    : options_(std::move(options)),
      best_(options_.mode == MonitorMode::Min ? kInfinity : -kInfinity) {}

bool EarlyStopping::better(double value, double than) const noexcept {
    return options_.mode == MonitorMode::Min ? value < than : value > than;
}

void EarlyStopping::on_train_epoch_end(Trainer& trainer, Module&) {
    if (checks_at_epoch_end(trainer.options())) {
        check(trainer);
    }
}

void EarlyStopping::on_validation_end(Trainer& trainer, Module&) {
    if (trainer.stage() == Stage::Fit && !trainer.sanity_checking() &&
        !checks_at_epoch_end(trainer.options())) {
        check(trainer);
    }
}

void EarlyStopping::check(Trainer& trainer) {
    if (trainer.fast_dev_run()) {
        return;
    }
    const std::optional<double> value =
        trainer::monitored(trainer, options_.monitor, "EarlyStopping", options_.strict);
    if (!value) {
        return;
    }
    const double margin =
        options_.mode == MonitorMode::Min ? -options_.min_delta : options_.min_delta;
    std::string reason;
    if (options_.check_finite && !std::isfinite(*value)) {
        reason = "'" + options_.monitor + "' is " + std::to_string(*value);
    } else if (options_.stopping_threshold && better(*value, *options_.stopping_threshold)) {
        reason =
            "'" + options_.monitor + "' = " + std::to_string(*value) + " reached its threshold";
    } else if (options_.divergence_threshold && better(-*value, -*options_.divergence_threshold)) {
        reason = "'" + options_.monitor + "' = " + std::to_string(*value) + " diverged";
    } else if (better(*value - margin, best_) || !std::isfinite(best_)) {
        best_ = *value;
        waited_ = 0;
    } else if (++waited_ >= options_.patience) {
        reason = "'" + options_.monitor + "' did not improve in the last " +
                 std::to_string(waited_) + " checks; best: " + std::to_string(best_);
    }
    if (trainer::any_rank(trainer, !reason.empty())) {
        reason_ = reason.empty() ? "another rank stopped" : reason;
        stopped_epoch_ = trainer.current_epoch();
        if (trainer.rank() == 0) {
            diagnose(DiagnosticLevel::Info, "early stop: " + reason_);
        }
        trainer.stop();
    }
}

std::string EarlyStopping::state_dict() const {
    const bool none = !std::isfinite(best_);
    return Json(Json::Object{{"best", none ? Json() : Json(best_)},
                             {"waited", Json(static_cast<std::int64_t>(waited_))}})
        .dump();
}

Result<void> EarlyStopping::load_state_dict(std::string_view text) {
    TAFFRAIL_ASSIGN(const Json state, parse_json(text));
    best_ = state.number_or("best", best_);
    waited_ = static_cast<int>(state.integer_or("waited", 0));
    return {};
}

}  // namespace taffrail
