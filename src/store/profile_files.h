// The profiles of a run, as files: what a manifest says of them, whether they are still as it says,
// and copies. What stands in them is the business of `profile`; sealing leaves them alone.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::store {

struct Manifest;

/// A .tprof file as it was when a manifest was written. It may have grown since: files only do.
struct ProfileFileInfo {
    std::string name = {};
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;  ///< CRC-32C of those bytes
};

/// The .tprof files of the run, in the order of their names; those that cannot be read are left
/// out.
std::vector<ProfileFileInfo> list_profile_files(const std::string& run_folder);

/// Those that a manifest lists and that are not there, shorter, or other bytes.
std::vector<Damage> check_listed_profiles(const std::string& run_folder, const Manifest& manifest);

/// Every file in the folder of profiles but what tells of a living process.
Result<void> copy_profile_files(const std::string& from_run, const std::string& to_run);

}  // namespace taffrail::store
