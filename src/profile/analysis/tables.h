// The rows of the tables: operators, kernels, their launches, copies, calls of the driver,
// collectives and modules. Each list stands with the largest first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::profile::analysis {

/// A place in the program that called an operator, innermost first.
struct StackRow {
    std::string stack;  ///< frames, one a line
    std::uint64_t calls = 0;
    std::int64_t host_total_ns = 0, host_self_ns = 0;
    std::int64_t device_total_ns = 0, device_self_ns = 0;
};

/// An operator: host times are those of the processor, device times those of what it launched.
struct OperatorRow {
    std::string name;
    std::string shapes;  ///< of its inputs as JSON, only in `operators_by_shape`
    std::uint64_t calls = 0;
    std::int64_t host_total_ns = 0, host_self_ns = 0;
    std::int64_t device_total_ns = 0, device_self_ns = 0;
    std::int64_t tensor_core_self_ns = 0, tensor_core_total_ns = 0;  ///< of device time
    bool is_tensor_core_eligible = false;
    std::vector<StackRow> stacks;  ///< at most 16, the longest; empty in `operators_by_shape`
};

/// All launches of kernels of one name. Means are weighted by duration.
struct KernelRow {
    std::string name;
    std::uint64_t calls = 0;
    std::int64_t total_ns = 0, min_ns = 0, max_ns = 0;
    double blocks_per_sm = 0, occupancy = 0;
    bool uses_tensor_cores = false;

    [[nodiscard]] double mean_ns() const noexcept {
        return calls == 0 ? 0 : static_cast<double>(total_ns) / static_cast<double>(calls);
    }
};

/// Launches of one kernel by one operator with one shape.
struct LaunchRow {
    KernelRow kernel;
    std::string operator_name;  ///< empty = launched outside of operators
    bool is_tensor_core_eligible = false;
    std::array<std::uint32_t, 3> grid = {}, block = {};
    std::uint32_t registers_per_thread = 0;
    std::uint64_t shared_memory_bytes = 0;
};

/// Copies and memsets of one kind: "Memcpy HtoD (Pageable -> Device)".
struct CopyRow {
    std::string name;
    std::uint64_t calls = 0, bytes = 0;
    std::int64_t total_ns = 0;

    [[nodiscard]] double bytes_per_second() const noexcept {
        return total_ns > 0 ? static_cast<double>(bytes) * 1e9 / static_cast<double>(total_ns) : 0;
    }
};

/// A function of the CUDA runtime or driver.
struct CallRow {
    std::string name;
    std::uint64_t calls = 0;
    std::int64_t total_ns = 0;
    bool waits = false;  ///< it blocks until the device is done
};

/// A collective operation of one name over the whole trace.
struct CollectiveRow {
    std::string name;
    std::uint64_t calls = 0, bytes = 0;
    std::int64_t total_ns = 0;     ///< time in it, overlapping calls counted once
    std::int64_t transfer_ns = 0;  ///< of it after the last worker came; only with all workers
};

/// One call of a collective, for comparing workers: the times at which it ran.
struct CollectiveCall {
    std::string name;
    std::string step;  ///< name of the step that encloses it; empty = none
    std::int64_t begin_ns = 0, end_ns = 0;
    std::uint64_t bytes = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  ///< the call and its kernels
};

/// A module of the network ("nn.Module: Linear_0"), summed over its calls.
struct ModuleRow {
    std::string name;
    std::int64_t id = 0;
    std::uint32_t depth = 0;   ///< 0 = a root
    std::int32_t parent = -1;  ///< index into the list
    std::uint64_t calls = 0, operators = 0;
    std::int64_t host_total_ns = 0, host_self_ns = 0;
    std::int64_t device_total_ns = 0, device_self_ns = 0;
};

}  // namespace taffrail::profile::analysis
