#include "codec/raw_picture.h"

#include "base/try.h"
#include "codec/png.h"
#include "codec/tensor.h"

namespace taffrail {

Result<std::vector<std::uint8_t>> raw_pixels(const Image& image, ByteSpan elements) {
    const Shape shape{image.height, image.width, image.channels};
    const std::int64_t count = shape.elements();
    if (count < 0 || elements.size() != static_cast<std::size_t>(count) * size_of(image.dtype)) {
        return Error{ErrorCode::InvalidArgument,
                     "raw pixels do not fill width × height × channels"};
    }
    return to_u8(TensorView(elements.data(), image.dtype, shape));
}

Result<Bytes> raw_to_png(const Image& image, ByteSpan elements) {
    TAFFRAIL_ASSIGN(const std::vector<std::uint8_t> pixels, raw_pixels(image, elements));
    return encode_png(reinterpret_cast<const std::byte*>(pixels.data()),
                      static_cast<std::uint32_t>(image.width),
                      static_cast<std::uint32_t>(image.height), image.channels);
}

}  // namespace taffrail
