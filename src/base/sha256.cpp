// The three plain calls instead of SHA256(): that one looks its algorithm up in the library's
// global state, which OpenSSL takes down at exit. A run that a program keeps in a static ends after
// that, and its sinks still check what they read.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/sha256.h"

#include <openssl/sha.h>

#include <charconv>

namespace taffrail {

Sha256 sha256(ByteSpan bytes) noexcept {
    Sha256 digest{};
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes.data(), bytes.size());
    SHA256_Final(digest.data(), &context);
    return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (std::uint8_t byte : bytes) {
        text.push_back(kDigits[byte >> 4]);
        text.push_back(kDigits[byte & 15]);
    }
    return text;
}

std::string to_hex(ByteSpan bytes) {
    return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

Bytes from_hex(std::string_view digits) {
    Bytes bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        std::uint8_t byte = 0;
        std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return bytes;
}

}  // namespace taffrail
