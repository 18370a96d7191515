// One thread per sink. It may sleep, fail or hang without anybody noticing but the sink itself.
#pragma once

#include <taffrail/sink.h>

#include "record/delivery.h"
#include "record/log_writer.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::record {

/// A log that is not delivered to its end: of an earlier process of the run, or of a forked child.
struct Backlog {
    std::unique_ptr<LogReader> log;
    std::string cursor_path;
    LogPosition start;
    /// Whose it is, as its log says.
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    std::optional<Step> resume_step = {};
};

/// Logs that came to be since it was last asked. Called on the thread of the sink, before each
/// delivery by time and at the end; it may outlive the run when the sink hangs.
using NewLogs = std::function<std::vector<Backlog>()>;

/// Whether somebody else may still add to the new logs, and is about to end: asked at the end, on
/// the thread of the sink, which waits a few seconds for them.
using OthersGoOn = std::function<bool()>;

class SinkRunner {
  public:
    /// The backlogs come first, in order. New logs are delivered beside the process's own; at the
    /// end they are waited for while `others_go_on` says so.
    SinkRunner(std::unique_ptr<Sink> sink, std::unique_ptr<LogReader> log, DeliveryOptions options,
               LogPosition start, std::vector<Backlog> backlogs = {}, NewLogs new_logs = {},
               OthersGoOn others_go_on = {});
    /// Ends the thread as finish() does, without waiting.
    ~SinkRunner();

    /// The log has something new; never blocks.
    void poke() noexcept;
    /// Starts what finish() does and returns at once. `reason` says why the run ends as it does.
    void ask_to_finish(RunState state, std::chrono::steady_clock::time_point deadline,
                       std::string reason = {}) noexcept;
    /// Hands over what is left and closes the sink, until `deadline`. A sink that hangs is left to
    /// itself; its place in the log is kept for `taffrail sync`.
    Result<void> finish(RunState state, std::chrono::steady_clock::time_point deadline);

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] bool degraded() const noexcept;

  private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace taffrail::record
