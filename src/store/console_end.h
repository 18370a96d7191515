// The end of a run's console without what is before it.
#pragma once

#include <taffrail/reader.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::storage {

/// The newest `count` lines, as RecordedRun::console() has them last. Nothing where only a look at
/// everything tells them: logs that are damaged or sealed in part, a writer that died with text in
/// its rings, more lines than the newest file of a writer holds.
std::optional<std::vector<ConsoleLine>> last_console_lines(const std::string& run_folder,
                                                           std::size_t count);

}  // namespace taffrail::storage
