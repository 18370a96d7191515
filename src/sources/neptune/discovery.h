// Which runs of Neptune lie below a path.
#pragma once

#include "model/gathered_catalogue.h"

#include <optional>
#include <string>
#include <vector>

namespace taffrail::sources::neptune {

std::vector<model::FoundRun> find_runs(const std::string& root);
/// How many folders below `root` the nearest lies; nothing where there is none.
std::optional<int> depth_of_runs(const std::string& root);

}  // namespace taffrail::sources::neptune
