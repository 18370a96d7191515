// 256 colours for a picture: median cut over a 15-bit histogram, exact where the picture has no
// more than 256 colours.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffrail {

struct Palette {
    std::vector<std::array<std::uint8_t, 3>> colors;  ///< 1 … 256
    std::vector<std::uint8_t> indices;                ///< one per pixel
};

/// `rgb` holds three bytes a pixel.
Palette make_palette(std::span<const std::uint8_t> rgb);

}  // namespace taffrail
