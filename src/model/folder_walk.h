// Looking for the runs of other programs below a folder: each folder once whatever links lead to
// it, to a bounded depth and number.
#pragma once

#include "io/file.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::model {

/// What a walk makes of an entry.
enum class WalkStep : std::uint8_t { Skip, Take, Enter };

struct WalkFound {
    std::string path;
    int depth = 0;  ///< folders between it and the root
};

/// Asked for every entry; folders are entered by default where it says Enter. Links to folders are
/// not entered, links to files are not taken.
using WalkVisit = std::function<WalkStep(const std::string& folder, const io::DirectoryEntry&)>;

struct WalkLimits {
    int depth = 8;
    int folders = 100'000;
    bool stops_at_first = false;
};

/// Sorted by path.
std::vector<WalkFound> walk(const std::string& root, const WalkVisit& visit,
                            const WalkLimits& limits = {});

}  // namespace taffrail::model
