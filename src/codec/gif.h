// Animated GIF: what TensorBoard shows as video. One palette a frame by median cut, so colours stay
// close.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <span>

namespace taffrail {

/// Encodes 8-bit frames (`frames × height × width × channels`, grey, RGB or RGBA; alpha is dropped)
/// that repeat for ever. Pictures with at most 256 colours are exact. Delays are hundredths of a
/// second; browsers slow down delays under 2.
Result<Bytes> encode_gif(std::span<const std::uint8_t> frames, std::int64_t count,
                         std::uint32_t width, std::uint32_t height, int channels,
                         double frames_per_second);

}  // namespace taffrail
