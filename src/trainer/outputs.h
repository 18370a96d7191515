// Where rows go: once into the run for all loggers that are sinks of it, and to each logger that is
// not.
#pragma once

#include <taffrail/trainer.h>

#include "metrics/row_output.h"

#include <memory>
#include <vector>

namespace taffrail::detail {
class RowCore;
}

namespace taffrail::trainer {

class Outputs final : public metrics::RowOutput {
  public:
    Outputs(Run* run, const std::vector<std::shared_ptr<LoggerBase>>& loggers, bool muted);

    void log_metrics(std::span<const metrics::RowEntry> row, Step step,
                     metrics::Level level) override;
    std::uint32_t bind(std::string_view key) override;
    void call(std::uint32_t key, double value, Step step) noexcept override;

    /// What later points of the run carry.
    void set_position(double epoch, std::int64_t samples, Phase phase) noexcept;

  private:
    Run* run_;
    std::vector<std::shared_ptr<LoggerBase>> loggers_;
    RouteMask route_ = kStoreOnly;
    bool muted_;
    bool sanity_ =
        false;  // tries the code on untrained weights: its values would stand in the curves
    std::vector<std::pair<std::string_view, double>> pairs_;
    std::vector<const detail::RowCore*> keys_;
};

}  // namespace taffrail::trainer
