#include "codec/parquet/compression.h"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace taffrail::parquet {
namespace {

constexpr int kLevel = 3;

struct FreeContexts {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }

    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

}  // namespace

void append_zstd(Bytes& to, ByteSpan bytes, std::size_t plane_bytes) {
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeContexts> context(ZSTD_createCCtx());
    ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes.size());
    const std::size_t start = to.size();
    const std::size_t parts = plane_bytes == 0 ? 1 : bytes.size() / plane_bytes + 1;
    to.resize(start + ZSTD_compressBound(bytes.size()) + 64 * parts);
    ZSTD_outBuffer out{to.data() + start, to.size() - start, 0};
    std::size_t at = 0;
    do {
        const std::size_t count =
            std::min(plane_bytes == 0 ? bytes.size() : plane_bytes, bytes.size() - at);
        ZSTD_inBuffer in{bytes.data() + at, count, 0};
        at += count;
        // The room is enough for the worst case, so each call finishes what it is given.
        ZSTD_compressStream2(context.get(), &out, &in,
                             at == bytes.size() ? ZSTD_e_end : ZSTD_e_flush);
    } while (at < bytes.size());
    to.resize(start + out.pos);
}

bool unpack_zstd(ByteSpan frame, std::span<std::byte> to) noexcept {
    thread_local const std::unique_ptr<ZSTD_DCtx, FreeContexts> context(ZSTD_createDCtx());
    return ZSTD_decompressDCtx(context.get(), to.data(), to.size(), frame.data(), frame.size()) ==
           to.size();
}

std::uint32_t crc32(ByteSpan bytes) noexcept {
    return libdeflate_crc32(0, bytes.data(), bytes.size());
}

}  // namespace taffrail::parquet
