// The console of a run, followed: its end first, then what is new, whatever its length.
#pragma once

#include <taffrail/reader.h>

#include "store/console_lines.h"
#include "store/writer_log.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::store {

/// One thread at a time.
class ConsoleTail {
  public:
    explicit ConsoleTail(std::string run_folder) : run_folder_(std::move(run_folder)) {}

    /// The newest `count` lines that have an end. Nothing where only a look at everything tells
    /// them, as last_console_lines() has it; then do not follow with this.
    std::optional<std::vector<ConsoleLine>> begin(std::size_t count);
    /// The lines that came to their end since the last call, in the order of their times.
    Result<std::vector<ConsoleLine>> next();
    /// What was written last and never ended.
    [[nodiscard]] std::vector<ConsoleLine> open_lines() const;

  private:
    struct Writer {
        std::unique_ptr<WriterLog> log;  ///< null when it has ended, and its logs are gone
        ConsoleLines lines;
    };

    static Result<void> poll(Writer& writer);
    [[nodiscard]] std::vector<ConsoleLine> take_ended();

    std::string run_folder_;
    std::map<std::uint64_t, Writer> writers_;
};

}  // namespace taffrail::store
