// One thread per sink. It may sleep, fail or hang without anybody noticing but the sink itself.
#pragma once

#include <taffrail/sink.h>

#include "record/delivery.h"
#include "record/log_writer.h"

#include <chrono>
#include <memory>
#include <string>

namespace taffrail::record {

/// A log that earlier processes of the run did not deliver to the end.
struct Backlog {
    std::unique_ptr<LogReader> log;
    std::string cursor_path;
    LogPosition start;
};

class SinkRunner {
  public:
    /// The backlogs come first, in order.
    SinkRunner(std::unique_ptr<Sink> sink, std::unique_ptr<LogReader> log, DeliveryOptions options,
               LogPosition start, std::vector<Backlog> backlogs = {});
    /// Ends the thread as finish() does, without waiting.
    ~SinkRunner();

    /// The log has something new; never blocks.
    void poke() noexcept;
    /// Starts what finish() does and returns at once.
    void ask_to_finish(RunState state, std::chrono::steady_clock::time_point deadline) noexcept;
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
