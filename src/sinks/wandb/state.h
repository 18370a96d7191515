// What a later process must know of a run folder: where it lies, how far it counts, and the row
// that is not over yet.
//
// Kept beside the run's cursors and replaced whole after each flush. Bytes of the file behind
// `length` never counted; the row of the newest step stands here until the step is over, because
// the tracker takes one row a step and values of it may still come.
#pragma once

#include <taffrail/key.h>
#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::sinks::wandb {

/// A number that is followed over the whole run for the summary.
struct Tracked {
    std::string key;
    double smallest = 0, largest = 0, sum = 0;
    std::uint64_t count = 0;
};

struct State {
    std::string run_id;  ///< of the run here
    std::string file;    ///< the `.wandb` file
    std::uint64_t length = 0;
    std::int64_t records = 0;
    std::uint32_t attempt = 0;
    std::optional<Step> last_step;  ///< place of the last row
    bool says_step = false;         ///< rows say their true step
    std::optional<Step> row_step;   ///< of the row that is not over
    std::int64_t row_time_ns = 0;
    Bytes row_items;
    std::vector<Tracked> tracked;
    std::vector<std::string> lines;  ///< of others: delivered rows, watched logs
};

/// Where the state of a sink that writes below `log_dir` is kept.
std::string state_path(const std::string& run_folder, const std::string& log_dir);
/// Nothing where there is none, or one of another run.
std::optional<State> read_state(const std::string& path, const std::string& run_id);
Result<void> write_state(const std::string& path, const State& state);

}  // namespace taffrail::sinks::wandb
