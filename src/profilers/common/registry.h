// The profilers that can be made by name.
#pragma once

#include <taffrail/profiler.h>

#include "base/registry.h"

namespace taffrail::profilers {

Registry<ProfilerInfo>& registry();

}  // namespace taffrail::profilers
