// The `tensorboard` sink: a run's records as event files in a logdir.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/sink.h>

#include "sinks/tensorboard/delivery_state.h"
#include "sinks/tensorboard/event_log.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace taffrail::tensorboard {

struct SinkOptions {
    std::string log_dir;  ///< empty: `tensorboard` inside the run's folder
    std::string name;     ///< with `version`: log_dir/name/version_k, as Lightning lays it out
    std::string version;
    bool versioned = false;  ///< name or version was given
    std::string comment;     ///< appended to the folder's name when log_dir is not given
    std::string filename_suffix;
    std::string group_name;  ///< runs with the same one are one trial in the HPARAMS page
    std::optional<Step> purge_step;
    std::size_t max_queue = 10;
    double flush_secs = 120;
};

/// Refuses unknown options with a suggestion.
Result<SinkOptions> parse_options(const OptionMap& options);

class TensorboardSink final : public Sink {
  public:
    explicit TensorboardSink(SinkOptions options) : options_(std::move(options)) {}

    Result<void> open(const SinkContext& context) override;
    Result<void> write(std::span<const Record> records, std::size_t& delivered) override;
    Result<void> flush() override;
    Result<void> close(RunState state) override;
    [[nodiscard]] bool accepts(Kind kind) const noexcept override;
    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override;

    [[nodiscard]] std::size_t flush_records() const noexcept override { return options_.max_queue; }

    /// The folder of the event file, after open().
    [[nodiscard]] const std::string& folder() const noexcept { return log_->folder(); }

  private:
    void take(const Record& record);
    void write_hparams();

    SinkOptions options_;
    SinkContext context_;
    std::unique_ptr<EventLog> log_;
    DeliveryState delivered_;
    Hparams hparams_;
    bool hparams_waiting_ = false, hparams_written_ = false;
    double hparams_time_ = 0;
};

/// Writes everything of a recorded run, native or foreign, as a logdir run into `folder`. Scalars
/// become floats: event files hold no more.
Result<void> export_to_logdir(const RecordedRun& run, const std::string& folder);

}  // namespace taffrail::tensorboard

namespace taffrail {

/// Makes the sink known under "tensorboard" and "TensorboardWriter".
void register_tensorboard_sink();

}  // namespace taffrail
