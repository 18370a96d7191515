// A value as files that any program opens: for trackers that have no place of their own for a kind.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/value_files.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::trackers {

/// The files of a value (codec/value_files.h) under names for people: "0.png" of several pictures,
/// "figure.json", "text.txt" of plain text, the table of an embedding as JSON; files of artifacts
/// say what they are. Blobs must be loaded.
Result<std::vector<ValueFile>> files_of(std::string_view key, const Value& value);

/// 8-bit pixels of the picture at `index`, whatever it is stored as.
struct PictureBytes {
    std::uint32_t width = 0, height = 0;
    int channels = 0;  ///< 1 to 4
    std::vector<std::uint8_t> pixels;
};

Result<PictureBytes> picture_of(const Image& image, std::size_t index);

}  // namespace taffrail::trackers
