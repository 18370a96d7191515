// Parquet's integer encodings: DELTA_BINARY_PACKED for columns of numbers, the RLE/bit-packed
// hybrid for levels and dictionary indices. Decoders take bytes from outside: false means the bytes
// do not hold what they must.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <span>

namespace taffrail::parquet {

void append_delta_packed(Bytes& to, std::span<const std::int64_t> values);
void append_delta_packed(Bytes& to, std::span<const std::int32_t> values);
/// Fills all of `values`.
[[nodiscard]] bool read_delta_packed(ByteSpan bytes, std::span<std::int64_t> values);
[[nodiscard]] bool read_delta_packed(ByteSpan bytes, std::span<std::int32_t> values);

/// Shorter runs are packed: a run costs a header of its own.
constexpr std::size_t kShortestRun = 8;

/// Bits that the numbers 0…largest need.
[[nodiscard]] unsigned bits_for(std::uint32_t largest) noexcept;
/// Without a length before it.
void append_rle(Bytes& to, std::span<const std::uint32_t> values, unsigned bits);
/// Every value it fills in is below 2^bits.
[[nodiscard]] bool read_rle(ByteSpan bytes, unsigned bits, std::span<std::uint32_t> values);

}  // namespace taffrail::parquet
