// Which folder a run gets: a new one, an existing one to resume, or one that other ranks made a
// moment ago.
#pragma once

#include "run/settings.h"

#include <string>

namespace taffrail::run {

struct RunPlace {
    std::string id, name, folder;
    bool joined = false;  ///< it existed: other ranks or earlier attempts are in it
    std::uint32_t attempt = 0;
};

/// Makes or finds the folder. `number` counts the runs this process opened, for ids that ranks
/// derive.
Result<RunPlace> place_run(const Settings& settings, std::uint32_t number);

}  // namespace taffrail::run
