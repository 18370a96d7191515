// What sinks are not handed over and trackers have a place for: the console and the load of the
// machine, read from the run's own log.
//
// They stay in the store by default; a tracker that shows them asks here. What was given is counted
// for each writer, so that a later process goes on behind it.
#pragma once

#include <taffrail/reader.h>

#include "store/console_lines.h"
#include "store/writer_log.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::trackers {

/// One reading of the machine: keys below `system/` and their values.
struct LoadReading {
    std::int64_t time_ns = 0;
    std::int32_t rank = 0;  ///< whose process read it
    std::vector<std::pair<std::string, double>> values;
};

/// One thread at a time.
class WatchedLog {
  public:
    /// The writers of `rank` (of all where none is named) and `attempt` in this run folder. An
    /// empty folder gives nothing.
    WatchedLog(std::string run_folder, std::optional<std::int32_t> rank, std::uint32_t attempt)
        : run_folder_(std::move(run_folder)), rank_(rank), attempt_(attempt) {}

    struct News {
        std::vector<ConsoleLine> lines;
        std::vector<LoadReading> load;
    };

    /// What was written since. `is_the_end`: also a last line that has no end.
    Result<News> next(bool is_the_end);

    /// Lines "watched <hex> <lines> <readings>", each with its end: what next() gave so far.
    [[nodiscard]] std::string save() const;
    /// Takes one such line; false for any other.
    bool restore(std::string_view line);

  private:
    struct Counts {
        std::uint64_t lines = 0, readings = 0;
    };

    struct Writer {
        std::unique_ptr<store::WriterLog> log;
        store::ConsoleLines lines;
        Counts seen;
    };

    static void take_load(const store::WriterLog& log, const tlog::Batch& batch,
                          std::vector<LoadReading>& to);

    std::string run_folder_;
    std::optional<std::int32_t> rank_;
    std::uint32_t attempt_;
    std::map<std::uint64_t, Writer> writers_;
    std::map<std::uint64_t, Counts> given_;
};

}  // namespace taffrail::trackers
