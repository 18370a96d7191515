// What a trace says of the devices of its machine, and how many threads of a kernel fit on one.
#pragma once

#include "profile/analysis/events.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::profile::analysis {

struct DeviceProperties {
    std::int64_t id = 0;
    std::string name;
    std::uint64_t memory_bytes = 0;
    std::int32_t compute_major = -1, compute_minor = -1;
    std::uint32_t multiprocessors = 0, max_threads = 0, warp_size = 32;
    std::uint32_t registers = 0;      ///< of a multiprocessor
    std::uint64_t shared_memory = 0;  ///< of a multiprocessor
};

/// From the member "deviceProperties" of the file.
std::vector<DeviceProperties> device_properties(const Profile& profile);
/// Null when there is none.
const DeviceProperties* find_device(const std::vector<DeviceProperties>& all, std::int64_t id);

/// Blocks of a kernel that fit on one multiprocessor at once, by its threads, registers and shared
/// memory; 0 where the properties do not say enough.
std::uint32_t resident_blocks(const DeviceProperties& device, const DeviceDetails& kernel);
/// Estimated share of the threads a multiprocessor could hold; negative = not known.
double occupancy_of(const DeviceProperties& device, const DeviceDetails& kernel);

}  // namespace taffrail::profile::analysis
