// Smaller and larger pictures: area average going down, bilinear going up. For thumbnails and
// sprites.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace taffrail {

/// Resizes interleaved 8-bit samples. Extents and channels are at least 1.
std::vector<std::uint8_t> resize_image(std::span<const std::uint8_t> pixels, std::uint32_t width,
                                       std::uint32_t height, int channels, std::uint32_t new_width,
                                       std::uint32_t new_height);

}  // namespace taffrail
