// The three plain calls instead of SHA256(): that one looks its algorithm up in the library's
// global state, which OpenSSL takes down at exit. A run that a program keeps in a static ends after
// that, and its sinks still check what they read.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/sha256.h"

#include <openssl/sha.h>

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

}  // namespace taffrail
