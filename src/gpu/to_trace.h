// Records of a GPU as events of a trace, in the words and on the tracks of PyTorch's traces.
#pragma once

#include "gpu/collector.h"
#include "gpu/records.h"
#include "profile/profile.h"

#include <string>

namespace taffrail::gpu {

/// Adds a process for each device with a thread for each stream, the calls to the threads that made
/// them, an arrow from each call to what it launched, marked ranges, and what is known of the
/// devices where the trace does not say it.
struct TraceContext {
    const Cupti* cupti = nullptr;  ///< null: functions are named by number
    DeviceFacts devices;
    std::int64_t process = 0;  ///< of the calls
};

void add_records(const Records& records, const TraceContext& context, profile::Profile& trace);

}  // namespace taffrail::gpu
