// Logs in portions that are sealed one after the other, so that sealing needs memory for one of
// them however long the run was.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taffrail::seal {

/// About `bytes` of logs a portion, in log order. A log that repeats frames of the one before it
/// (its writer was not sure that they are on the disk) goes with that one, for rows are told apart
/// only within a portion.
Result<std::vector<std::vector<std::string>>> portion_logs(std::span<const std::string> logs,
                                                           std::uint64_t bytes);

}  // namespace taffrail::seal
