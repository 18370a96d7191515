#include "base/utf8.h"

#include <cstdint>

namespace taffrail {
namespace {

// Length of the well-formed sequence at the start of `text`, or 0.
std::size_t sequence_length(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const auto continues = [&](std::size_t i) {
        return i < text.size() && (byte(i) & 0xC0) == 0x80;
    };
    const std::uint8_t first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return continues(1) ? 2 : 0;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        if (!continues(1) || !continues(2) || (first == 0xE0 && byte(1) < 0xA0) ||
            (first == 0xED && byte(1) > 0x9F)) {
            return 0;
        }
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if (!continues(1) || !continues(2) || !continues(3) || (first == 0xF0 && byte(1) < 0x90) ||
            (first == 0xF4 && byte(1) > 0x8F)) {
            return 0;
        }
        return 4;
    }
    return 0;
}

}  // namespace

bool is_valid_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

std::string repair_utf8(std::string_view text) {
    std::string repaired;
    repaired.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            repaired += "\xEF\xBF\xBD";
            text.remove_prefix(1);
        } else {
            repaired.append(text.substr(0, length));
            text.remove_prefix(length);
        }
    }
    return repaired;
}

}  // namespace taffrail
