#include "codec/jpeg.h"

#include <turbojpeg.h>

#include <algorithm>
#include <memory>
#include <string>

namespace taffrail {
namespace {

using Handle = std::unique_ptr<void, decltype(&tjDestroy)>;

// A size is believed as far as the file could fill it: each block of 8x8 pixels takes at least one
// bit. Below a million pixels a file that was cut short is shown as far as it goes.
constexpr std::uint64_t kMostPixelsPerByte = 8 * 8 * 8;
constexpr std::uint64_t kAlwaysBelieved = std::uint64_t{1} << 20;

std::uint16_t big_u16(ByteCursor& cursor) {
    return __builtin_bswap16(cursor.read<std::uint16_t>());
}

Error not_jpeg(std::string_view why) {
    return Error{ErrorCode::Corrupt, "not a readable JPEG: " + std::string(why)};
}

const unsigned char* chars(const std::byte* bytes) {
    return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

Result<JpegHeader> probe_jpeg(ByteSpan file) {
    ByteCursor cursor(file);
    if (big_u16(cursor) != 0xFFD8) {
        return not_jpeg("no start marker");
    }
    while (cursor.ok()) {
        std::uint8_t marker = cursor.read<std::uint8_t>();
        if (marker != 0xFF) {
            return not_jpeg("a marker is missing");
        }
        while (cursor.ok() && marker == 0xFF) {  // any number of fill bytes
            marker = cursor.read<std::uint8_t>();
        }
        if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {
            continue;
        }
        const std::uint16_t length = big_u16(cursor);
        if (length < 2) {
            break;
        }
        // Start of frame: C0 … CF, except the tables C4, C8 and CC.
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
            marker != 0xCC) {
            JpegHeader header;
            header.bit_depth = cursor.read<std::uint8_t>();
            header.height = big_u16(cursor);
            header.width = big_u16(cursor);
            header.channels = cursor.read<std::uint8_t>();
            if (!cursor.ok() || header.width == 0 || header.channels == 0) {
                break;
            }
            return header;
        }
        cursor.take(length - 2u);
    }
    return not_jpeg("no frame header");
}

Result<Pixels> decode_jpeg(ByteSpan file, std::uint64_t max_bytes) {
    const Handle handle(tjInitDecompress(), &tjDestroy);
    int width = 0, height = 0, sampling = 0, colors = 0;
    if (tjDecompressHeader3(handle.get(), chars(file.data()), file.size(), &width, &height,
                            &sampling, &colors) != 0) {
        return not_jpeg(tjGetErrorStr2(handle.get()));
    }
    Pixels pixels{static_cast<std::uint32_t>(width),
                  static_cast<std::uint32_t>(height),
                  colors == TJCS_GRAY ? 1 : 3,
                  8,
                  {}};
    const std::uint64_t area = std::uint64_t{pixels.width} * pixels.height;
    if (area > max_bytes / static_cast<unsigned>(pixels.channels)) {
        return Error{ErrorCode::Unsupported,
                     "this JPEG holds " + std::to_string(area >> 20) + " million pixels, too many"};
    }
    if (area > std::max(kAlwaysBelieved, file.size() * kMostPixelsPerByte)) {
        return not_jpeg("its " + std::to_string(file.size()) + " bytes cannot hold " +
                        std::to_string(width) + "x" + std::to_string(height) + " pixels");
    }
    pixels.data.resize(area * static_cast<unsigned>(pixels.channels));
    if (tjDecompress2(handle.get(), chars(file.data()), file.size(),
                      reinterpret_cast<unsigned char*>(pixels.data.data()), width,
                      width * pixels.channels, height, pixels.channels == 1 ? TJPF_GRAY : TJPF_RGB,
                      TJFLAG_LIMITSCANS) != 0 &&
        tjGetErrorCode(handle.get()) == TJERR_FATAL) {
        return not_jpeg(tjGetErrorStr2(handle.get()));
    }
    return pixels;
}

Result<Bytes> encode_jpeg(const std::byte* pixels, std::uint32_t width, std::uint32_t height,
                          int channels, int quality) {
    if (width == 0 || height == 0 || width > 65500 || height > 65500 ||
        (channels != 1 && channels != 3)) {
        return Error{ErrorCode::InvalidArgument,
                     "cannot make a JPEG of " + std::to_string(width) + "x" +
                         std::to_string(height) + " with " + std::to_string(channels) +
                         " channels; it takes grey or RGB up to 65500 pixels a side"};
    }
    const Handle handle(tjInitCompress(), &tjDestroy);
    unsigned char* out = nullptr;
    unsigned long size = 0;
    const int sampling = channels == 1 ? TJSAMP_GRAY : TJSAMP_444;
    const int failed = tjCompress2(handle.get(), chars(pixels), static_cast<int>(width), 0,
                                   static_cast<int>(height), channels == 1 ? TJPF_GRAY : TJPF_RGB,
                                   &out, &size, sampling, quality, 0);
    const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(out, &tjFree);
    if (failed != 0) {
        return Error{ErrorCode::Internal,
                     std::string("JPEG encoder: ") + tjGetErrorStr2(handle.get())};
    }
    const auto* from = reinterpret_cast<const std::byte*>(out);
    return Bytes(from, from + size);
}

}  // namespace taffrail
