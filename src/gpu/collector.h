// Collects what CUDA does between start and stop. One in a process: the interface has one client.
#pragma once

#include <taffrail/result.h>

#include "gpu/cupti.h"
#include "gpu/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::gpu {

/// As zones in a window of a trace: what a viewer can still show, and a process can hold beside its
/// training. A million kernels with their calls, and more.
inline constexpr std::uint64_t kMostBytesOfRecords = 256u << 20;

/// What to record; each costs something for every launch.
struct CollectOptions {
    bool calls = true;    ///< of the runtime and the driver, which tie kernels to zones
    bool markers = true;  ///< NVTX, where the program started with NVTX_INJECTION64_PATH
    /// The first records are kept, those beyond are counted.
    std::uint64_t max_bytes = kMostBytesOfRecords;
};

/// Unsupported with one clear line where there is no GPU; Unavailable where another profiler has
/// it.
Result<void> start_collecting(const CollectOptions& options = {});

/// Waits for what runs and returns everything recorded since start; empty when nothing was started.
Records stop_collecting();

/// A copy of what has been recorded since start; recording goes on.
Records collected_so_far();

/// What CUDA says of its devices.
struct DeviceFacts {
    std::string json;                           ///< the member "deviceProperties" of a trace; or ""
    std::vector<std::int64_t> multiprocessors;  ///< by device
};

DeviceFacts device_facts();

}  // namespace taffrail::gpu
