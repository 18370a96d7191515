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
/// What a sink keeps beside its cursors. The run may be anybody's: pipes, links that lead out and
/// what is longer than any sink would write are refused.
Result<std::string> read_kept_text(const std::string& path);
/// Beside a cursor: the sink took everything and could not be closed. Who delivers later closes it.
std::string unclosed_path(const std::string& cursor_path);
/// Beside a cursor: the sink was told how the run ended. Who finds nothing new has no reason to
/// open it again, also where the log ends in a torn frame, which no cursor gets past.
std::string closed_path(const std::string& cursor_path);
/// Behind everything that `log` holds now.
Result<LogPosition> end_of(LogReader& log);

}  // namespace taffrail::record
