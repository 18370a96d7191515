// Which archives lie below a path, and which of them are parts of one experiment.
#pragma once

#include "model/gathered_catalogue.h"

#include <optional>
#include <string>
#include <vector>

namespace taffrail::sources::comet {

/// One entry for each experiment key, its parts in the order they began.
std::vector<model::FoundRun> find_runs(const std::string& root);

/// How many folders below `root` the nearest lies; nothing where there is none. Reads little.
std::optional<int> depth_of_archives(const std::string& root);

}  // namespace taffrail::sources::comet
