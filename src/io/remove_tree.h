// Deleting a folder with all that is in it, and nothing that is not.
#pragma once

#include <taffrail/result.h>

#include "io/posix_calls.h"

#include <string>

namespace taffrail::io {

/// A link is removed, never what it leads to, at any depth; fine when nothing is there.
Result<void> remove_local_tree(PosixCalls& calls, const std::string& path);

}  // namespace taffrail::io
