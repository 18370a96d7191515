// Which folders below a path hold `.wandb` files.
#pragma once

#include <optional>
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

/// How many folders below `root` the nearest of them lies, looking at a bounded number of folders;
/// nothing where there is none. 2 for the folder that a program was started in.
std::optional<int> depth_of_logs(const std::string& root);

}  // namespace taffrail::sources::wandb
