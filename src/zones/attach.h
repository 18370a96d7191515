// A run begins and ends: what the zones of this process leave in its folder.
#pragma once

#include <taffrail/result.h>

#include <string>

namespace taffrail::zones {

/// Keeps the open zones of all threads in a file at `path` from now on, until detach_open_block()
/// or the death of the process. One at a time: while there is one, a second call does nothing.
Result<void> attach_open_block(const std::string& path);

/// Removes the file.
void detach_open_block() noexcept;

}  // namespace taffrail::zones
