// PNG: own encoder over libdeflate (several times faster than libpng at equal size), decoder by
// libspng.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstddef>
#include <cstdint>

namespace taffrail {

/// Pixels of a decoded picture: row-major, channels interleaved, 16-bit samples little-endian.
struct Pixels {
    std::uint32_t width = 0, height = 0;
    int channels = 0;   ///< 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA
    int bit_depth = 8;  ///< 8 or 16
    Bytes data;
};

enum class PngLevel : std::uint8_t {
    Fast,   ///< for the training path: one filter, quickest deflate
    Small,  ///< best filter of each row, usual deflate; about twice the time
};

/// Encodes `width × height × channels` samples of `bit_depth` 8 or 16 (16: little-endian in
/// memory). Lossless.
Result<Bytes> encode_png(const std::byte* pixels, std::uint32_t width, std::uint32_t height,
                         int channels, int bit_depth = 8, PngLevel level = PngLevel::Fast);

/// Decodes any PNG; palettes and low bit depths become 8-bit RGB(A) or grey. Pictures of more
/// than `max_bytes` of pixels are refused unread.
Result<Pixels> decode_png(ByteSpan file, std::uint64_t max_bytes = std::uint64_t{1} << 30);

}  // namespace taffrail
