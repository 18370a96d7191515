// How memory stood: for each device the curve, its peak, and who asked for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::profile::analysis {

struct MemoryPoint {
    std::int64_t time_ns = 0;
    std::int64_t allocated_bytes = 0, reserved_bytes = 0;
};

/// One allocation and its end, where both were seen.
struct MemoryBlock {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;  ///< kNoTime (profile.h) = not freed within the trace
    std::int64_t bytes = 0;
    std::string operator_name;  ///< empty = outside of operators
};

/// What the calls of one operator did to memory; total counts those inside it too.
struct MemoryOfOperator {
    std::string name;
    std::uint64_t calls = 0;
    std::int64_t self_increase_bytes = 0, self_allocated_bytes = 0;
    std::int64_t increase_bytes = 0, allocated_bytes = 0;
    std::uint64_t self_allocations = 0, allocations = 0;
};

struct MemoryOfDevice {
    std::string device;           ///< "CPU", "GPU 0"
    std::int64_t device_id = -1;  ///< -1 = the processor
    /// The trace gives totals; else they are sums of what was seen, from 0 on.
    bool has_totals = false;
    std::int64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0, peak_time_ns = 0;
    std::uint64_t allocations = 0, frees = 0;
    std::vector<MemoryPoint> curve;   ///< every change; write_json thins it and keeps extremes
    std::vector<MemoryBlock> blocks;  ///< the largest ones, by size
    std::vector<MemoryOfOperator> operators;
};

}  // namespace taffrail::profile::analysis
