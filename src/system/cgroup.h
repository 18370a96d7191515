// What a container or job scheduler allows this process: limits of control groups, versions 1
// and 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace taffrail::system {

struct CgroupLimits {
    int version = 0;  ///< 0: none found
    std::optional<std::uint64_t>
        memory_limit_bytes;  ///< the tightest of this group and those above it
    std::optional<std::uint64_t> memory_used_bytes;
    std::optional<double> cpu_limit_cores;   ///< quota ÷ period, the tightest
    std::optional<double> cpu_used_seconds;  ///< since the group began
};

/// Reads the groups of this process. `root` stands in front of /proc and /sys/fs/cgroup, for
/// fixture trees.
CgroupLimits read_cgroup_limits(const std::string& root = "");

}  // namespace taffrail::system
