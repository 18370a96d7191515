// Where a run's log goes on when its own folder takes no more.
#pragma once

#include "io/files.h"

#include <string>

namespace taffrail::store {

/// The run's part of the second folder: named like the run's own.
inline std::string spool_folder(const std::string& spool, const std::string& run_folder) {
    return io::join(spool, run_folder.substr(run_folder.find_last_of('/') + 1));
}

}  // namespace taffrail::store
