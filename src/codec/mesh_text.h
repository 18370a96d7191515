// Walking through text formats line by line and word by word; used by the mesh readers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace taffrail {

/// Takes the next line off `text`, without its end.
inline std::string_view next_line(std::string_view& text) noexcept {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    return line;
}

/// Takes the next word off `line`; empty at its end.
inline std::string_view next_word(std::string_view& line) noexcept {
    constexpr std::string_view kBlank = " \t\r\n\v\f";
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlank));
    line.remove_prefix(word.size());
    return word;
}

template <typename T>
std::optional<T> parse_number(std::string_view word) noexcept {
    if (!word.empty() && word[0] == '+') {
        word.remove_prefix(1);
    }
    T value{};
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (code != std::errc() || end != word.data() + word.size() || word.empty()) {
        return std::nullopt;
    }
    return value;
}

}  // namespace taffrail
