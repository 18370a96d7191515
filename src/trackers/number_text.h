// Numbers in the lines of state files.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace taffrail::trackers {

/// 0 for a text that is none.
inline std::uint64_t number_in(std::string_view text, int base) noexcept {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

}  // namespace taffrail::trackers
