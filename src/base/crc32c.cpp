#include "base/crc32c.h"

#include <array>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace taffrail {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t index = 0; index < 256; ++index) {
        std::uint32_t crc = index;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1) ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
        }
        table[index] = crc;
    }
    return table;
}

constexpr auto kTable = make_table();

}  // namespace

std::uint32_t crc32c_portable(ByteSpan bytes, std::uint32_t previous) noexcept {
    std::uint32_t crc = ~previous;
    for (std::byte byte : bytes) {
        crc = kTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xFF] ^ (crc >> 8);
    }
    return ~crc;
}

std::uint32_t crc32c(ByteSpan bytes, std::uint32_t previous) noexcept {
#if defined(__SSE4_2__)
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t crc = static_cast<std::uint32_t>(~previous);
    for (; left >= 8; at += 8, left -= 8) {
        crc = _mm_crc32_u64(crc, load<std::uint64_t>(at));
    }
    // Short inputs (a record of an event file, a log frame) are mostly tail: three steps at most,
    // not seven.
    auto tail = static_cast<std::uint32_t>(crc);
    if ((left & 4) != 0) {
        tail = _mm_crc32_u32(tail, load<std::uint32_t>(at));
        at += 4;
    }
    if ((left & 2) != 0) {
        tail = _mm_crc32_u16(tail, load<std::uint16_t>(at));
        at += 2;
    }
    if ((left & 1) != 0) {
        tail = _mm_crc32_u8(tail, static_cast<std::uint8_t>(*at));
    }
    return ~tail;
#elif defined(__ARM_FEATURE_CRC32)
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint32_t crc = ~previous;
    for (; left >= 8; at += 8, left -= 8) {
        crc = __crc32cd(crc, load<std::uint64_t>(at));
    }
    for (; left > 0; ++at, --left) {
        crc = __crc32cb(crc, static_cast<std::uint8_t>(*at));
    }
    return ~crc;
#else
    return crc32c_portable(bytes, previous);
#endif
}

}  // namespace taffrail
