// The letters of pictures: DejaVu Sans, drawn once at two sizes by make_font.py and kept in the
// program, so that a picture looks the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace taffrail::plot {

/// One letter: how much of each pixel it covers, 0 to 15, two in a byte.
struct Glyph {
    std::span<const std::uint8_t> cover;
    int left = 0, top = 0;  ///< of its pixels, from the pen on the base line; top goes upwards
    int width = 0, height = 0;
    int advance = 0;  ///< in 64ths of a pixel
};

enum class Face : std::uint8_t { Text, Title };

/// The letters of a text in UTF-8; what is not well-formed is U+FFFD.
std::u32string letters_of(std::string_view text);
/// A letter that the font lacks is a box.
Glyph glyph(Face face, char32_t letter) noexcept;
/// Of a text in UTF-8, in pixels.
double text_width(Face face, std::string_view text);

}  // namespace taffrail::plot
