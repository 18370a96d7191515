// Grey pictures as PNG files, without a library: the pixels are stored, not compressed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vae_digits {

struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels;  ///< rows from the top, one byte each
};

/// False when the file cannot be written.
bool write_png(const std::string& path, const Picture& picture);

}  // namespace vae_digits
