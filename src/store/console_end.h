// The end of a run's console without what is before it.
#pragma once

#include <taffrail/reader.h>

#include "store/console_lines.h"
#include "store/manifest.h"
#include "store/writer_log.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::store {

/// The files of a writer that tell its console, newest first.
struct ConsoleFiles {
    std::vector<std::string> urls;
    bool live = false;  ///< the first one is a log, not a rest of sealed ones
};

/// Nothing where only a look at everything tells (see last_console_lines).
std::optional<ConsoleFiles> console_files(const std::string& run_folder, const Manifest& manifest,
                                          std::uint64_t writer);

/// The newest lines of one writer.
struct WriterEnd {
    tlog::FileIdentity identity;
    ConsoleLines lines;
    bool cut = false;  ///< there is more: the first line of each stream may lack its beginning
};

/// At least `count` lines, if there are so many. With `before` what the newest log holds from there
/// on is left out.
std::optional<WriterEnd> end_of_writer(const ConsoleFiles& files, std::size_t count,
                                       const std::optional<WriterLog::Start>& before = {});

/// The newest `count` lines, as RecordedRun::console() has them last. Nothing where only a look at
/// everything tells them: logs that are damaged or sealed in part, a writer that died with text in
/// its rings, more lines than the newest file of a writer holds.
std::optional<std::vector<ConsoleLine>> last_console_lines(const std::string& run_folder,
                                                           std::size_t count);

}  // namespace taffrail::store
