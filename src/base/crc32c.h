// CRC-32C (Castagnoli), with the processor's own instruction where there is one.
#pragma once

#include "base/bytes.h"

#include <cstdint>

namespace taffrail {

/// CRC-32C of `bytes`, continuing from `previous` (the CRC of what came before). About 20 GB/s
/// a core for more than a few kilobytes, 8 for less.
std::uint32_t crc32c(ByteSpan bytes, std::uint32_t previous = 0) noexcept;

/// The same by table, bit for bit: the reference in tests and the fallback elsewhere.
std::uint32_t crc32c_portable(ByteSpan bytes, std::uint32_t previous = 0) noexcept;

}  // namespace taffrail
