#include "codec/webp.h"

#include <dlfcn.h>

namespace taffrail {
namespace {

using EncodeWebp = std::size_t (*)(const std::uint8_t* pixels, int width, int height, int stride,
                                   float quality, std::uint8_t** output);

struct WebpLibrary {
    EncodeWebp rgb = nullptr, rgba = nullptr;
    void (*free)(void*) = nullptr;
};

WebpLibrary load_webp() {
    WebpLibrary library;
    if (void* handle = ::dlopen("libwebp.so.7", RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
        library.rgb = reinterpret_cast<EncodeWebp>(::dlsym(handle, "WebPEncodeRGB"));
        library.rgba = reinterpret_cast<EncodeWebp>(::dlsym(handle, "WebPEncodeRGBA"));
        library.free = reinterpret_cast<void (*)(void*)>(::dlsym(handle, "WebPFree"));
    }
    return library;
}

}  // namespace

Result<Bytes> encode_webp(std::span<const std::uint8_t> pixels, std::uint32_t width,
                          std::uint32_t height, int channels, float quality) {
    static const WebpLibrary library = load_webp();
    const EncodeWebp encode = channels == 4 ? library.rgba : channels == 3 ? library.rgb : nullptr;
    if (encode == nullptr || library.free == nullptr) {
        return Error{ErrorCode::Unsupported, "no libwebp here; install the package libwebp7"};
    }
    const std::uint64_t stride = std::uint64_t{width} * static_cast<unsigned>(channels);
    constexpr std::uint32_t kLargestSide = 16383;
    if (width == 0 || height == 0 || width > kLargestSide || height > kLargestSide ||
        pixels.size() != stride * height) {
        return Error{ErrorCode::InvalidArgument, "pixels do not fill a WebP picture"};
    }
    std::uint8_t* made = nullptr;
    const std::size_t size =
        encode(pixels.data(), static_cast<int>(width), static_cast<int>(height),
               static_cast<int>(stride), quality, &made);
    if (size == 0) {
        return Error{ErrorCode::Internal, "libwebp did not take the picture"};
    }
    const auto* from = reinterpret_cast<const std::byte*>(made);
    Bytes file(from, from + size);
    library.free(made);
    return file;
}

}  // namespace taffrail
