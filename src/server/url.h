// Percent-decoding and query strings.
#pragma once

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

/// Host of a Host header or an Origin, without scheme and port, lower-case; brackets of IPv6
/// removed.
std::string host_of(std::string_view authority);

}  // namespace taffrail::server
