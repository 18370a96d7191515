// What a Trainer needs of a progress bar, without the trainer.
#pragma once

#include <taffrail/api.h>
#include <taffrail/key.h>
#include <taffrail/metric_map.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace taffrail {

struct TrainerOptions;

/// What a Trainer needs of a progress bar. Positions are published every batch; the bar decides
/// which ones to draw.
class TAFFRAIL_API ProgressBarBase {
  public:
    virtual ~ProgressBarBase() = default;

    /// A stage begins; the bar may take from the trainer what it was not told itself.
    virtual void attach(const TrainerOptions& options) noexcept { static_cast<void>(options); }

    /// A bar begins: `total` is nothing for streams, `done` more than 0 after a resume.
    virtual void begin(Phase phase, std::string_view description, std::optional<std::int64_t> total,
                       std::int64_t done) noexcept = 0;
    virtual void update(std::int64_t done, const MetricMap& metrics) noexcept = 0;
    virtual void end(const MetricMap& metrics) noexcept = 0;

    /// fit, validate, test or predict is over, however it ended.
    virtual void end_stage() noexcept {}
};

}  // namespace taffrail
