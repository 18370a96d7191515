// The plain calls, for the reason that stands in sha256.cpp.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/md5.h"

#include <openssl/md5.h>

namespace taffrail {

std::array<std::uint8_t, 16> md5(ByteSpan bytes) noexcept {
    std::array<std::uint8_t, 16> digest{};
    MD5_CTX context;
    MD5_Init(&context);
    MD5_Update(&context, bytes.data(), bytes.size());
    MD5_Final(digest.data(), &context);
    return digest;
}

std::string to_base64(std::span<const std::uint8_t> bytes) {
    static constexpr char kLetters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8 | (j < count ? bytes[i + j] : 0u);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            text += j <= count ? kLetters[group >> (18 - 6 * j) & 63] : '=';
        }
    }
    return text;
}

}  // namespace taffrail
