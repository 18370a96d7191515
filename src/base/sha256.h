#pragma once

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taffrail {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(ByteSpan bytes) noexcept;
std::string to_hex(std::span<const std::uint8_t> bytes);
std::string to_hex(ByteSpan bytes);
/// The bytes that to_hex() was given. A pair of characters that is no number counts as zero.
Bytes from_hex(std::string_view digits);

}  // namespace taffrail
