// Small runs that hold one of everything a run can hold: what the fuzzing of run folders starts
// from.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include <string>
#include <utility>
#include <vector>

namespace taffrail::fuzzing {

enum class Sample {
    Live,     ///< logs only: two ranks, a second attempt, every kind of value
    Killed,   ///< the same without an end
    Both,     ///< sealed, its logs still there
    Sealed,   ///< sealed, its logs gone
    Long,     ///< sealed, with a pyramid over its points; its logs gone
    Deleted,  ///< marked by people, then put in the trash
    Edges,    ///< times, steps and counts at both ends of their ranges
};

/// One of each kind under its key, with blobs that lie in the log and one that lies in a pack.
std::vector<std::pair<std::string, Value>> sample_values();

/// Writes the run below `root`, which is in memory, and returns its folder.
Result<std::string> write_sample(const std::string& root, Sample sample);

}  // namespace taffrail::fuzzing
