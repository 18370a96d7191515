// The blobs of a value on their way into a log, for writers that have the whole value at hand. The
// value worker stores those of spooled values itself.
#pragma once

#include <taffrail/value.h>

#include "record/log_writer.h"

#include <vector>

namespace taffrail::store {

/// Stores the blobs that are loaded, in the order of the value. Stops at the first failure.
Result<std::vector<tlog::BlobPlace>> store_blobs(record::LogWriter& log, Value& value);

}  // namespace taffrail::store
