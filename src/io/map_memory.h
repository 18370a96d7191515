// Pages without a file behind them.
#pragma once

#include "io/file.h"

namespace taffrail::io {

/// Zero pages of this process alone; they take memory when they are written to.
Result<Mapping> map_memory(std::size_t size);

/// All of it will be written to, in order: the kernel may give it in large pieces, where it can.
/// For memory of many megabytes.
void prefer_large_pages(const Mapping& pages) noexcept;
/// The same of memory that was allocated and not touched yet.
void prefer_large_pages(const void* memory, std::size_t bytes) noexcept;

/// Puts pages of a file in the place of others, which must be as many and private memory: pointers
/// into `to` go on, into the file, and `from` is empty. False when that cannot be; then both are as
/// they were.
bool move_pages(Mapping& from, const Mapping& to) noexcept;

/// These bytes of memory mapped here are not needed any more and take none; they read as zeros.
void forget_pages(const Mapping& pages, std::size_t offset, std::size_t length) noexcept;

}  // namespace taffrail::io
