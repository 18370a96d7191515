// Numbers and names as a picture shows them.
#include "base/strings.h"
#include "base/utf8.h"
#include "profile/flame/svg.h"

#include <cmath>
#include <cstdio>

namespace taffrail::profile {

std::string value_text(double value, std::string_view unit) {
    char text[64];
    if (const auto ns = nanoseconds_per(unit)) {
        const double all_ns = value * *ns;
        const auto shown = [&](double scale, const char* name) {
            std::snprintf(text, sizeof text, "%.4g %s", all_ns / scale, name);
            return std::string(text);
        };
        return all_ns < 1e3   ? shown(1, "ns")
               : all_ns < 1e6 ? shown(1e3, "µs")
               : all_ns < 1e9 ? shown(1e6, "ms")
                              : shown(1e9, "s");
    }
    if (std::abs(value) < 1e15 && value == std::floor(value)) {
        // Thousands apart, so that long numbers can be read.
        std::string digits = std::to_string(static_cast<long long>(value));
        for (std::size_t at = digits.size(); at > 3 && digits[at - 4] != '-';) {
            at -= 3;
            digits.insert(at, "\u2009");
        }
        return digits + (unit == "count" || unit.empty() ? "" : " " + std::string(unit));
    }
    return format_double(value) + (unit == "count" ? "" : " " + std::string(unit));
}

std::string short_title(std::string_view title) {
    const std::size_t open = title.rfind(" (");
    if (open == std::string_view::npos || !title.ends_with(')') ||
        title.find_first_of("()", open + 2) != title.size() - 1) {
        return std::string(title);
    }
    const std::size_t slash = title.rfind('/');
    return slash == std::string_view::npos || slash < open || slash + 2 >= title.size()
               ? std::string(title)
               : std::string(title.substr(0, open + 2)) + std::string(title.substr(slash + 1));
}

void append_xml(std::string& to, std::string_view text) {
    if (!is_valid_utf8(text)) {
        append_xml(to, repair_utf8(text));
        return;
    }
    for (const char character : text) {
        switch (character) {
            case '<':
                to += "&lt;";
                break;
            case '>':
                to += "&gt;";
                break;
            case '&':
                to += "&amp;";
                break;
            case '"':
                to += "&quot;";
                break;
            default:
                if (static_cast<unsigned char>(character) < 0x20) {
                    to += character == '\n' || character == '\t' ? " " : "\u00b7";
                } else {
                    to += character;
                }
        }
    }
}

}  // namespace taffrail::profile
