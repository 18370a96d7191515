// Where Trackio keeps runs: a folder with an SQLite file for each project.
#pragma once

#include "model/gathered_catalogue.h"

#include <string>
#include <vector>

namespace taffrail::sources::trackio {

/// `path` itself, or the projects in it.
std::vector<std::string> databases_in(const std::string& path);
/// 0 = not Trackio's, 100 = certainly.
int recognise(const std::string& path);

/// The runs of a project, the oldest first.
std::vector<model::FoundRun> runs_of_database(const std::string& path);

}  // namespace taffrail::sources::trackio
