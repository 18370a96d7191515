#pragma once

#include "base/bytes.h"

#include <string_view>

namespace taffrail {

inline Bytes from_hex(std::string_view hex) {
    const auto digit = [](char letter) { return letter <= '9' ? letter - '0' : letter - 'a' + 10; };
    Bytes bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes.push_back(static_cast<std::byte>(digit(hex[at]) * 16 + digit(hex[at + 1])));
    }
    return bytes;
}

}  // namespace taffrail
