#include "system/free_memory.h"

#include "io/files.h"
#include "system/cgroup.h"
#include "system/proc_text.h"

#include <algorithm>

namespace taffrail::system {

std::uint64_t free_memory(const std::string& root) {
    std::uint64_t free_bytes = UINT64_MAX;
    if (const auto text = io::read_text(root + "/proc/meminfo"); text.ok()) {
        const std::uint64_t available = parse_meminfo(*text).available;
        free_bytes = available > 0 ? available : free_bytes;
    }
    // What the group uses already is no help: most of it may be files that it read.
    return std::min(free_bytes, read_cgroup_limits(root).memory_limit_bytes.value_or(UINT64_MAX));
}

}  // namespace taffrail::system
