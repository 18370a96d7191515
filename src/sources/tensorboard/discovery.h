// Which folders below a logdir are runs.
#pragma once

#include "sources/tensorboard/run.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::tensorboard {

struct FoundRun {
    std::string id;  ///< path below the logdir; "." for the logdir itself
    std::string folder;
    std::vector<std::string> event_files;  ///< sorted by name, as TensorBoard reads them
    std::vector<SideFile> side_files;      ///< profiler traces, projector configuration
};

/// True for names TensorBoard takes for event files.
bool is_event_file(std::string_view name) noexcept;

/// Walks `root`, following symbolic links (each folder once). A missing root gives no runs.
std::vector<FoundRun> discover(const std::string& root);

/// True as soon as one event file is found, looking at a bounded number of folders.
bool holds_event_files(const std::string& root);

/// One part of `name1:path1,name2:path2`; a part without a name has an empty one.
struct NamedPath {
    std::string name, path;
};

std::vector<NamedPath> split_spec(std::string_view spec);

}  // namespace taffrail::sources::tensorboard
