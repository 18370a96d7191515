// errno as an Error people can act on.
#pragma once

#include <taffrail/result.h>

#include <string_view>

namespace taffrail::io {

/// "cannot write /x/y: No space left on device; free some space or set RunOptions::spool".
Error system_error(std::string_view what, std::string_view path, int error_number);

}  // namespace taffrail::io
