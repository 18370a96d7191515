// A file system inside the process, for tests and for stores that never touch a disk. Everything
// written counts as synced; locks are per file object.
#pragma once

#include "io/file.h"

#include <memory>

namespace taffrail::io {

std::shared_ptr<FileSystem> make_memory_file_system();

}  // namespace taffrail::io
