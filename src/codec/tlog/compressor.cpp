#include "codec/tlog/compressor.h"

#include <zstd.h>

namespace taffrail::tlog {

namespace {

// More than a flush of scalars needs: a large value is rare, and its room goes again.
constexpr std::size_t kKeptBytes = 4 << 20;

}  // namespace

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const noexcept {
    ZSTD_freeCCtx(context);
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const noexcept {
    ZSTD_freeDCtx(context);
}

Compressor::Compressor(int level) : context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
}

Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;
Compressor& Compressor::operator=(Compressor&&) noexcept = default;

bool Compressor::compress(Bytes& to, ByteSpan bytes) {
    // Frames wait for the disk: each takes the room it needs, not the room it might have needed.
    if (room_.size() < ZSTD_compressBound(bytes.size())) {
        room_.resize(ZSTD_compressBound(bytes.size()));
    }
    const std::size_t size =
        ZSTD_compress2(context_.get(), room_.data(), room_.size(), bytes.data(), bytes.size());
    const bool shorter = ZSTD_isError(size) == 0 && size < bytes.size();
    if (shorter) {
        append(to, ByteSpan(room_).first(size));
    }
    if (room_.size() > kKeptBytes) {
        room_ = Bytes();
    }
    return shorter;
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {}

Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

bool Decompressor::decompress(Bytes& to, ByteSpan bytes, std::size_t size) {
    // Asked before anything is allocated: a frame that lies about its size costs nothing.
    if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != size) {
        return false;
    }
    to.resize(size);
    return ZSTD_decompressDCtx(context_.get(), to.data(), size, bytes.data(), bytes.size()) == size;
}

}  // namespace taffrail::tlog
