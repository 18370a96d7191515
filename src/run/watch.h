// What is recorded besides log calls: the environment once, the machine's load every few seconds,
// the console.
#pragma once

#include <taffrail/run.h>

#include "record/recorder.h"
#include "run/settings.h"
#include "system/console_capture.h"
#include "system/load_monitor.h"
#include "system/machine_claim.h"

#include <array>
#include <memory>
#include <thread>

namespace taffrail::run {

class Watch {
  public:
    /// Starts what the settings ask for; never fails the run.
    Watch(record::Recorder& recorder, const Settings& settings, const std::string& run_folder);
    /// Stops everything; waits for the snapshot (it is bounded by its own time-outs).
    ~Watch();

    void stop();

  private:
    void watch_load(const Settings& settings, const std::string& run_folder);
    void watch_console();
    system::LineAssembler::Emit log_lines_of(system::ConsoleStream stream);

    record::Recorder& recorder_;
    std::unique_ptr<system::MachineClaim> claim_;
    std::unique_ptr<system::LoadMonitor> load_;
    std::array<system::LineAssembler, 2> lines_;  // of both streams; on the capture's thread
    std::unique_ptr<system::ConsoleCapture> console_;
    std::thread snapshot_;
};

}  // namespace taffrail::run
