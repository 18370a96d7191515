#include "codec/parquet/compression.h"

// For ZSTD_c_literalCompressionMode; the static library is linked.
#define ZSTD_STATIC_LINKING_ONLY
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace taffrail::parquet {
namespace {

constexpr int kLevel = 3;
constexpr std::size_t kKeptRoom = 1 << 20;  ///< of memory, by a thread

struct FreeContexts {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }

    void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

/// Whether numbers come again in a row: a schedule, a ladder, a count. Sixteen of them from two
/// places are looked for among those before, in the plane of their middle bytes, which noise fills.
bool repeats_itself(ByteSpan bytes, std::size_t plane_bytes) {
    constexpr std::size_t kSample = 16;
    if (plane_bytes < 8 * kSample || bytes.size() < 8 * plane_bytes) {
        return true;  // so small that it does not matter
    }
    const ByteSpan plane = bytes.subspan(bytes.size() - 3 * plane_bytes, plane_bytes);
    for (const std::size_t at : {plane_bytes / 2, plane_bytes - kSample}) {
        if (memmem(plane.data(), at, plane.data() + at, kSample) != nullptr) {
            return true;
        }
    }
    return false;
}

/// Planes of numbers with noise hold no repeated sequences, only bytes of uneven frequency: a
/// search for matches that gives up at once and entropy coding make them smaller than level 3 does,
/// in a third of the time.
void set_up_for_noise(ZSTD_CCtx* context) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_strategy, ZSTD_fast);
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 10);
    ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, 7);
    ZSTD_CCtx_setParameter(context, ZSTD_c_targetLength, 64);  // how fast it gives up
    ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, ZSTD_ps_enable);
}

/// Compresses into `room`; the bytes it took.
std::size_t compress(ZSTD_CCtx* context, std::span<std::byte> room, ByteSpan bytes,
                     std::size_t plane_bytes) {
    ZSTD_CCtx_setPledgedSrcSize(context, bytes.size());
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    std::size_t at = 0;
    do {
        const std::size_t count =
            std::min(plane_bytes == 0 ? bytes.size() : plane_bytes, bytes.size() - at);
        ZSTD_inBuffer in{bytes.data() + at, count, 0};
        at += count;
        // The room is enough for the worst case, so each call finishes what it is given.
        ZSTD_compressStream2(context, &out, &in, at == bytes.size() ? ZSTD_e_end : ZSTD_e_flush);
    } while (at < bytes.size());
    return out.pos;
}

}  // namespace

void append_zstd(Bytes& to, ByteSpan bytes, std::size_t plane_bytes) {
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeContexts> context(ZSTD_createCCtx());
    // Far more than what is left in the end: taken once, and not filled with zeros each time.
    thread_local Bytes room;
    const std::size_t parts = plane_bytes == 0 ? 1 : bytes.size() / plane_bytes + 1;
    const std::size_t most = ZSTD_compressBound(bytes.size()) + 64 * parts;
    if (room.size() < most) {
        room.resize(most);
    }
    ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_and_parameters);
    if (plane_bytes == 0 || repeats_itself(bytes, plane_bytes)) {
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    } else {
        set_up_for_noise(context.get());
    }
    append(to, ByteSpan(room).first(compress(context.get(), room, bytes, plane_bytes)));
    if (room.size() > kKeptRoom) {
        room = Bytes();
    }
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
