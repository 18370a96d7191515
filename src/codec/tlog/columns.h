// Columns of the live log: docs/formats/tlog.md, integer and number columns.
//
// The loops are plain so that the compiler vectorises them; byte planes put bytes of equal
// significance side by side, which is what makes zstd work on floats.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <span>

namespace taffrail::tlog {

/// Appends an integer column; an empty span is stored as absent.
void encode_integers(Bytes& to, std::span<const std::int64_t> values);
/// Appends a number column, bit for bit; an empty span is stored as absent.
void encode_numbers(Bytes& to, std::span<const double> values);
void encode_absent(Bytes& to);

/// Reads a column into `out`, which has the column's length. Returns false when the column is
/// absent (out is left alone); bad bytes fail the cursor.
bool decode_integers(ByteCursor& from, std::span<std::int64_t> out) noexcept;
bool decode_numbers(ByteCursor& from, std::span<double> out) noexcept;

}  // namespace taffrail::tlog
