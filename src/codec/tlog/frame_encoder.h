// Turns payloads into frames of one file: compression, checksums and the chain from frame to frame.
#pragma once

#include "codec/tlog/compressor.h"
#include "codec/tlog/frame.h"

#include <cstdint>

namespace taffrail::tlog {

/// A payload as it stands in a file, before it is bound to one. Kept until it is durable, so that
/// it can be written again into another file.
struct StoredPayload {
    FrameType type = FrameType::Batch;
    std::uint16_t flags = 0;
    std::uint32_t rows = 0;
    std::uint64_t first_seq = 0;
    std::uint32_t payload_bytes = 0;
    std::uint32_t payload_crc = 0;
    Bytes stored;
};

/// One thread at a time.
class FrameEncoder {
  public:
    explicit FrameEncoder(int level = 1) : compressor_(level) {}

    /// Compresses where that helps. Payloads above 1 GiB are refused by the caller.
    StoredPayload store(FrameType type, ByteSpan payload, std::uint32_t rows,
                        std::uint64_t first_seq);

    /// The next frame is the first of a new file.
    void begin_file(std::uint64_t nonce) noexcept {
        nonce_ = nonce;
        previous_crc_ = 0;
    }

    /// Appends header and payload to `to` as the file's next frame.
    void append_frame(Bytes& to, const StoredPayload& payload);

    /// The place in the chain, to go back to when a frame could not be written.
    [[nodiscard]] std::uint32_t mark() const noexcept { return previous_crc_; }

    void rewind(std::uint32_t mark) noexcept { previous_crc_ = mark; }

  private:
    Compressor compressor_;
    std::uint64_t nonce_ = 0;
    std::uint32_t previous_crc_ = 0;
};

}  // namespace taffrail::tlog
