#include "trainer/outputs.h"

#ifdef TAFFRAIL_HAS_RUN
#include <taffrail/run.h>
#endif

namespace taffrail::trainer {

Outputs::Outputs(Run* run, const std::vector<std::shared_ptr<LoggerBase>>& loggers, bool muted)
    : run_(run), loggers_(loggers), muted_(muted) {
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
#ifdef TAFFRAIL_HAS_RUN
    if (run_ != nullptr) {
        // The store has the single calls behind a step row already: it is for the sinks only.
        run_->log_routed(pairs_, step, {.route = route_, .visible = level == metrics::Level::Epoch});
    }
#else
    static_cast<void>(level);
#endif
}

std::uint32_t Outputs::bind(std::string_view key) noexcept {
    keys_.emplace_back(key);
    return static_cast<std::uint32_t>(keys_.size() - 1);
}

void Outputs::call(std::uint32_t key, double value, Step step) noexcept {
#ifdef TAFFRAIL_HAS_RUN
    if (run_ != nullptr && !muted_) {
        const std::pair<std::string_view, double> one(keys_[key], value);
        run_->log_routed(std::span(&one, 1), step, {.route = kStoreOnly, .visible = true});
    }
#else
    static_cast<void>(key);
    static_cast<void>(value);
    static_cast<void>(step);
#endif
}

void Outputs::set_position(double epoch, std::int64_t samples, Phase phase) noexcept {
#ifdef TAFFRAIL_HAS_RUN
    if (run_ != nullptr) {
        run_->set_epoch(epoch);
        run_->set_samples(samples);
        run_->set_phase(phase);
    }
#else
    static_cast<void>(epoch);
    static_cast<void>(samples);
    static_cast<void>(phase);
#endif
}

}  // namespace taffrail::trainer
