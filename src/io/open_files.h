// Files that are read now and then for as long as a program runs, without a descriptor each: those
// read last stay open, the others are opened again when they are read. A reader of ten thousand
// runs lives within any limit on open files.
#pragma once

#include "io/file.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace taffrail::io {

/// Opens the same file again.
using Reopen = std::function<Result<std::unique_ptr<File>>()>;

/// `file`, open for reading, given up to the pool: read_at() and info() work as before, everything
/// else fails. A file that was replaced by another one since is an error, never mixed up with it.
/// Safe from any thread. The file may be open somewhat longer than the object lives.
std::unique_ptr<File> pooled(std::unique_ptr<File> file, Reopen reopen);

/// How many the pool keeps open at most: a quarter of what the process may, at least 8, at most
/// 1,024.
std::size_t pooled_limit();

/// Raises the process's limit on open files as far as it may, and tells what it is then; 0 = there
/// is none. For programs, not for libraries.
std::size_t raise_open_file_limit();

}  // namespace taffrail::io
