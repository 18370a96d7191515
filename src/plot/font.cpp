#include "plot/font.h"

#include "base/utf8.h"

#include <cstring>

extern "C" {
extern const std::uint8_t taffrail_plot_font[];
extern const std::uint8_t taffrail_plot_font_end[];
}

namespace taffrail::plot {
namespace {

/// As make_font.py writes it.
struct Entry {
    std::uint32_t letter, offset;
    std::int8_t left, top;
    std::uint8_t width, height;
    std::uint16_t advance, unused;
};

static_assert(sizeof(Entry) == 16);

constexpr char32_t kMissing = 0xfffd;

template <typename T>
T read(std::size_t offset) noexcept {
    T value;
    std::memcpy(&value, taffrail_plot_font + offset, sizeof(T));
    return value;
}

/// By halves: the letters of a face rise.
bool find(Face face, char32_t letter, Entry& found) noexcept {
    std::size_t at = 8;
    if (face == Face::Title) {
        at += 4 + sizeof(Entry) * read<std::uint32_t>(at);
    }
    std::size_t low = 0, high = read<std::uint32_t>(at);
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        found = read<Entry>(at + 4 + middle * sizeof(Entry));
        if (found.letter == letter) {
            return true;
        }
        (found.letter < letter ? low : high) = found.letter < letter ? middle + 1 : middle;
    }
    return false;
}

}  // namespace

std::u32string letters_of(std::string_view text) {
    const std::string whole = repair_utf8(text);
    std::u32string letters;
    for (std::size_t i = 0; i < whole.size();) {
        const auto first = static_cast<unsigned char>(whole[i]);
        const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        char32_t letter = length == 1 ? first : first & (0xffU >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < whole.size(); ++k) {
            letter = letter << 6 | (static_cast<unsigned char>(whole[i + k]) & 0x3fU);
        }
        letters += letter;
        i += length;
    }
    return letters;
}

Glyph glyph(Face face, char32_t letter) noexcept {
    Entry entry{};
    if (!find(face, letter, entry) && !find(face, kMissing, entry)) {
        return {};
    }
    const std::size_t bytes = (std::size_t{entry.width} * entry.height + 1) / 2;
    return {.cover = {taffrail_plot_font + entry.offset, bytes},
            .left = entry.left,
            .top = entry.top,
            .width = entry.width,
            .height = entry.height,
            .advance = entry.advance};
}

double text_width(Face face, std::string_view text) {
    double width = 0;
    for (const char32_t letter : letters_of(text)) {
        width += glyph(face, letter).advance / 64.0;
    }
    return width;
}

}  // namespace taffrail::plot
