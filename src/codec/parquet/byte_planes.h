// Doubles as eight planes of bytes (Parquet's BYTE_STREAM_SPLIT): all lowest bytes, then all next
// ones, … Similar numbers share their high bytes, so the planes compress where the numbers do not.
#pragma once

#include "base/bytes.h"

#include <span>

namespace taffrail::parquet {

/// Appends 8 × values.size() bytes.
void append_byte_planes(Bytes& to, std::span<const double> values);

/// The inverse. `planes` holds 8 × values.size() bytes.
void join_byte_planes(ByteSpan planes, std::span<double> values) noexcept;

}  // namespace taffrail::parquet
