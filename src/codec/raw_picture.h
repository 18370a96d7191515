// Pictures that are kept as bare elements, for those who want a file or 8-bit pixels.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <vector>

namespace taffrail {

/// The elements of an image of format "raw" as 8-bit pixels, floats from 0…1. InvalidArgument
/// when they do not fill width × height × channels.
Result<std::vector<std::uint8_t>> raw_pixels(const Image& image, ByteSpan elements);
/// The same as an 8-bit PNG.
Result<Bytes> raw_to_png(const Image& image, ByteSpan elements);

}  // namespace taffrail
