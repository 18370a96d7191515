// Collects what CUDA does between start and stop. One in a process: the interface has one client.
#pragma once

#include <taffrail/result.h>

#include "gpu/cupti.h"
#include "gpu/records.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::gpu {

/// What to record; each costs something for every launch.
struct CollectOptions {
    bool calls = true;    ///< of the runtime and the driver, which tie kernels to zones
    bool markers = true;  ///< NVTX, where the program started with NVTX_INJECTION64_PATH
};

/// Unsupported with one clear line where there is no GPU; Unavailable where another profiler has
/// it.
Result<void> start_collecting(const CollectOptions& options = {});

/// Waits for what runs and returns everything recorded since start; empty when nothing was started.
Records stop_collecting();

/// What CUDA says of its devices.
struct DeviceFacts {
    std::string json;                           ///< the member "deviceProperties" of a trace; or ""
    std::vector<std::int64_t> multiprocessors;  ///< by device
};

DeviceFacts device_facts();

}  // namespace taffrail::gpu
