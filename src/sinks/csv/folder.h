// Versioned folders: save_dir/name/version_k.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail {

/// One more than the largest k of `version_<k>` in `folder`; 0 when there is none. Other names do
/// not count.
std::int64_t next_version(const std::string& folder);

/// `~` at the front and `$NAME` or `${NAME}` anywhere, from the environment; unset variables stay
/// as they are.
std::string expand_path(std::string path);

}  // namespace taffrail
