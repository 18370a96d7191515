#include "codec/escaped_names.h"

#include "base/strings.h"

namespace taffrail {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::string_view kNoName = "%-";
constexpr std::size_t kLongestSegment = 120;

int digit_of(char c) {
    const auto place = kDigits.find(c);
    return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

bool is_escape(std::string_view text, std::size_t index) {
    return text[index] == '%' && index + 2 < text.size() && digit_of(text[index + 1]) >= 0 &&
           digit_of(text[index + 2]) >= 0;
}

}  // namespace

std::string escape_name(std::string_view name, const Refuses& refuses) {
    if (name.empty()) {
        return std::string(kNoName);
    }
    std::string escaped;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool looks_escaped = name == kNoName ? i == 0 : is_escape(name, i);
        if (looks_escaped || refuses(name, i)) {
            const auto byte = static_cast<unsigned char>(name[i]);
            escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        } else {
            escaped += name[i];
        }
    }
    return escaped;
}

std::string unescape_name(std::string_view escaped) {
    if (escaped == kNoName) {
        return {};
    }
    std::string name;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        if (is_escape(escaped, i)) {
            name += static_cast<char>(digit_of(escaped[i + 1]) * 16 + digit_of(escaped[i + 2]));
            i += 2;
        } else {
            name += escaped[i];
        }
    }
    return name;
}

std::string path_of_key(std::string_view key) {
    std::string path;
    for (std::string_view segment : split(key, '/')) {
        std::string safe(segment.substr(0, kLongestSegment));
        // Not in the middle of a character.
        while (safe.size() < segment.size() && !safe.empty() &&
               (static_cast<unsigned char>(segment[safe.size()]) & 0xC0) == 0x80) {
            safe.pop_back();
        }
        for (char& c : safe) {
            c = static_cast<unsigned char>(c) < ' ' || c == '\x7F' ? '_' : c;
        }
        if (safe.find_first_not_of('.') == std::string::npos) {
            safe.assign(std::max(safe.size(), std::size_t{1}), '_');
        }
        path += (path.empty() ? "" : "/") + safe;
    }
    return path;
}

}  // namespace taffrail
