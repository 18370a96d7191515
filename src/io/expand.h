// Paths as people write them in configurations.
#pragma once

#include <string>
#include <string_view>

namespace taffrail::io {

/// `~` at the front and `$NAME`, `${NAME}` anywhere replaced from the environment; unset variables
/// stay as they are.
std::string expand_path(std::string_view path);

}  // namespace taffrail::io
