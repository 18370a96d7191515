#pragma once

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <string>

namespace taffrail {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(ByteSpan bytes) noexcept;
std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace taffrail
