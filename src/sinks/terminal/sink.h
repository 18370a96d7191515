// The terminal as a sink (`terminal`, `LocalWriter`).
#pragma once

#include <taffrail/sink.h>
#include <taffrail/terminal.h>

#include "terminal/screen.h"
#include "terminal/stat_table.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::sinks::terminal {

struct TerminalSinkOptions {
    std::string log_dir;  ///< pictures go here; empty = they are not saved
    std::vector<std::string>
        stats_to_track;  ///< statistics or keys; empty = every scalar that is not hidden
    std::int64_t max_log_size = 10;  ///< rows kept on screen; 0 = append, erase nothing
    std::int64_t steps_per_log = 1;  ///< rows at multiples of this
    std::int64_t max_iter = 0;       ///< for the percentage; 0 = unknown
};

const OptionSchema<TerminalSinkOptions>& terminal_options();
/// Reads options as they stand in a configuration; unknown names and statistics are refused with a
/// suggestion.
Result<TerminalSinkOptions> parse_terminal_options(const OptionMap& options);

class TerminalSink : public Sink {
  public:
    TerminalSink(TerminalSinkOptions options, taffrail::terminal::Screen& screen);
    ~TerminalSink() override;

    Result<void> open(const SinkContext& context) override;
    Result<void> write(std::span<const Record> records, std::size_t& delivered) override;
    Result<void> flush() override;

    void give_reason(std::string_view reason) override { reason_ = reason; }

    Result<void> close(RunState state) override;
    [[nodiscard]] bool accepts(Kind kind) const noexcept override;

    /// A person watches: rows show up while they are new.
    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override {
        return std::chrono::milliseconds(200);
    }

  private:
    void take(const Record& record);
    const StatInfo* column_for(std::string_view key);
    void finish_row();
    std::vector<std::string> lines(std::size_t width);

    TerminalSinkOptions options_;
    taffrail::terminal::Screen& screen_;
    bool in_place_ = false;
    bool silent_ = false;  ///< not rank 0
    std::vector<MetricDefinition> metrics_;
    std::mutex mutex_;  ///< the drawing thread reads table_, rows_ and row_
    taffrail::terminal::StatTable table_;
    std::deque<taffrail::terminal::StatRow> rows_;
    std::optional<taffrail::terminal::StatRow> row_;  ///< the newest step, still growing
    std::size_t header_columns_ = SIZE_MAX;           ///< columns of the header printed last
    taffrail::terminal::Region region_;
    std::string reason_;
};

Result<std::unique_ptr<Sink>> make_terminal_sink(const OptionMap& options);

}  // namespace taffrail::sinks::terminal
