#include "server/url.h"

#include "base/strings.h"

#include <algorithm>

namespace taffrail::server {
namespace {

int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (i + 2 >= text.size()) {
                return std::nullopt;
            }
            const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0) {
                return std::nullopt;
            }
            decoded.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        } else {
            decoded.push_back(text[i] == '+' && plus_is_space ? ' ' : text[i]);
        }
    }
    return decoded;
}

std::string percent_encode(std::string_view text) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string encoded;
    for (char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain) {
            encoded.push_back(c);
        } else {
            const auto byte = static_cast<unsigned char>(c);
            encoded.push_back('%');
            encoded.push_back(kDigits[byte >> 4]);
            encoded.push_back(kDigits[byte & 15]);
        }
    }
    return encoded;
}

std::optional<Target> parse_target(std::string_view target) {
    if (target.empty() || target.front() != '/') {
        return std::nullopt;
    }
    if (const auto fragment = target.find('#'); fragment != std::string_view::npos) {
        target = target.substr(0, fragment);
    }
    Target parsed;
    const auto question = target.find('?');
    const auto path = percent_decode(target.substr(0, question), false);
    if (!path || path->find('\0') != std::string::npos) {
        return std::nullopt;
    }
    for (std::string_view part : split(*path, '/')) {
        if (part == "..") {
            return std::nullopt;
        }
    }
    parsed.path = *path;
    if (question != std::string_view::npos) {
        for (std::string_view pair : split(target.substr(question + 1), '&')) {
            if (pair.empty()) {
                continue;
            }
            const auto equals = pair.find('=');
            const auto name = percent_decode(pair.substr(0, equals), true);
            const auto value = equals == std::string_view::npos
                                   ? std::optional<std::string>("")
                                   : percent_decode(pair.substr(equals + 1), true);
            if (!name || !value) {
                return std::nullopt;
            }
            parsed.query.emplace(*name, *value);
        }
    }
    return parsed;
}

std::optional<Authority> parse_authority(std::string_view text) {
    Authority parsed;
    std::string_view rest;
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) {
            return std::nullopt;
        }
        parsed.host = to_lower(text.substr(1, close - 1));
        rest = text.substr(close + 1);
        if (parsed.host.find_first_not_of("0123456789abcdef:.") != std::string::npos) {
            return std::nullopt;
        }
    } else {
        const auto colon = std::min(text.find(':'), text.size());
        parsed.host = to_lower(text.substr(0, colon));
        rest = text.substr(colon);
        if (parsed.host.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-_") !=
            std::string::npos) {
            return std::nullopt;
        }
    }
    if (parsed.host.empty()) {
        return std::nullopt;
    }
    if (!rest.empty()) {
        const std::string_view digits = rest.substr(1);
        if (rest.front() != ':' || digits.empty() || digits.size() > 5 ||
            digits.find_first_not_of("0123456789") != std::string_view::npos) {
            return std::nullopt;
        }
        const auto port = parse_int(digits);
        if (!port || *port > 65535) {
            return std::nullopt;
        }
        parsed.port = static_cast<std::uint16_t>(*port);
    }
    return parsed;
}

}  // namespace taffrail::server
