// What a trace of a training program says: where the time of a step went, how busy the devices
// were, which operators and kernels it was, how memory stood, what the workers waited for, and what
// to do about it. From our own traces and from any trace of PyTorch.
//
// Times are nanoseconds of the trace's own clock, shares are 0 to 1. Everything is a plain value;
// profile/analysis/write_json.h writes it for machines.
#pragma once

#include "profile/analysis/advice.h"
#include "profile/analysis/memory.h"
#include "profile/analysis/tables.h"
#include "profile/profile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile::analysis {

/// What a moment of a step was spent on, the strongest first: a moment in which several ran counts
/// for the first of them, and Other is what none of them covers.
enum class Part : std::uint8_t {
    Kernel,
    Memcpy,
    Memset,
    Communication,
    Runtime,
    DataLoader,
    Cpu,
    Other,
};

inline constexpr std::size_t kParts = 8;

/// "kernel", "memcpy", "memset", "communication", "runtime", "data_loader", "cpu", "other".
std::string_view part_key(Part part) noexcept;
/// "Kernel", …, "Data loader", "CPU", "Other".
std::string_view part_title(Part part) noexcept;

/// The parts are the whole: their sum is `total_ns`, exactly.
struct Breakdown {
    std::array<std::int64_t, kParts> part_ns = {};
    std::int64_t total_ns = 0;

    [[nodiscard]] std::int64_t operator[](Part part) const noexcept {
        return part_ns[static_cast<std::size_t>(part)];
    }

    /// 0 where there is no time at all.
    [[nodiscard]] double share(Part part) const noexcept {
        return total_ns > 0 ? static_cast<double>((*this)[part]) / static_cast<double>(total_ns)
                            : 0;
    }
};

/// How far communication hides behind computation: kernels, or operators of the processor where the
/// trace has no kernels. computation + communication - both + neither = the time looked at.
struct Overlap {
    std::int64_t computation_ns = 0, communication_ns = 0, both_ns = 0, neither_ns = 0;

    /// The share of communication that computation covers; 0 without communication.
    [[nodiscard]] double share() const noexcept {
        return communication_ns > 0
                   ? static_cast<double>(both_ns) / static_cast<double>(communication_ns)
                   : 0;
    }
};

struct Step {
    std::string name;         ///< "12" of "ProfilerStep#12"; "0" when the trace has no steps
    std::int64_t number = 0;  ///< the name as a number
    std::int64_t begin_ns = 0, end_ns = 0;
    Breakdown time;
    Overlap overlap;
    std::uint64_t device_events = 0;  ///< kernels, copies and memsets launched inside it
};

struct Steps {
    std::vector<Step> all;
    Breakdown sum;                           ///< over all steps; a mean is this by their number
    Overlap overlap;                         ///< likewise
    bool is_whole_trace = false;             ///< the trace names no steps: one over everything
    std::uint32_t left_out = 0;              ///< at the end, recorded only in part
    std::int64_t median_ns = 0, p99_ns = 0;  ///< lengths of steps, by nearest rank
    bool has_device = false, has_runtime = false, has_communication = false;

    [[nodiscard]] double mean_ns(Part part) const noexcept {
        return all.empty() ? 0 : static_cast<double>(sum[part]) / static_cast<double>(all.size());
    }

    [[nodiscard]] double mean_total_ns() const noexcept {
        return all.empty() ? 0
                           : static_cast<double>(sum.total_ns) / static_cast<double>(all.size());
    }
};

/// A stretch in which a device had nothing to do, and what ran next.
struct IdleGap {
    std::int64_t begin_ns = 0, duration_ns = 0;
    std::string before;
};

/// Why no kernel ran on a device between two kernels of one stream.
struct Idle {
    std::int64_t span_ns = 0;    ///< first to last event, over its streams
    std::int64_t host_ns = 0;    ///< the call that launches came too late
    std::int64_t kernel_ns = 0;  ///< the next one followed at once
    std::int64_t other_ns = 0;
    std::vector<IdleGap> longest_host;  ///< of those whose launch came too late, the longest first
};

/// A GPU: what the trace says it is and how it was used within the steps.
struct Device {
    std::int64_t id = 0;
    std::string name;
    std::uint64_t memory_bytes = 0;
    std::int32_t compute_major = -1, compute_minor = -1;  ///< -1 = not said
    std::uint32_t multiprocessors = 0;
    std::uint64_t kernels = 0;
    std::int64_t kernel_ns = 0;  ///< sum of all kernels, also outside of steps
    double utilisation = 0;      ///< time with at least one kernel, of the time of the steps
    std::optional<double> sm_efficiency;       ///< estimated: blocks for how many of its processors
    std::optional<double> occupancy;           ///< estimated: resident threads of the possible ones
    std::optional<double> recorded_occupancy;  ///< as the file says, wrong there for some kernels
    std::optional<double> tensor_core_share;   ///< of kernel time
    Idle idle;
    /// Utilisation over time, from `curve_begin_ns` on, `curve_step_ns` a value (the last may be
    /// longer and ends at `curve_end_ns`).
    std::int64_t curve_begin_ns = 0, curve_step_ns = 0, curve_end_ns = 0;
    std::vector<double> curve;
};

/// All there is to know about the trace of one process.
struct Analysis {
    std::string worker;                       ///< from the file's name: "host_4711"
    std::int64_t window = -1;                 ///< likewise; later ones are larger. -1 = not said
    std::int64_t rank = -1, world_size = -1;  ///< -1 = not said
    std::string backend;                      ///< of its communication: "nccl"
    std::int64_t begin_ns = 0, end_ns = 0;    ///< of the trace
    std::uint64_t events = 0;

    Steps steps;
    std::vector<Device> devices;            ///< those that ran something, by id
    double tensor_core_share = 0;           ///< of the time of all kernels
    double tensor_core_eligible_share = 0;  ///< of it, launched by operators that could use them
    std::vector<OperatorRow> operators, operators_by_shape;
    std::vector<KernelRow> kernels;
    std::vector<LaunchRow> launches;
    std::vector<CopyRow> copies;
    std::vector<CallRow> calls;  ///< of the CUDA runtime and driver
    std::vector<CollectiveRow> collectives;
    std::vector<CollectiveCall> collective_calls;  ///< in order of time
    std::vector<ModuleRow> modules;                ///< a tree in preorder
    std::vector<MemoryOfDevice> memory;
    std::vector<Advice> advice;
    std::vector<std::string> notes;  ///< what could not be known, and why
};

/// Whose trace a file is, and which of several that one worker left.
struct WorkerWindow {
    std::string worker;
    std::int64_t window = -1;  ///< -1 = the name says none
};

/// "host_4711" and 1623143089861 of "/a/host_4711.1623143089861.pt.trace.json.gz"; other names
/// without their ends.
WorkerWindow worker_window_of(std::string_view path);

/// Looks at a trace. Never fails: what the trace does not have stays empty. `worker` names it.
/// Costs about as much time as reading the file did.
Analysis analyze(const Profile& profile, const WorkerWindow& worker = {});

}  // namespace taffrail::profile::analysis
