// zstd with contexts that are kept: a flush every 100 ms must not pay for a new one each time.
#pragma once

#include "base/bytes.h"

#include <memory>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace taffrail::tlog {

/// One thread at a time.
class Compressor {
  public:
    explicit Compressor(int level = 1);
    ~Compressor();
    Compressor(Compressor&&) noexcept;
    Compressor& operator=(Compressor&&) noexcept;

    /// Appends the zstd frame of `bytes` to `to` and returns true, or leaves `to` alone where that
    /// would not be shorter.
    bool compress(Bytes& to, ByteSpan bytes);

  private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const noexcept;
    };

    std::unique_ptr<ZSTD_CCtx_s, Free> context_;
    Bytes room_;
};

/// One thread at a time.
class Decompressor {
  public:
    Decompressor();
    ~Decompressor();
    Decompressor(Decompressor&&) noexcept;
    Decompressor& operator=(Decompressor&&) noexcept;

    /// Replaces `to` by the content of the zstd frame `bytes`; false unless that is exactly `size`
    /// bytes.
    bool decompress(Bytes& to, ByteSpan bytes, std::size_t size);

  private:
    struct Free {
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };

    std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace taffrail::tlog
