// A value as files that any program opens: for trackers that have no place of their own for a kind.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::trackers {

/// One file of a value. `name` tells it from the others of the value and has its ending:
/// "image.png", "0.png", "vectors.npy"; for artifacts the path inside.
struct ValueFile {
    std::string name;
    std::string mime;
    Bytes bytes;
};

/// Pictures as PNG (float pixels as 8 bits) or as what they are; sound and film as they are, frames
/// as MP4 or GIF; meshes as what they are, arrays as GLB, points as PLY; tensors and vectors as
/// NPY; everything else as JSON or text. Blobs must be loaded. Empty for kinds without content
/// (tags, notes, definitions).
Result<std::vector<ValueFile>> files_of(std::string_view key, const Value& value);

/// 8-bit pixels of the picture at `index`, whatever it is stored as.
struct PictureBytes {
    std::uint32_t width = 0, height = 0;
    int channels = 0;  ///< 1 to 4
    std::vector<std::uint8_t> pixels;
};

Result<PictureBytes> picture_of(const Image& image, std::size_t index);

}  // namespace taffrail::trackers
