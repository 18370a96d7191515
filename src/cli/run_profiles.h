// The profiles in a run's folder: what there is, whether it is whole, and what was open when a
// process of the run was killed.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::cli {

struct RunProfile {
    std::string name;  ///< of the file in profiles/
    std::uint64_t bytes = 0;
};

/// By name; files that only serve a living process are left out.
std::vector<RunProfile> profiles_of(const std::string& run_folder);

/// "load < step < epoch, step 412 (process 4711, thread loader)": innermost first, one line for
/// each thread of a process that is gone.
std::vector<std::string> zones_left_open(const std::string& run_folder);

/// Bytes in .tprof files that are no frame. A frame cut off at the end is none: its process died.
std::vector<Damage> check_profiles(const std::string& run_folder);

}  // namespace taffrail::cli
