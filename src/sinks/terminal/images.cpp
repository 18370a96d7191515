#include "sinks/terminal/images.h"

#include "base/bytes.h"
#include "base/names.h"
#include "base/sha256.h"
#include "base/try.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/value_check.h"
#include "io/files.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace taffrail::sinks::terminal {
namespace {

std::string file_name(const Record& record, const Image& image, std::size_t index) {
    std::array<char, 32> step;
    std::snprintf(step.data(), step.size(), "_%06lld", static_cast<long long>(record.step));
    std::string key(record.key);
    std::ranges::replace(key, '/', '_');
    std::string name = folder_safe(key);
    if (name != key) {
        // Different keys must not share a file because their odd characters look the same.
        name += "-" + to_hex(sha256(as_bytes(record.key))).substr(0, 8);
    }
    name += step.data();
    if (image.images.size() > 1) {
        name += "_" + std::to_string(index);
    }
    const std::string ending = image.format == "jpeg"  ? "jpg"
                               : image.format == "gif" ? "gif"
                                                       : "png";
    return name + "." + ending;
}

Result<Bytes> png_of_raw(const Image& image, ByteSpan pixels) {
    const std::int64_t extents[] = {image.height, image.width, image.channels};
    if (bytes_of_shape(extents, image.dtype) != pixels.size()) {
        return Error{ErrorCode::Corrupt, "raw pixels do not fill width × height × channels"};
    }
    const std::size_t count = pixels.size() / size_of(image.dtype);
    if (image.dtype == DType::U8 || image.dtype == DType::U16) {
        return encode_png(pixels.data(), static_cast<std::uint32_t>(image.width),
                          static_cast<std::uint32_t>(image.height), image.channels,
                          image.dtype == DType::U8 ? 8 : 16);
    }
    const auto bytes =
        to_u8(TensorView(pixels.data(), image.dtype, {static_cast<std::int64_t>(count)}));
    return encode_png(reinterpret_cast<const std::byte*>(bytes.data()),
                      static_cast<std::uint32_t>(image.width),
                      static_cast<std::uint32_t>(image.height), image.channels);
}

}  // namespace

Result<void> save_images(const std::string& folder, const Record& record) {
    const auto& image = std::get<Image>(*record.value);
    TAFFRAIL_TRY(io::make_directories(folder));
    for (std::size_t i = 0; i < image.images.size(); ++i) {
        if (!image.images[i].bytes) {
            continue;
        }
        const std::string path = io::join(folder, file_name(record, image, i));
        if (image.format == "raw") {
            TAFFRAIL_ASSIGN(const Bytes png, png_of_raw(image, *image.images[i].bytes));
            TAFFRAIL_TRY(io::write_file_atomically(path, png, false));
        } else {
            TAFFRAIL_TRY(io::write_file_atomically(path, *image.images[i].bytes, false));
        }
    }
    return {};
}

}  // namespace taffrail::sinks::terminal
