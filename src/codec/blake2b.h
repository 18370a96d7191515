// BLAKE2b (RFC 7693) with a short digest, for trackers that name things by it.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string>

namespace taffrail {

/// The first eight bytes of a digest of that length, as a little-endian number; `salt` is eight
/// bytes at the beginning of the salt.
std::uint64_t blake2b_64(ByteSpan bytes, std::uint64_t salt = 0) noexcept;
/// Its sixteen hexadecimal digits, the first byte first.
std::string blake2b_64_hex(ByteSpan bytes);

}  // namespace taffrail
