#include "trainer/outputs.h"

#include <taffrail/run.h>

#include "record/recorder.h"
#include "record/row_core.h"
#include "run/run_core.h"

#include <new>

namespace taffrail::trainer {

Outputs::Outputs(Run* run, const std::vector<std::shared_ptr<LoggerBase>>& loggers, bool muted)
    : run_(run != nullptr && run->active() && !muted ? run : nullptr),
      loggers_(loggers),
      muted_(muted) {
    for (const auto& logger : loggers_) {
        route_ = static_cast<RouteMask>(route_ | logger->route());
    }
}

void Outputs::log_metrics(std::span<const metrics::RowEntry> row, Step step, metrics::Level level) {
    if (muted_) {
        return;
    }
    pairs_.clear();
    for (const metrics::RowEntry& entry : row) {
        pairs_.emplace_back(entry.name, entry.value);
    }
    for (const auto& logger : loggers_) {
        if (run_ == nullptr || logger->route() == kStoreOnly) {
            logger->log_metrics(pairs_, step);
        }
    }
    if (run_ != nullptr && (route_ != kStoreOnly || level == metrics::Level::Epoch)) {
        // The store has the single calls behind a step row already: it is for the sinks only.
        run_->log_routed(pairs_, step,
                         {.route = route_, .visible = level == metrics::Level::Epoch});
    }
}

std::uint32_t Outputs::bind(std::string_view key) {
    const detail::RowCore* row = nullptr;
    if (run_ != nullptr) {
        row = detail::RunInside::core(*run_)->recorder().keys().handle(std::span(&key, 1));
        if (row == nullptr && key.size() <= record::KeyRegistry::kMaxKeyBytes) {
            throw std::bad_alloc();  // a place without a row would lose every later value too
        }
    }
    keys_.push_back(row);
    return static_cast<std::uint32_t>(keys_.size() - 1);
}

void Outputs::call(std::uint32_t key, double value, Step step) noexcept {
    if (const detail::RowCore* row = keys_[key]; row != nullptr && !sanity_) {
        row->target().log(*row, step, &value, {.route = kStoreOnly, .visible = true});
    }
}

void Outputs::set_position(double epoch, std::int64_t samples, Phase phase) noexcept {
    sanity_ = phase == Phase::Sanity;
    if (run_ != nullptr) {
        run_->set_epoch(epoch);
        run_->set_samples(samples);
        run_->set_phase(phase);
    }
}

}  // namespace taffrail::trainer
