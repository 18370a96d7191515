// Percent-decoding and query strings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::server {

/// Nothing when an escape is broken or a NUL hides in it.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);
std::string percent_encode(std::string_view text);

struct Target {
    std::string path;  ///< decoded, leading slash kept
    std::map<std::string, std::string, std::less<>> query;
};

/// Splits a request target. Nothing when it is malformed or its path climbs with "..".
std::optional<Target> parse_target(std::string_view target);

struct Authority {
    std::string host;  ///< lower-case, brackets of IPv6 removed
    std::optional<std::uint16_t> port;
};

/// `name`, `name:80`, `1.2.3.4:80`, `[::1]:80` and nothing else: what a Host header may hold.
std::optional<Authority> parse_authority(std::string_view text);

}  // namespace taffrail::server
