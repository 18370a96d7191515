#include "codec/gzip.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>

namespace taffrail {
namespace {

using Compressor = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;
using Decompressor =
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

Compressor make_compressor(int level) {
    return {libdeflate_alloc_compressor(std::clamp(level, 1, 12)), &libdeflate_free_compressor};
}

/// One stream at the head of `bytes`, appended to `out`; returns how many bytes it took. libdeflate
/// wants the whole output at once and does not know its size, so the room doubles until it fits.
template <typename Unpack>
Result<std::size_t> unpack_one(ByteSpan bytes, std::uint64_t limit_bytes, Bytes& out,
                               std::string_view what, Unpack unpack) {
    Decompressor decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    const std::size_t start = out.size();
    std::size_t room = std::max<std::size_t>(bytes.size() * 4, 4096);
    for (;;) {
        room = static_cast<std::size_t>(std::min<std::uint64_t>(room, limit_bytes - start));
        out.resize(start + room);
        std::size_t taken = 0, made = 0;
        const libdeflate_result result = unpack(decompressor.get(), bytes.data(), bytes.size(),
                                                out.data() + start, room, &taken, &made);
        if (result == LIBDEFLATE_SUCCESS) {
            out.resize(start + made);
            return taken;
        }
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
            return Error{ErrorCode::Corrupt,
                         "damaged or cut short " + std::string(what) + " stream"};
        }
        if (start + room >= limit_bytes) {
            return Error{ErrorCode::Unsupported, std::string(what) +
                                                     " stream unpacks to more than " +
                                                     std::to_string(limit_bytes) + " bytes"};
        }
        room *= 2;
    }
}

}  // namespace

Bytes gzip(ByteSpan bytes, int level) {
    const Compressor compressor = make_compressor(level);
    Bytes out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()));
    out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                        out.size()));
    return out;
}

Bytes zlib(ByteSpan bytes, int level) {
    const Compressor compressor = make_compressor(level);
    Bytes out(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
    out.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                        out.size()));
    return out;
}

Bytes deflate(ByteSpan bytes, int level) {
    const Compressor compressor = make_compressor(level);
    Bytes out(libdeflate_deflate_compress_bound(compressor.get(), bytes.size()));
    out.resize(libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(), out.data(),
                                           out.size()));
    return out;
}

Result<Bytes> gunzip(ByteSpan bytes, std::uint64_t limit_bytes) {
    Bytes out;
    do {
        const auto taken =
            unpack_one(bytes, limit_bytes, out, "gzip", libdeflate_gzip_decompress_ex);
        if (!taken.ok()) {
            return taken.error();
        }
        bytes = bytes.subspan(*taken);
    } while (!bytes.empty());
    return out;
}

Result<Bytes> inflate(ByteSpan bytes, std::uint64_t limit_bytes) {
    Bytes out;
    const auto taken =
        unpack_one(bytes, limit_bytes, out, "deflate", libdeflate_deflate_decompress_ex);
    if (!taken.ok()) {
        return taken.error();
    }
    return out;
}

std::uint32_t crc32(ByteSpan bytes, std::uint32_t previous) noexcept {
    return libdeflate_crc32(previous, bytes.data(), bytes.size());
}

}  // namespace taffrail
