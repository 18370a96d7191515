// What a later process must know of what a sink wrote: named texts, kept beside the run's cursors
// and replaced whole after each flush.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::trackers {

struct SinkState {
    std::map<std::string, std::string, std::less<>> fields;  ///< names without spaces; any text
    std::vector<std::string> lines;  ///< of others: delivered rows, watched logs; each with its end

    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name) const;
};

/// Where the state of a sink called `sink` that writes to `target` is kept; empty without a folder.
std::string state_path(const std::string& run_folder, std::string_view sink,
                       std::string_view target);
/// Nothing where there is none, or one of another run.
std::optional<SinkState> read_state(const std::string& path, const std::string& run_id);
Result<void> write_state(const std::string& path, const std::string& run_id,
                         const SinkState& state);

}  // namespace taffrail::trackers
