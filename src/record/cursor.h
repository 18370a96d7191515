// Where a sink stands in one writer's log, kept in a small file that is replaced in one step.
#pragma once

#include <taffrail/result.h>

#include "record/log_writer.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail::record {

/// `<run>/cursors/<sink>-<writer>.cursor`.
std::string cursor_path(const std::string& run_folder, std::string_view sink, std::uint64_t writer);

/// The position in the file; the start of the log when there is no file. A damaged file is an
/// error: starting over would deliver everything twice.
Result<LogPosition> read_cursor(const std::string& path);
Result<void> write_cursor(const std::string& path, LogPosition position);
/// Behind everything that `log` holds now.
Result<LogPosition> end_of(LogReader& log);

}  // namespace taffrail::record
