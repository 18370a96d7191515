#include "codec/tlog/payload.h"

namespace taffrail::tlog {

std::optional<ByteSpan> payload_of(const FrameHeader& header, ByteSpan stored,
                                   Decompressor& decompressor, Bytes& scratch) {
    if (!header.compressed()) {
        return stored.size() == header.payload_bytes ? std::optional(stored) : std::nullopt;
    }
    if (!decompressor.decompress(scratch, stored, header.payload_bytes)) {
        return std::nullopt;
    }
    return ByteSpan(scratch);
}

}  // namespace taffrail::tlog
