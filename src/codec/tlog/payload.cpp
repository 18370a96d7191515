#include "codec/tlog/payload.h"

#include "codec/tlog/sections.h"

namespace taffrail::tlog {
namespace {

// Names pack well, not endlessly: ids and text of a key take more than a byte in a real log. What
// a few bytes unpack to here would cost fifty times as much as entries of a table.
constexpr std::size_t kFreeNameBytes = 256 << 10;
constexpr std::size_t kMaxNameRatio = 64;

bool names_are_plausible(const FrameHeader& header, ByteSpan stored, ByteSpan payload) {
    if (payload.size() <= kFreeNameBytes ||
        (header.type != FrameType::Batch && header.type != FrameType::Checkpoint)) {
        return true;
    }
    std::size_t names = 0;
    for_each_section(payload, [&names](Section tag, ByteSpan body) {
        names += tag == Section::Keys || tag == Section::Schemas ? body.size() : 0;
    });
    return names <= kFreeNameBytes + kMaxNameRatio * stored.size();
}

}  // namespace

std::optional<ByteSpan> payload_of(const FrameHeader& header, ByteSpan stored,
                                   Decompressor& decompressor, Bytes& scratch) {
    if (!header.compressed()) {
        return stored.size() == header.payload_bytes ? std::optional(stored) : std::nullopt;
    }
    if (!decompressor.decompress(scratch, stored, header.payload_bytes)) {
        return std::nullopt;
    }
    if (!names_are_plausible(header, stored, scratch)) {
        return std::nullopt;
    }
    return ByteSpan(scratch);
}

}  // namespace taffrail::tlog
