// Which folders below a path hold `.wandb` files.
#pragma once

#include <string>
#include <vector>

namespace taffrail::sources::wandb {

struct FoundLog {
    std::string folder;  ///< the run folder
    std::string file;    ///< the `.wandb` file in it
};

/// Walks `root` (a run folder, a `wandb` folder, one that holds such a folder, or a `.wandb` file),
/// each folder once whatever links lead to it, to a bounded depth. Sorted by folder.
std::vector<FoundLog> discover(const std::string& root);

/// True as soon as one is found, looking at a bounded number of folders.
bool holds_logs(const std::string& root);

}  // namespace taffrail::sources::wandb
