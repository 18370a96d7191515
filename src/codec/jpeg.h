// JPEG: header fields by own walk over the markers, pixels by libjpeg-turbo.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/png.h"

#include <cstdint>

namespace taffrail {

struct JpegHeader {
    std::uint32_t width = 0, height = 0;
    int channels = 0;
    int bit_depth = 8;
};

Result<JpegHeader> probe_jpeg(ByteSpan file);

/// Grey stays grey, everything else becomes RGB. Pictures of more than `max_bytes` of pixels are
/// refused unread.
Result<Pixels> decode_jpeg(ByteSpan file, std::uint64_t max_bytes = std::uint64_t{1} << 30);
/// 8-bit grey or RGB. `quality` 1 … 100.
Result<Bytes> encode_jpeg(const std::byte* pixels, std::uint32_t width, std::uint32_t height,
                          int channels, int quality = 90);

}  // namespace taffrail
