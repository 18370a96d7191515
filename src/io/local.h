// The local file system.
#pragma once

#include "io/file.h"
#include "io/posix_calls.h"

#include <memory>

namespace taffrail::io {

/// Files of this machine, through `calls`.
std::shared_ptr<FileSystem> make_local_file_system(std::shared_ptr<PosixCalls> calls);

}  // namespace taffrail::io
