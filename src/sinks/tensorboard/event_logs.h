// The event files of one SummaryWriter: its own, and those of the runs below it that add_scalars
// and add_hparams make.
#pragma once

#include <taffrail/record.h>
#include <taffrail/summary_writer.h>

#include "codec/formats/tensorboard/layout.h"
#include "sinks/tensorboard/event_log.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::sinks::tensorboard {

using namespace formats::tensorboard;

/// Used by the writer's thread only.
class EventLogs {
  public:
    EventLogs(std::unique_ptr<EventLog> main, std::string filename_suffix, std::string group_name)
        : main_(std::move(main)),
          filename_suffix_(std::move(filename_suffix)),
          group_name_(std::move(group_name)) {}

    [[nodiscard]] EventLog& main() noexcept { return *main_; }

    /// The log of a run below; null when it cannot be made (the failure is kept).
    EventLog* below(const std::string& name);

    void value(std::string_view tag, const Value& value, Step step, double wall_time);
    void hparams(EventLog& log, const Hparams& hparams, double wall_time);
    void layout(const std::vector<ScalarChartCategory>& add, double wall_time);

    Result<void> write_out();
    /// Session ends, then write_out().
    Result<void> finish(RunState state);
    [[nodiscard]] std::size_t pending_events() const noexcept;
    void fail(const Error& error);

    [[nodiscard]] const Result<void>& first_failure() const noexcept { return failure_; }

  private:
    struct Session {
        Hparams hparams;
        bool written = false;
    };

    std::unique_ptr<EventLog> main_;
    std::string filename_suffix_, group_name_;
    std::map<std::string, std::unique_ptr<EventLog>> below_;
    std::map<EventLog*, Session> sessions_;
    ChartLayout layout_;
    Result<void> failure_;
};

}  // namespace taffrail::sinks::tensorboard
