#include "codec/png.h"

#include <libdeflate.h>
#include <spng.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string>

namespace taffrail {
namespace {

constexpr std::array<unsigned char, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::uint64_t kMaxPixelBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostDeflateRatio = 1032;  // 258 bytes for two bits

enum class Filter : unsigned char { None, Sub, Up, Average, Paeth };

void append_u32(Bytes& to, std::uint32_t value) {
    append(to, __builtin_bswap32(value));
}

/// Opens a chunk; close_chunk fills in length and checksum of what was appended since.
std::size_t open_chunk(Bytes& to, std::string_view type) {
    const std::size_t start = to.size();
    append_u32(to, 0);
    append(to, as_bytes(type));
    return start;
}

void close_chunk(Bytes& to, std::size_t start) {
    store_at(to.data() + start,
             __builtin_bswap32(static_cast<std::uint32_t>(to.size() - start - 8)));
    append_u32(to, libdeflate_crc32(0, to.data() + start + 4, to.size() - start - 4));
}

unsigned char paeth(unsigned char left, unsigned char above, unsigned char corner) {
    const int estimate = left + above - corner;
    const int to_left = std::abs(estimate - left);
    const int to_above = std::abs(estimate - above);
    const int to_corner = std::abs(estimate - corner);
    if (to_left <= to_above && to_left <= to_corner) {
        return left;
    }
    return to_above <= to_corner ? above : corner;
}

/// Writes the filtered form of `row` to `to`. `above` is the row before, all zero for the first.
void apply(Filter filter, const unsigned char* row, const unsigned char* above, std::size_t size,
           std::size_t pixel, unsigned char* to) {
    const auto left = [&](std::size_t i) {
        return i >= pixel ? row[i - pixel] : static_cast<unsigned char>(0);
    };
    switch (filter) {
        case Filter::None:
            std::copy(row, row + size, to);
            break;
        case Filter::Sub:
            for (std::size_t i = 0; i < size; ++i) {
                to[i] = static_cast<unsigned char>(row[i] - left(i));
            }
            break;
        case Filter::Up:
            for (std::size_t i = 0; i < size; ++i) {
                to[i] = static_cast<unsigned char>(row[i] - above[i]);
            }
            break;
        case Filter::Average:
            for (std::size_t i = 0; i < size; ++i) {
                to[i] = static_cast<unsigned char>(row[i] - (left(i) + above[i]) / 2);
            }
            break;
        case Filter::Paeth:
            for (std::size_t i = 0; i < size; ++i) {
                const unsigned char corner =
                    i >= pixel ? above[i - pixel] : static_cast<unsigned char>(0);
                to[i] = static_cast<unsigned char>(row[i] - paeth(left(i), above[i], corner));
            }
            break;
    }
}

/// Sum of magnitudes of the bytes as signed numbers: the usual guess at how well a filtered row
/// will compress.
std::uint64_t cost(const unsigned char* row, std::size_t size) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
        sum += static_cast<unsigned>(std::abs(static_cast<int>(static_cast<signed char>(row[i]))));
    }
    return sum;
}

std::vector<unsigned char> filtered_rows(const std::byte* pixels, std::size_t row_size,
                                         std::uint32_t height, std::size_t pixel, int bit_depth,
                                         PngLevel level) {
    std::vector<unsigned char> out((row_size + 1) * height);
    std::vector<unsigned char> above(row_size), row(row_size), trial(row_size);
    for (std::uint32_t y = 0; y < height; ++y) {
        std::memcpy(row.data(), pixels + y * row_size, row_size);
        if (bit_depth == 16) {
            for (std::size_t i = 0; i + 1 < row_size; i += 2) {
                std::swap(row[i], row[i + 1]);
            }
        }
        unsigned char* to = out.data() + y * (row_size + 1);
        if (level == PngLevel::Fast) {
            const Filter filter = y == 0 ? Filter::Sub : Filter::Up;
            to[0] = static_cast<unsigned char>(filter);
            apply(filter, row.data(), above.data(), row_size, pixel, to + 1);
        } else {
            std::uint64_t best = UINT64_MAX;
            for (Filter filter :
                 {Filter::None, Filter::Sub, Filter::Up, Filter::Average, Filter::Paeth}) {
                apply(filter, row.data(), above.data(), row_size, pixel, trial.data());
                if (const std::uint64_t price = cost(trial.data(), row_size); price < best) {
                    best = price;
                    to[0] = static_cast<unsigned char>(filter);
                    std::copy(trial.begin(), trial.end(), to + 1);
                }
            }
        }
        above.swap(row);
    }
    return out;
}

struct SpngFree {
    void operator()(spng_ctx* context) const noexcept { spng_ctx_free(context); }
};

}  // namespace

Result<Bytes> encode_png(const std::byte* pixels, std::uint32_t width, std::uint32_t height,
                         int channels, int bit_depth, PngLevel level) {
    if (width == 0 || height == 0 || width > 0x7FFFFFFF || height > 0x7FFFFFFF || channels < 1 ||
        channels > 4 || (bit_depth != 8 && bit_depth != 16)) {
        return Error{ErrorCode::InvalidArgument,
                     "cannot make a PNG of " + std::to_string(width) + "x" +
                         std::to_string(height) + " with " + std::to_string(channels) +
                         " channels of " + std::to_string(bit_depth) +
                         " bits; it takes 1 to 4 channels of 8 or 16 bits and at least one pixel"};
    }
    const std::size_t pixel = static_cast<std::size_t>(channels * bit_depth / 8);
    const std::size_t row_size = width * pixel;
    if (row_size > kMaxPixelBytes / height) {
        return Error{ErrorCode::InvalidArgument,
                     "a PNG of " + std::to_string(width) + "x" + std::to_string(height) +
                         " pixels is over 1 GiB; log it in tiles or smaller"};
    }
    const std::vector<unsigned char> rows =
        filtered_rows(pixels, row_size, height, pixel, bit_depth, level);

    Bytes file;
    std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(level == PngLevel::Fast ? 1 : 6), &libdeflate_free_compressor);
    const std::size_t bound = libdeflate_zlib_compress_bound(compressor.get(), rows.size());
    file.reserve(bound + 64);
    append(file,
           ByteSpan(reinterpret_cast<const std::byte*>(kSignature.data()), kSignature.size()));
    const std::size_t header = open_chunk(file, "IHDR");
    append_u32(file, width);
    append_u32(file, height);
    constexpr unsigned char kColourType[] = {0, 0, 4, 2, 6};
    append(file, static_cast<unsigned char>(bit_depth));
    append(file, kColourType[channels]);
    append(file, std::array<unsigned char, 3>{});  // deflate, adaptive filters, not interlaced
    close_chunk(file, header);

    const std::size_t data = open_chunk(file, "IDAT");
    const std::size_t at = file.size();
    file.resize(at + bound);
    const std::size_t packed = libdeflate_zlib_compress(compressor.get(), rows.data(), rows.size(),
                                                        file.data() + at, bound);
    file.resize(at + packed);
    close_chunk(file, data);
    close_chunk(file, open_chunk(file, "IEND"));
    return file;
}

Result<Pixels> decode_png(ByteSpan file, std::uint64_t max_bytes) {
    const auto refuse = [](int code) {
        return Error{ErrorCode::Corrupt, std::string("not a readable PNG: ") + spng_strerror(code)};
    };
    std::unique_ptr<spng_ctx, SpngFree> context(spng_ctx_new(0));
    if (!context) {
        return Error{ErrorCode::Internal, "no memory to decode a PNG"};
    }
    spng_set_chunk_limits(context.get(), 64 << 20, 128 << 20);
    spng_set_crc_action(context.get(), SPNG_CRC_ERROR, SPNG_CRC_ERROR);
    if (int code = spng_set_png_buffer(context.get(), file.data(), file.size()); code != 0) {
        return refuse(code);
    }
    spng_ihdr header{};
    if (int code = spng_get_ihdr(context.get(), &header); code != 0) {
        return refuse(code);
    }
    Pixels pixels;
    pixels.width = header.width;
    pixels.height = header.height;
    pixels.bit_depth = header.bit_depth == 16 ? 16 : 8;
    spng_trns transparency{};
    const bool has_alpha = spng_get_trns(context.get(), &transparency) == 0;
    int format = SPNG_FMT_PNG;
    int flags = 0;
    switch (header.color_type) {
        case SPNG_COLOR_TYPE_GRAYSCALE:
            pixels.channels = 1;
            // Below 8 bits libspng expands grey by itself only in this format.
            format = header.bit_depth < 8 ? SPNG_FMT_G8 : SPNG_FMT_PNG;
            break;
        case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
            pixels.channels = 2;
            break;
        case SPNG_COLOR_TYPE_TRUECOLOR:
            pixels.channels = 3;
            break;
        case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
            pixels.channels = 4;
            break;
        default:
            pixels.channels = has_alpha ? 4 : 3;
            format = has_alpha ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;
            flags = has_alpha ? SPNG_DECODE_TRNS : 0;
            break;
    }
    const std::uint64_t size = std::uint64_t{pixels.width} * pixels.height *
                               static_cast<unsigned>(pixels.channels * pixels.bit_depth / 8);
    if (size > max_bytes) {
        return Error{ErrorCode::Unsupported, "this PNG holds " + std::to_string(size >> 20) +
                                                 " MiB of pixels; " +
                                                 std::to_string(max_bytes >> 20) + " are allowed"};
    }
    // A size is believed as far as the file could fill it.
    constexpr std::uint64_t kSamples[] = {1, 0, 3, 1, 2, 0, 4};  // of a pixel, by colour type
    const std::uint64_t bits = kSamples[header.color_type] * header.bit_depth;
    if (std::uint64_t{pixels.width} * pixels.height * bits / 8 > file.size() * kMostDeflateRatio) {
        return Error{ErrorCode::Corrupt, "not a readable PNG: its " + std::to_string(file.size()) +
                                             " bytes cannot hold " + std::to_string(pixels.width) +
                                             "x" + std::to_string(pixels.height) + " pixels"};
    }
    std::size_t needed = 0;
    if (int code = spng_decoded_image_size(context.get(), format, &needed); code != 0) {
        return refuse(code);
    }
    if (needed != size) {
        return Error{ErrorCode::Corrupt,
                     "not a readable PNG: pixel size does not match its header"};
    }
    pixels.data.resize(needed);
    if (int code = spng_decode_image(context.get(), pixels.data.data(), needed, format, flags);
        code != 0) {
        return refuse(code);
    }
    return pixels;
}

}  // namespace taffrail
