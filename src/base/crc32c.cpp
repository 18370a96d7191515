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

#if defined(__SSE4_2__)
/// What `Length` zero bytes behind a state make of it, a table for each of its four bytes.
template <std::size_t Length>
constexpr std::array<std::array<std::uint32_t, 256>, 4> make_skip() {
    std::array<std::uint32_t, 32> of_bit{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        std::uint32_t crc = 1u << bit;
        for (std::size_t i = 0; i < Length; ++i) {
            crc = kTable[crc & 0xFF] ^ (crc >> 8);
        }
        of_bit[bit] = crc;
    }
    std::array<std::array<std::uint32_t, 256>, 4> skip{};
    for (std::size_t byte = 0; byte < 4; ++byte) {
        for (std::size_t value = 0; value < 256; ++value) {
            for (std::size_t bit = 0; bit < 8; ++bit) {
                skip[byte][value] ^= (value >> bit & 1) != 0 ? of_bit[byte * 8 + bit] : 0;
            }
        }
    }
    return skip;
}

/// The instruction takes three cycles and one can start in each: three stretches of `Length` bytes
/// at once, then joined.
template <std::size_t Length>
std::uint32_t three_at_once(const std::byte*& at, std::size_t& left, std::uint32_t crc) noexcept {
    static constexpr auto kSkip = make_skip<Length>();
    const auto behind = [](std::uint64_t before, std::uint64_t state) {
        return static_cast<std::uint32_t>(kSkip[0][before & 0xFF] ^ kSkip[1][before >> 8 & 0xFF] ^
                                          kSkip[2][before >> 16 & 0xFF] ^
                                          kSkip[3][before >> 24 & 0xFF] ^ state);
    };
    for (; left >= 3 * Length; at += 3 * Length, left -= 3 * Length) {
        std::uint64_t first = crc, second = 0, third = 0;
        for (std::size_t i = 0; i < Length; i += 8) {
            first = _mm_crc32_u64(first, load<std::uint64_t>(at + i));
            second = _mm_crc32_u64(second, load<std::uint64_t>(at + Length + i));
            third = _mm_crc32_u64(third, load<std::uint64_t>(at + 2 * Length + i));
        }
        crc = behind(behind(first, second), third);
    }
    return crc;
}
#endif

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
    std::uint32_t joined = ~previous;
    joined = three_at_once<2048>(at, left, joined);
    joined = three_at_once<128>(at, left, joined);
    std::uint64_t crc = joined;
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
