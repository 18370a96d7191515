// Values whose blobs are at hand.
#pragma once

#include <taffrail/reader.h>

namespace taffrail::sinks::tensorboard {

/// A copy of `value` with every blob that `run` can load. What cannot be loaded stays without
/// bytes; encoders say so.
Value loaded_value(const RecordedRun& run, const Value& value);

}  // namespace taffrail::sinks::tensorboard
