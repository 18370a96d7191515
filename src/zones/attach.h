// A run begins and ends: what the zones of this process leave in its folder.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail::zones {

/// The run in `folder` takes what the zones of this process come to, written by `writer`. Files are
/// made at the first zone, or now when there was one: a program without zones leaves none. One run
/// at a time; while there is one, others do without.
void attach_run(const std::string& folder, std::uint64_t writer) noexcept;

/// Completes the files of that run; others are left alone.
Result<void> detach_run(const std::string& folder) noexcept;

/// At the first zone of the process.
void begin_files_of_run() noexcept;
/// In a forked child: they belong to the parent.
void forget_files_of_run() noexcept;

/// Keeps the open zones of all threads in a file at `path` from now on, until detach_open_block()
/// or the death of the process. One at a time: while there is one, a second call does nothing.
Result<void> attach_open_block(const std::string& path);

/// Removes the file.
void detach_open_block() noexcept;

}  // namespace taffrail::zones
