// The sinks that can be made by name. Parts of the library add themselves here; src/builtins says
// which are in the build.
#pragma once

#include <taffrail/sink.h>

#include "base/registry.h"

namespace taffrail::record {

Registry<SinkInfo>& sink_registry();

}  // namespace taffrail::record
