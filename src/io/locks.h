// Which files this process holds a POSIX record lock on.
//
// Such a lock is lost as soon as the process closes *any* descriptor of the file, and its own locks
// are invisible to it. So before a file is opened only to look at its lock, this table is asked
// first.
#pragma once

#include <cstdint>

namespace taffrail::io {

/// Takes the whole-file write lock of an open descriptor and remembers it. 1 taken, 0 held
/// elsewhere, -1 errno.
int lock_descriptor(int descriptor) noexcept;
/// Forgets it; call before close().
void forget_lock(int descriptor) noexcept;
/// Keeps the table whole in forked children (base/fork_guard.h).
void guard_locks_over_fork() noexcept;
/// True when this process (not a parent it was forked from) holds the lock of that file.
bool holds_lock(std::uint64_t device, std::uint64_t inode) noexcept;

}  // namespace taffrail::io
