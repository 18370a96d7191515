// Which repositories of Aim lie below a path, and the runs in them.
#pragma once

#include "model/gathered_catalogue.h"

#include <optional>
#include <string>
#include <vector>

namespace taffrail::sources::aim {

std::vector<model::FoundRun> find_runs(const std::string& root);
/// How many folders below `root` the nearest lies; nothing where there is none.
std::optional<int> depth_of_repositories(const std::string& root);

}  // namespace taffrail::sources::aim
