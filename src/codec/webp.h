// WebP pictures, by libwebp where it is: loaded on first use, asked for nothing else.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <span>

namespace taffrail {

/// 8-bit pixels with 3 or 4 channels. Unsupported where there is no libwebp.
Result<Bytes> encode_webp(std::span<const std::uint8_t> pixels, std::uint32_t width,
                          std::uint32_t height, int channels, float quality = 75);

}  // namespace taffrail
