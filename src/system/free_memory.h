// How much memory somebody may still take who could also do with less.
#pragma once

#include <cstdint>
#include <string>

namespace taffrail::system {

/// What the machine has available, or the limit of this process's control group where that is less;
/// UINT64_MAX where neither can be read. `root` stands in front of /proc and /sys/fs/cgroup, for
/// fixture trees.
std::uint64_t free_memory(const std::string& root = "");

}  // namespace taffrail::system
