// The `tensorboard` sink: a run's records as event files in a logdir.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/sink.h>

#include "base/clock.h"
#include "sinks/tensorboard/delivery_state.h"
#include "sinks/tensorboard/event_log.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::sinks::tensorboard {

/// Where the reason of a bad end stands on the TEXT page.
inline constexpr std::string_view kReasonTag = "run/reason";

struct SinkOptions {
    std::string log_dir;  ///< empty: `tensorboard` inside the run's folder
    /// With one of them: log_dir/name/version_k, as Lightning lays it out.
    std::optional<std::string> name, version;
    std::string comment;  ///< appended to the folder's name when log_dir is not given
    std::string filename_suffix;
    std::string group_name;  ///< runs with the same one are one trial in the HPARAMS page
    std::optional<Step> purge_step;
    std::size_t max_queue = 10;
    double flush_secs = 120;
    /// What time it is: an export writes down what happened earlier.
    std::function<std::int64_t()> now_ns = wall_time_ns;
    /// The end is marked even where the run has no hyperparameters; TensorBoard knows ends only as
    /// those of its hyperparameter sessions, so live runs leave that page empty.
    bool marks_every_end = false;
};

const OptionSchema<SinkOptions>& sink_options();
/// Refuses unknown options with a suggestion.
Result<SinkOptions> parse_options(const OptionMap& options);

class TensorboardSink final : public Sink {
  public:
    explicit TensorboardSink(SinkOptions options) : options_(std::move(options)) {}

    Result<void> open(const SinkContext& context) override;
    Result<void> write(std::span<const Record> records, std::size_t& delivered) override;
    Result<void> flush() override;

    /// A text under kReasonTag, at the last step; the HPARAMS page knows only that it failed.
    void give_reason(std::string_view reason) override { reason_ = reason; }

    Result<void> close(RunState state) override;
    [[nodiscard]] bool accepts(Kind kind) const noexcept override;
    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override;

    [[nodiscard]] std::size_t flush_records() const noexcept override { return options_.max_queue; }

    /// The folder of the event file, after open().
    [[nodiscard]] const std::string& folder() const noexcept { return log_->folder(); }

    /// The event file, after open().
    [[nodiscard]] const std::string& path() const noexcept { return log_->path(); }

  private:
    void take(const Record& record);
    void write_hparams();
    void write_reason(RunState state, double now);

    SinkOptions options_;
    std::vector<MetricDefinition> metrics_;
    std::unique_ptr<EventLog> log_;
    DeliveryState delivered_;
    Hparams hparams_;
    bool hparams_waiting_ = false, hparams_written_ = false;
    double hparams_time_ = 0;
    std::string reason_;
    Step last_step_ = 0;
};

/// What an export could not write down: how many records of each kind.
using LeftOut = std::map<std::string, std::uint64_t>;

/// Whether a record is to be exported; absent = every one.
using RecordFilter = std::function<bool(const Record& record)>;

/// Writes a recorded run, native or foreign, as a logdir run into `folder`, which must not hold
/// event files yet. Scalars become floats: event files hold no more. Ranks above 0 get folders of
/// their own, and files are dated to the run. Attempts::All: every attempt gets a file that begins
/// with a session mark at its first step. Attempts::Winning: `wanted` leaves out what does not
/// count, and no mark makes readers drop more.
Result<LeftOut> export_to_logdir(const RecordedRun& run, const std::string& folder,
                                 const RecordFilter& wanted = {},
                                 Attempts attempts = Attempts::All);

/// An error when `folder` holds event files: a second export would double every point.
Result<void> check_unused(const std::string& folder);

}  // namespace taffrail::sinks::tensorboard
