// The bars of a Trainer: train, validation, sanity check, test and predict, with their metrics.
#pragma once

#include <taffrail/api.h>
#include <taffrail/logger_base.h>
#include <taffrail/progress.h>
#include <taffrail/progress_base.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

struct TrainingBarOptions {
    int refresh_rate = 1;  ///< 0 = no bars
    bool leave = true;     ///< keep the bar of every finished epoch; the last one always stays
    /// Their versions are shown as `v_num`: joined by `_`, of long texts the last four characters.
    /// Empty: the trainer's.
    std::vector<std::shared_ptr<LoggerBase>> loggers = {};
    std::optional<std::int64_t> max_epochs = {};  ///< for "Epoch 3/9"; absent: the trainer's
    /// Sees every published position; `bar` is "train", "validate", "sanity", "test" or "predict".
    std::function<void(std::string_view bar, std::int64_t position)> on_publish = {};
};

/// One per training, on rank 0. A validation bar stands below the training bar and vanishes when it
/// is done; test and predict bars stay. Override get_metrics() to change what the training bar
/// shows.
class TAFFRAIL_API TrainingBars : public ProgressBarBase {
  public:
    explicit TrainingBars(TrainingBarOptions options = {});
    ~TrainingBars() override;

    /// What stands on the training bar: the standard items and then what was logged for it; a
    /// logged name wins. An override calls this one and drops or adds items.
    virtual BarMetrics get_metrics(const MetricMap& logged);

    void attach(const TrainerOptions& options) noexcept override;
    void begin(Phase phase, std::string_view description, std::optional<std::int64_t> total,
               std::int64_t done) noexcept override;
    void update(std::int64_t done, const MetricMap& metrics) noexcept override;
    void end(const MetricMap& metrics) noexcept override;

  private:
    struct Bar {
        Phase phase;
        Progress progress;
        std::optional<std::int64_t> total;
    };

    TrainingBarOptions options_;
    int rate_;
    std::vector<Bar> bars_;  ///< the training bar first, what runs inside it behind
};

}  // namespace taffrail
