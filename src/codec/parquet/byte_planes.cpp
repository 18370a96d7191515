#include "codec/parquet/byte_planes.h"

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace taffrail::parquet {
namespace {

// Sixteen doubles are 128 bytes with an index of seven bits: four for the value, three for the byte
// in it. Interleaving the first half with the second rotates those bits by one place: three
// rotations turn planes into numbers, four more turn numbers into planes.
using Lane = std::uint8_t __attribute__((vector_size(16)));

Lane interleave_low(Lane a, Lane b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

Lane interleave_high(Lane a, Lane b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}

template <int kRotations>
void rotate(Lane (&lanes)[8]) {
    for (int rotation = 0; rotation < kRotations; ++rotation) {
        Lane next[8];
        for (int i = 0; i < 4; ++i) {
            next[2 * i] = interleave_low(lanes[i], lanes[i + 4]);
            next[2 * i + 1] = interleave_high(lanes[i], lanes[i + 4]);
        }
        for (int i = 0; i < 8; ++i) {
            lanes[i] = next[i];
        }
    }
}

constexpr std::size_t kBlock = 16;

}  // namespace

void append_byte_planes(Bytes& to, std::span<const double> values) {
    const std::size_t count = values.size(), start = to.size();
    to.resize(start + 8 * count);
    std::byte* planes = to.data() + start;
    std::size_t at = 0;
    for (; at + kBlock <= count; at += kBlock) {
        Lane lanes[8];
        for (std::size_t i = 0; i < 8; ++i) {
            lanes[i] = load<Lane>(values.data() + at + 2 * i);
        }
        rotate<4>(lanes);
        for (std::size_t plane = 0; plane < 8; ++plane) {
            store_at(planes + plane * count + at, lanes[plane]);
        }
    }
    for (; at < count; ++at) {
        for (std::size_t plane = 0; plane < 8; ++plane) {
            planes[plane * count + at] =
                reinterpret_cast<const std::byte*>(values.data() + at)[plane];
        }
    }
}

void join_byte_planes(ByteSpan planes, std::span<double> values) noexcept {
    const std::size_t count = values.size();
    assert(planes.size() == 8 * count);
    std::size_t at = 0;
    for (; at + kBlock <= count; at += kBlock) {
        Lane lanes[8];
        for (std::size_t plane = 0; plane < 8; ++plane) {
            lanes[plane] = load<Lane>(planes.data() + plane * count + at);
        }
        rotate<3>(lanes);
        for (std::size_t i = 0; i < 8; ++i) {
            store_at(values.data() + at + 2 * i, lanes[i]);
        }
    }
    for (; at < count; ++at) {
        for (std::size_t plane = 0; plane < 8; ++plane) {
            reinterpret_cast<std::byte*>(values.data() + at)[plane] = planes[plane * count + at];
        }
    }
}

}  // namespace taffrail::parquet
