// The file of one trace: its name, and what it says of itself besides its events.
#pragma once

#include <taffrail/result.h>

#include "profile/profile.h"

#include <optional>
#include <string>

namespace taffrail::profilers {

/// `<worker>.<nanoseconds>.pt.trace.json`, with `.gz` where packed: what TensorBoard's profiler
/// plugin looks for. An empty worker is `<host>_<process>`.
std::string trace_file_name(const std::string& worker, bool packed);

/// Adds the members that such files have, and writes it as trace events.
Result<void> write_trace_file(profile::Profile& trace, std::optional<int> rank,
                              const std::string& path);

}  // namespace taffrail::profilers
