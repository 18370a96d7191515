// Setting the modification time of a local file: for who writes down what happened earlier.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail::io {

/// `time_ns` counts from the Unix epoch.
Result<void> set_modified(const std::string& path, std::int64_t time_ns);

}  // namespace taffrail::io
