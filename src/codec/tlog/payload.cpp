#include "codec/tlog/payload.h"

#include "codec/tlog/batch.h"
#include "codec/tlog/budget.h"
#include "codec/tlog/checkpoint.h"
#include "codec/tlog/sections.h"

#include <algorithm>

namespace taffrail::tlog {
namespace {

// Names pack well, not endlessly: ids and text of a key take more than a byte in a real log. What
// a few bytes unpack to here would cost fifty times as much as entries of a table.
constexpr std::size_t kFreeNameBytes = 256 << 10;
constexpr std::size_t kMaxNameRatio = 64;

/// What an entry of a list takes in memory.
std::size_t entry_bytes(Section list) noexcept {
    switch (list) {
        case Section::Keys:
            return sizeof(KeyDefinition);
        case Section::Schemas:
            return sizeof(SchemaDefinition);
        case Section::Wide:
            return sizeof(WideRows);
        case Section::Long:
            return sizeof(LongRows);
        case Section::Values:
            return sizeof(ValueRecord);
        case Section::Meta:
            return sizeof(MetaRecord);
        case Section::Console:
            return sizeof(ConsoleChunk);
        case Section::RingPositions:
            return sizeof(RingPosition);
        case Section::Gaps:
            return sizeof(Gap);
        case Section::SpoolPending:
            return sizeof(SpoolEntry);
        case Section::SpoolDone:
            return sizeof(std::uint64_t);
        case Section::SeriesState:
        case Section::SeriesInfinities:
            return sizeof(SeriesState);
        default:
            return 0;
    }
}

// Names and lists; what rows may decode to is DecodedBatch's.
bool lists_are_plausible(const FrameHeader& header, ByteSpan stored, ByteSpan payload) {
    if (payload.size() <= kFreeNameBytes ||
        (header.type != FrameType::Batch && header.type != FrameType::Checkpoint)) {
        return true;
    }
    const std::uint64_t most_bytes = sizeof(std::uint64_t) * most_cells(stored.size());
    std::size_t names = 0;
    std::uint64_t entries_bytes = 0;
    bool plausible = true;
    for_each_section(payload, [&](Section tag, ByteSpan body) {
        names += tag == Section::Keys || tag == Section::Schemas ? body.size() : 0;
        const bool alone = tag == Section::Console || tag == Section::Wide || tag == Section::Long;
        // Every entry has a byte at least, whatever the count says.
        const std::uint64_t count =
            alone ? 1 : std::min<std::uint64_t>(ByteCursor(body).varint(), body.size());
        entries_bytes += count * entry_bytes(tag);
        plausible = plausible && entries_bytes <= most_bytes;
    });
    return plausible && names <= kFreeNameBytes + kMaxNameRatio * stored.size();
}

}  // namespace

std::optional<ByteSpan> payload_of(const FrameHeader& header, ByteSpan stored,
                                   Decompressor& decompressor, Bytes& scratch) {
    if (!header.compressed()) {
        return stored.size() == header.payload_bytes ? std::optional(stored) : std::nullopt;
    }
    if (header.payload_bytes > most_payload_bytes(stored.size()) ||
        !decompressor.decompress(scratch, stored, header.payload_bytes) ||
        !lists_are_plausible(header, stored, scratch)) {
        return std::nullopt;
    }
    return ByteSpan(scratch);
}

}  // namespace taffrail::tlog
