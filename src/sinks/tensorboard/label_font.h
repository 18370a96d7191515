// A small pixel font for labels inside pictures: the printable ASCII letters, five by seven pixels.
#pragma once

#include <cstdint>
#include <string_view>

namespace taffrail::sinks::tensorboard {

inline constexpr int kGlyphWidth = 5, kGlyphHeight = 7, kGlyphAdvance = 6;

/// Rows from the top, five bits each, the leftmost pixel first; '?' stands for what the font lacks.
std::uint64_t glyph(char letter) noexcept;

inline bool glyph_pixel(std::uint64_t rows, int x, int y) noexcept {
    return (rows >> ((kGlyphHeight - 1 - y) * kGlyphWidth + (kGlyphWidth - 1 - x)) & 1) != 0;
}

}  // namespace taffrail::sinks::tensorboard
