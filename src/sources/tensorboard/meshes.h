// Meshes: three tags of an event file that are one thing.
#pragma once

#include "sources/tensorboard/run.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::tensorboard {

/// The three tags of one mesh key.
struct MeshTags {
    std::array<std::vector<Place>, 3> parts;  ///< vertices, faces, colours
    std::string config_json;
};

/// The meshes of a run by the name their writer gave.
std::map<std::string, MeshTags> meshes_of(const RunPart& data);

/// One entry per mesh of each step; parts of one step and attempt belong together. `keep_bytes`
/// leaves the arrays in the values, else their refs lead back here.
std::vector<Entry> mesh_entries(const TensorboardRun& run, std::string_view key,
                                const MeshTags& tags, bool keep_bytes);

}  // namespace taffrail::sources::tensorboard
