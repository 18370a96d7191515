// MD5 and base64: how some trackers name the content of a file. Not for anything that must be safe.
#pragma once

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace taffrail {

std::array<std::uint8_t, 16> md5(ByteSpan bytes) noexcept;
std::string to_base64(std::span<const std::uint8_t> bytes);

}  // namespace taffrail
