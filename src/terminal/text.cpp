#include "terminal/text.h"

#include <algorithm>
#include <cstdint>

namespace taffrail::terminal {
namespace {

struct Piece {
    std::size_t length = 1;  ///< bytes
    std::size_t columns = 1;
};

bool in(std::uint32_t c, std::uint32_t first, std::uint32_t last) {
    return c >= first && c <= last;
}

std::size_t columns_of(std::uint32_t c) {
    if (c < 0x20 || in(c, 0x7F, 0x9F)) {
        return 0;
    }
    const bool combining = in(c, 0x300, 0x36F) || in(c, 0x200B, 0x200F) || in(c, 0xFE00, 0xFE0F) ||
                           in(c, 0x20D0, 0x20FF) || in(c, 0x1AB0, 0x1AFF);
    if (combining) {
        return 0;
    }
    const bool wide = in(c, 0x1100, 0x115F) || in(c, 0x2E80, 0x303E) || in(c, 0x3041, 0xA4CF) ||
                      in(c, 0xAC00, 0xD7A3) || in(c, 0xF900, 0xFAFF) || in(c, 0xFE30, 0xFE6F) ||
                      in(c, 0xFF00, 0xFF60) || in(c, 0xFFE0, 0xFFE6) || in(c, 0x1F300, 0x1F64F) ||
                      in(c, 0x1F680, 0x1F6FF) || in(c, 0x1F900, 0x1FAFF) || in(c, 0x20000, 0x3FFFD);
    return wide ? 2 : 1;
}

// One escape sequence or one character at the front of `text`; broken UTF-8 counts byte by byte.
Piece piece_of(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (byte(0) == 0x1B) {
        std::size_t i = 1;
        if (i < text.size() && text[i] == '[') {
            ++i;
            while (i < text.size() && !(byte(i) >= 0x40 && byte(i) <= 0x7E)) {
                ++i;
            }
        }
        return {i < text.size() ? i + 1 : text.size(), 0};
    }
    const std::size_t length = byte(0) < 0x80   ? 1
                               : byte(0) < 0xC0 ? 1
                               : byte(0) < 0xE0 ? 2
                               : byte(0) < 0xF0 ? 3
                                                : 4;
    if (length == 1 || length > text.size()) {
        return {1, byte(0) < 0x80 ? columns_of(byte(0)) : 1};
    }
    std::uint32_t c = byte(0) & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return {1, 1};
        }
        c = (c << 6) | (byte(i) & 0x3Fu);
    }
    return {length, columns_of(c)};
}

/// How many characters at the front of `text` are one byte and one column each, as most are.
std::size_t printable_ascii(std::string_view text) noexcept {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= 0x20 && text[count] < 0x7F) {
        ++count;
    }
    return count;
}

/// Of one character; a byte that is none stands for itself.
std::uint32_t code_point(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
    const std::size_t length = character.size();
    std::uint32_t c = length == 1 ? byte(0) : byte(0) & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        c = (c << 6) | (byte(i) & 0x3Fu);
    }
    return c;
}

/// One character or one whole escape sequence; a title or a link reaches up to BEL or ESC
/// backslash.
std::size_t sequence_length(std::string_view text) {
    std::size_t length = piece_of(text).length;
    if (text.starts_with("\x1b]")) {
        const std::size_t end = text.find_first_of("\x07\x1b", 2);
        length = end == std::string_view::npos ? text.size() : end + (text[end] == '\x07' ? 1 : 2);
    }
    return std::min(length, text.size());
}

}  // namespace

std::size_t display_width(std::string_view text) noexcept {
    std::size_t columns = printable_ascii(text);
    text.remove_prefix(columns);
    while (!text.empty()) {
        const Piece piece = piece_of(text);
        columns += piece.columns;
        text.remove_prefix(piece.length);
    }
    return columns;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
    const std::size_t plain = std::min(printable_ascii(text), columns);
    std::string out(text.substr(0, plain));
    text.remove_prefix(plain);
    std::size_t used = plain;
    bool full = false;
    while (!text.empty()) {
        const Piece piece = piece_of(text);
        full = full || used + piece.columns > columns;
        if (!full || text.front() == '\x1B') {
            out += text.substr(0, piece.length);
            used += piece.columns;
        }
        text.remove_prefix(piece.length);
    }
    return out;
}

std::string pad_to_width(std::string_view text, std::size_t columns) {
    std::string out(text);
    const std::size_t width = display_width(text);
    if (width < columns) {
        out.append(columns - width, ' ');
    }
    return out;
}

std::string without_controls(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    const std::size_t plain = printable_ascii(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    while (!text.empty()) {
        const auto byte = static_cast<std::uint8_t>(text[0]);
        // Alone an escape character is one byte of text here, not the begin of a sequence.
        const std::size_t length = byte == 0x1B ? 1 : piece_of(text).length;
        const std::uint32_t c = code_point(text.substr(0, length));
        if ((c < 0x20 && c != '\n' && c != '\t') || in(c, 0x7F, 0x9F)) {
            out += "\\x";
            out += kDigits[c >> 4];
            out += kDigits[c & 15];
        } else if (in(c, 0x202A, 0x202E) || in(c, 0x2066, 0x2069)) {
            out += "\\u20";
            out += kDigits[(c >> 4) & 15];
            out += kDigits[c & 15];
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return out;
}

std::string with_colors_only(std::string_view text) {
    std::string out;
    bool colored = false;
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const bool is_color = text.starts_with("\x1b[") && text[length - 1] == 'm';
        colored = colored || is_color;
        if (text[0] != '\x1b') {
            out += without_controls(text.substr(0, length));
        } else if (is_color) {
            out += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return colored ? out + "\x1b[0m" : out;
}

std::string cut_middle(std::string_view text, std::size_t columns) {
    if (text.size() <= columns || display_width(text) <= columns) {
        return std::string(text);
    }
    if (columns < 3) {
        return cut_to_width(text, columns);
    }
    const std::size_t before = (columns - 1) / 2, after = columns - 1 - before;
    std::string begin = cut_to_width(text, before);
    // From the end: characters are found going forward, so those of the last bytes are enough.
    std::string_view rest = text.substr(begin.size());
    if (rest.size() > after * 8 + 8) {
        rest.remove_prefix(rest.size() - after * 8 - 8);
        while (!rest.empty() && (static_cast<std::uint8_t>(rest[0]) & 0xC0) == 0x80) {
            rest.remove_prefix(1);
        }
    }
    for (std::size_t width = display_width(rest); width > after;) {
        const Piece piece = piece_of(rest);
        width -= piece.columns;
        rest.remove_prefix(piece.length);
    }
    return begin + "…" + std::string(rest);
}

std::string without_escapes(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (text[0] != '\x1b') {
            plain.append(text.substr(0, length));
        }
        text.remove_prefix(length);
    }
    return plain;
}

}  // namespace taffrail::terminal
