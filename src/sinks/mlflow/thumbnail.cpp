#include "sinks/mlflow/thumbnail.h"

#include "codec/image_resize.h"
#include "codec/png.h"
#include "codec/webp.h"

#include <algorithm>

namespace taffrail::sinks::mlflow {

Result<Bytes> whole_png(const Image& image, std::size_t index,
                        const trackers::PictureBytes& picture) {
    if (image.format == "png" && image.images[index].bytes) {
        return *image.images[index].bytes;
    }
    return encode_png(reinterpret_cast<const std::byte*>(picture.pixels.data()), picture.width,
                      picture.height, picture.channels);
}

Result<Bytes> thumbnail(const trackers::PictureBytes& picture) {
    constexpr std::uint64_t kLongSide = 256;
    const std::uint64_t longest = std::max({picture.width, picture.height, 1u});
    const auto scaled = [&](std::uint32_t side) {
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(side * kLongSide / longest, 1));
    };
    const std::uint32_t width = scaled(picture.width), height = scaled(picture.height);
    const auto small = resize_image(picture.pixels, picture.width, picture.height, picture.channels,
                                    width, height);
    // Grey becomes colour: the format has no grey.
    const bool has_alpha = picture.channels == 2 || picture.channels == 4;
    const auto stride = static_cast<std::size_t>(picture.channels);
    std::vector<std::uint8_t> pixels;
    for (std::size_t i = 0; i + stride <= small.size(); i += stride) {
        for (std::size_t c = 0; c < 3; ++c) {
            pixels.push_back(small[i + (stride > 2 ? c : 0)]);
        }
        if (has_alpha) {
            pixels.push_back(small[i + stride - 1]);
        }
    }
    auto webp = encode_webp(pixels, width, height, has_alpha ? 4 : 3);
    if (webp.ok() || webp.error().code != ErrorCode::Unsupported) {
        return webp;
    }
    return encode_png(reinterpret_cast<const std::byte*>(small.data()), width, height,
                      picture.channels);
}

}  // namespace taffrail::sinks::mlflow
