// The arguments of an event that mean something to an analysis, read from their JSON text in one
// pass without building anything.
#pragma once

#include "profile/json_scan.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace taffrail::profile::analysis {

inline constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

struct EventArgs {
    std::int64_t external = kAbsent, correlation = kAbsent;
    std::int64_t device = kAbsent, stream = kAbsent, bytes = kAbsent;
    std::int64_t module_id = kAbsent;
    std::int64_t registers = 0, shared_memory = 0;
    double blocks_per_sm = -1, occupancy = -1;  ///< percent; negative = absent
    std::array<std::uint32_t, 3> grid = {}, block = {};
    std::string_view shapes, types;  ///< JSON
    RawString call_stack;
};

/// Members of other types than they should have count as absent.
EventArgs scan_args(std::string_view json);

struct MemoryArgs {
    std::int64_t device_type = kAbsent, device_id = kAbsent, address = kAbsent, bytes = 0;
    std::int64_t allocated = kAbsent, reserved = kAbsent;
};

MemoryArgs scan_memory_args(std::string_view json);

}  // namespace taffrail::profile::analysis
