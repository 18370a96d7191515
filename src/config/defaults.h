// `defaults:` lists.
#pragma once

#include <taffrail/config.h>

#include <string>
#include <vector>

namespace taffrail {

/// One line of a `defaults:` list.
struct DefaultsEntry {
    enum class Kind : std::uint8_t { Self, File, Group, Override };
    Kind kind = Kind::File;
    std::string group;                 ///< without the leading slash
    std::vector<std::string> options;  ///< usually one; none = the group is switched off
    std::string package;               ///< `group@package`
    bool absolute = false;  ///< `/group`: from the root, not from the folder of this file
    bool optional = false;
    Config node;  ///< for its place
};

/// The list of `file`, taken out of it. A file without `_self_` counts itself last. Lines of three
/// dots, as in documentation, are ignored.
Result<std::vector<DefaultsEntry>> take_defaults(Config& file);

}  // namespace taffrail
