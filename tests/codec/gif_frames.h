// All frames of a GIF of our own making, read by giflib. It believes every size that a file states,
// so it is for tests only.
#pragma once

#include "base/bytes.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace taffrail {

struct GifFrames {
    int width = 0, height = 0, count = 0;
    int delay = 0;                  ///< of the first frame, in hundredths of a second
    std::vector<std::uint8_t> rgb;  ///< count × height × width × 3
};

inline std::optional<GifFrames> read_gif(ByteSpan file) {
    ByteCursor cursor(file);
    const auto read = [](GifFileType* gif, GifByteType* to, int size) {
        auto* from = static_cast<ByteCursor*>(gif->UserData);
        const std::size_t count = std::min(from->remaining(), static_cast<std::size_t>(size));
        std::memcpy(to, from->take(count).data(), count);
        return static_cast<int>(count);
    };
    GifFileType* gif = DGifOpen(&cursor, read, nullptr);
    if (gif == nullptr) {
        return std::nullopt;
    }
    std::optional<GifFrames> frames;
    if (DGifSlurp(gif) != GIF_ERROR) {
        frames = GifFrames{gif->SWidth, gif->SHeight, gif->ImageCount, 0, {}};
        GraphicsControlBlock control{};
        DGifSavedExtensionToGCB(gif, 0, &control);
        frames->delay = control.DelayTime;
        for (int i = 0; i < gif->ImageCount; ++i) {
            const SavedImage& image = gif->SavedImages[i];
            const std::size_t pixels =
                std::size_t(image.ImageDesc.Width) * std::size_t(image.ImageDesc.Height);
            for (std::size_t at = 0; at < pixels; ++at) {
                const GifColorType& color = image.ImageDesc.ColorMap->Colors[image.RasterBits[at]];
                frames->rgb.insert(frames->rgb.end(), {color.Red, color.Green, color.Blue});
            }
        }
    }
    DGifCloseFile(gif, nullptr);
    return frames;
}

}  // namespace taffrail
