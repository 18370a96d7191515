// Ready callbacks: early stop, checkpoints, learning-rate, device and throughput monitors.
#pragma once

#include <taffrail/api.h>
#include <taffrail/callback.h>
#include <taffrail/throughput.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taffrail {

/// Which direction of a monitored value is better.
enum class MonitorMode : std::uint8_t { Min, Max };

struct EarlyStoppingOptions {
    std::string monitor = {};  ///< a name of the callback view, such as "val_loss"
    double min_delta = 0;      ///< smaller improvements do not count
    int patience = 3;          ///< checks without improvement before the stop
    MonitorMode mode = MonitorMode::Min;
    bool check_finite = true;                         ///< NaN and infinities stop at once
    std::optional<double> stopping_threshold = {};    ///< as good as this is good enough
    std::optional<double> divergence_threshold = {};  ///< worse than this is hopeless
    bool strict = true;  ///< a missing name is an error, not only a warning
};

/// Stops fit() when a monitored value no longer improves. Checked once per validation, or once per
/// train epoch where validation runs at its end. All ranks stop together.
class TAFFRAIL_API EarlyStopping final : public Callback {
  public:
    explicit EarlyStopping(EarlyStoppingOptions options);

    [[nodiscard]] std::string state_key() const override {
        return "EarlyStopping:" + options_.monitor;
    }

    [[nodiscard]] bool monitors() const override { return true; }

    void on_train_epoch_end(Trainer& trainer, Module& module) override;
    void on_validation_end(Trainer& trainer, Module& module) override;
    [[nodiscard]] std::string state_dict() const override;
    Result<void> load_state_dict(std::string_view text) override;

    [[nodiscard]] double best_score() const noexcept { return best_; }

    [[nodiscard]] int wait_count() const noexcept { return waited_; }

    /// Epoch of the stop, and why; -1 and "" before.
    [[nodiscard]] std::int64_t stopped_epoch() const noexcept { return stopped_epoch_; }

    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

  private:
    void check(Trainer& trainer);
    [[nodiscard]] bool better(double value, double than) const noexcept;

    EarlyStoppingOptions options_;
    double best_;
    int waited_ = 0;
    std::int64_t stopped_epoch_ = -1;
    std::string reason_;
};

struct ModelCheckpointOptions {
    std::string dirpath = {};  ///< "" = checkpoints/ below the trainer's root
    /// {epoch}, {step} and names of the callback view are filled in as name=value, with a format
    /// where one is given ({epoch:02d}-{val_loss:.3f}); unknown names are refused. ".ckpt" is
    /// added.
    std::string filename = "{epoch}-{step}";
    std::string monitor = {};  ///< "" = keep the newest
    MonitorMode mode = MonitorMode::Min;
    int save_top_k = 1;      ///< -1 = all, 0 = none
    bool save_last = false;  ///< also last.ckpt, overwritten each time
    std::int64_t every_n_epochs = 1;
    std::int64_t every_n_train_steps = 0;  ///< more than 0: by steps instead of epochs
    /// last.ckpt also when a signal or an exception ends the fit, or when stop(), max_time or
    /// max_steps end it inside of an epoch.
    bool save_on_stop = true;
};

/// Saves checkpoints and keeps the k best. With a monitored value it saves where that value is new,
/// so that the score of a file is the score of its weights: after validation when it is logged
/// there, else at the end of train epochs. Without one, after validation or at the end of epochs
/// without. Runs after all other callbacks.
class TAFFRAIL_API ModelCheckpoint final : public Callback {
  public:
    explicit ModelCheckpoint(ModelCheckpointOptions options = {});

    [[nodiscard]] std::string state_key() const override {
        return "ModelCheckpoint:" + options_.monitor;
    }

    [[nodiscard]] bool monitors() const override { return true; }

    void setup(Trainer& trainer, Module& module, Stage stage) override;
    void on_fit_start(Trainer& trainer, Module& module) override;
    void on_train_batch_end(Trainer& trainer, Module& module, const Batch& batch,
                            std::int64_t index) override;
    void on_train_epoch_end(Trainer& trainer, Module& module) override;
    void on_validation_end(Trainer& trainer, Module& module) override;
    void on_exception(Trainer& trainer, Module& module, std::string_view reason) override;
    void on_train_end(Trainer& trainer, Module& module) override;
    [[nodiscard]] std::string state_dict() const override;
    Result<void> load_state_dict(std::string_view text) override;

    [[nodiscard]] const std::string& best_model_path() const noexcept { return best_path_; }

    [[nodiscard]] std::optional<double> best_model_score() const noexcept { return best_score_; }

    [[nodiscard]] const std::string& last_model_path() const noexcept { return last_path_; }

  private:
    struct Kept {
        std::string path = {};
        double score = 0;
        Step step = 0;
    };

    enum class Where : std::uint8_t { TrainBatch, Validation, EpochEnd };

    void save(Trainer& trainer, Where where);
    void save_last(Trainer& trainer);
    void save_best(Trainer& trainer, double score);
    [[nodiscard]] bool monitored_is_new(Trainer& trainer, Where where);
    void check_monitor(Trainer& trainer);
    void choose_best();
    [[nodiscard]] bool epoch_is_due(const Trainer& trainer) const;
    [[nodiscard]] Result<std::string> file_name(Trainer& trainer) const;

    ModelCheckpointOptions options_;
    std::string folder_;
    std::vector<Kept> kept_;
    std::string best_path_, last_path_;
    std::optional<double> best_score_;
    Step saved_step_ = -1;
    Step last_step_ = -1;             // of last.ckpt
    std::uint64_t monitored_at_ = 0;  // when the last score came to be
    bool monitor_seen_ = false;
    bool validated_ = false;  // in this fit
};

/// Writes Module::learning_rates() with the step rows.
class TAFFRAIL_API LearningRateMonitor final : public Callback {
  public:
    void on_train_batch_start(Trainer& trainer, Module& module, const Batch& batch,
                              std::int64_t index) override;
};

/// Writes processor, memory and GPU readings with the step rows as
/// DeviceStatsMonitor.<hook>/<reading>. A thread of its own reads the machine; the training step
/// only copies the newest numbers.
class TAFFRAIL_API DeviceStatsMonitor final : public Callback {
  public:
    DeviceStatsMonitor();
    ~DeviceStatsMonitor() override;
    void setup(Trainer& trainer, Module& module, Stage stage) override;
    void teardown(Trainer& trainer, Module& module, Stage stage) override;
    void on_train_batch_start(Trainer& trainer, Module& module, const Batch& batch,
                              std::int64_t index) override;
    void on_train_batch_end(Trainer& trainer, Module& module, const Batch& batch,
                            std::int64_t index) override;

  private:
    struct Readings;
    void write(Trainer& trainer, std::string_view hook);
    std::unique_ptr<Readings> readings_;
};

struct ThroughputMonitorOptions {
    ThroughputOptions throughput = {};
    std::function<std::int64_t(const Batch&)> items = {};  ///< tokens, rays, … in a batch
    std::function<double(const Batch&)> flops = {};        ///< operations of a batch
};

/// Writes rates with the step rows as "train/device/samples_per_sec" and so on. Time spent in
/// validation does not count.
class TAFFRAIL_API ThroughputMonitor final : public Callback {
  public:
    explicit ThroughputMonitor(ThroughputMonitorOptions options = {});
    void on_train_start(Trainer& trainer, Module& module) override;
    void on_train_batch_end(Trainer& trainer, Module& module, const Batch& batch,
                            std::int64_t index) override;
    void on_validation_start(Trainer& trainer, Module& module) override;
    void on_validation_end(Trainer& trainer, Module& module) override;

  private:
    ThroughputMonitorOptions options_;
    Throughput throughput_;
    double started_ = 0;
    double paused_ = 0;
    double pause_began_ = 0;
    ThroughputSample total_;
};

}  // namespace taffrail
