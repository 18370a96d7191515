// The payload of a scanned frame, decompressed where need be.
#pragma once

#include "codec/tlog/compressor.h"
#include "codec/tlog/frame.h"

#include <optional>

namespace taffrail::tlog {

/// A view into `stored` or, when it had to be decompressed, into `scratch`; nothing when the bytes
/// do not decompress, or would to more than so few bytes may (budget.h).
std::optional<ByteSpan> payload_of(const FrameHeader& header, ByteSpan stored,
                                   Decompressor& decompressor, Bytes& scratch);

}  // namespace taffrail::tlog
