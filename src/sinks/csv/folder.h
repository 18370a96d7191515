// Versioned folders: save_dir/name/version_k.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail::sinks::csv {

/// One more than the largest k of `version_<k>` in `folder`; 0 when there is none. Other names do
/// not count.
std::int64_t next_version(const std::string& folder);

}  // namespace taffrail::sinks::csv
