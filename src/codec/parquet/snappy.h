// Snappy blocks, as other programs' Parquet pages are packed.
#pragma once

#include "base/bytes.h"

#include <span>

namespace taffrail::parquet {

/// Unpacks a block that must hold exactly `to.size()` bytes.
[[nodiscard]] bool unpack_snappy(ByteSpan block, std::span<std::byte> to) noexcept;

}  // namespace taffrail::parquet
