// Where a user's programs keep what is theirs.
#pragma once

#include <string>

namespace taffrail::io {

/// For what can be had again: `$XDG_CACHE_HOME`, else `~/.cache`; empty where neither is an
/// absolute path. The folder may not be there yet.
std::string user_cache_folder();

}  // namespace taffrail::io
