#include "codec/gif.h"

#include "codec/palette.h"

#include <gif_lib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>

namespace taffrail {
namespace {

Error gif_error(std::string_view doing, int code) {
    const char* reason = GifErrorString(code);
    return Error{ErrorCode::Corrupt,
                 std::string(doing) + " GIF: " + (reason != nullptr ? reason : "unknown error")};
}

int append_output(GifFileType* gif, const GifByteType* data, int size) {
    auto* out = static_cast<Bytes*>(gif->UserData);
    const auto* from = reinterpret_cast<const std::byte*>(data);
    out->insert(out->end(), from, from + size);
    return size;
}

std::vector<std::uint8_t> as_rgb(std::span<const std::uint8_t> frame, int channels) {
    const auto step = static_cast<std::size_t>(channels);
    std::vector<std::uint8_t> rgb;
    rgb.reserve(frame.size() / step * 3);
    for (std::size_t i = 0; i + step <= frame.size(); i += step) {
        for (std::size_t c = 0; c < 3; ++c) {
            rgb.push_back(frame[i + (channels >= 3 ? c : 0)]);
        }
    }
    return rgb;
}

bool put_frame(GifFileType* gif, const Palette& palette, std::uint32_t width, std::uint32_t height,
               int delay) {
    const int size =
        static_cast<int>(std::bit_ceil(std::max<std::size_t>(palette.colors.size(), 2)));
    std::vector<GifColorType> table(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < palette.colors.size(); ++i) {
        table[i] = {palette.colors[i][0], palette.colors[i][1], palette.colors[i][2]};
    }
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(size, table.data()), &GifFreeMapObject);
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = delay;
    control.TransparentColor = NO_TRANSPARENT_COLOR;
    GifByteType extension[4];
    EGifGCBToExtension(&control, extension);
    if (EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, extension) == GIF_ERROR ||
        EGifPutImageDesc(gif, 0, 0, static_cast<int>(width), static_cast<int>(height), false,
                         map.get()) == GIF_ERROR) {
        return false;
    }
    std::vector<GifPixelType> line(width);
    for (std::size_t y = 0; y < height; ++y) {
        std::copy_n(palette.indices.data() + y * width, width, line.data());
        if (EGifPutLine(gif, line.data(), static_cast<int>(width)) == GIF_ERROR) {
            return false;
        }
    }
    return true;
}

}  // namespace

Result<Bytes> encode_gif(std::span<const std::uint8_t> frames, std::int64_t count,
                         std::uint32_t width, std::uint32_t height, int channels,
                         double frames_per_second) {
    const bool size_fits =
        width > 0 && height > 0 && width <= 65535 && height <= 65535 && count > 0;
    if (!size_fits || (channels != 1 && channels != 3 && channels != 4) ||
        !(frames_per_second > 0) ||
        frames.size() / static_cast<std::size_t>(count) !=
            std::size_t{width} * height * static_cast<unsigned>(channels)) {
        return Error{ErrorCode::InvalidArgument,
                     "cannot make a GIF of " + std::to_string(count) + " frames of " +
                         std::to_string(width) + "x" + std::to_string(height) + " with " +
                         std::to_string(channels) +
                         " channels; it takes grey, RGB or RGBA up to 65535 pixels a side"};
    }
    Bytes out;
    int code = 0;
    GifFileType* gif = EGifOpen(&out, append_output, &code);
    if (gif == nullptr) {
        return gif_error("cannot begin a", code);
    }
    EGifSetGifVersion(gif, true);
    const int delay =
        std::clamp(static_cast<int>(std::lround(100.0 / frames_per_second)), 1, 65535);
    const unsigned char loop_for_ever[3] = {1, 0, 0};
    bool fine = EGifPutScreenDesc(gif, static_cast<int>(width), static_cast<int>(height), 8, 0,
                                  nullptr) != GIF_ERROR &&
                EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) != GIF_ERROR &&
                EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") != GIF_ERROR &&
                EGifPutExtensionBlock(gif, 3, loop_for_ever) != GIF_ERROR &&
                EGifPutExtensionTrailer(gif) != GIF_ERROR;
    const std::size_t frame_size = frames.size() / static_cast<std::size_t>(count);
    for (std::size_t i = 0; fine && i < static_cast<std::size_t>(count); ++i) {
        const Palette palette =
            make_palette(as_rgb(frames.subspan(i * frame_size, frame_size), channels));
        fine = put_frame(gif, palette, width, height, delay);
    }
    code = gif->Error;
    int close_code = 0;
    if (EGifCloseFile(gif, &close_code) == GIF_ERROR || !fine) {
        return gif_error("cannot write a", fine ? close_code : code);
    }
    return out;
}

}  // namespace taffrail
