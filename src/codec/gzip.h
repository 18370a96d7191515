// gzip and zlib streams, whole buffers at a time (libdeflate).
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>

namespace taffrail {

/// `level` 1 (fast) … 12 (small).
Bytes gzip(ByteSpan bytes, int level = 6);
Bytes zlib(ByteSpan bytes, int level = 6);
/// Without head and checksum, as ZIP has it.
Bytes deflate(ByteSpan bytes, int level = 6);

/// Unpacks; concatenated gzip members are joined. Output over `limit_bytes` is refused, so that a
/// small hostile file cannot fill the memory.
Result<Bytes> gunzip(ByteSpan bytes, std::uint64_t limit_bytes = std::uint64_t{1} << 30);
Result<Bytes> inflate(ByteSpan bytes, std::uint64_t limit_bytes = std::uint64_t{1} << 30);

/// CRC-32 as gzip, PNG and zip use it.
std::uint32_t crc32(ByteSpan bytes, std::uint32_t previous = 0) noexcept;

}  // namespace taffrail
