// Tagged sections: tag (1 byte), varint length, bytes. Everything inside a frame's payload is one
// of these.
#pragma once

#include "base/bytes.h"

#include <cstdint>

namespace taffrail::tlog {

enum class Section : std::uint8_t {
    // File header
    Identity = 1,
    // Batch, and Checkpoint where it repeats them
    Keys = 1,
    Schemas = 2,
    Wide = 3,
    Long = 4,
    Values = 5,
    Meta = 6,
    Console = 7,
    RingPositions = 8,
    Gaps = 9,
    SpoolPending = 10,
    SpoolDone = 11,
    // Checkpoint
    SeriesState = 32,
    Heartbeat = 33,
    CheckpointIdentity = 35,
    SeriesInfinities = 36,
    // End
    End = 34,
    // Manifest
    SealedFiles = 64,
    Watermarks = 65,
    Profiles = 66,
};

inline void append_section(Bytes& to, Section tag, ByteSpan body) {
    to.push_back(static_cast<std::byte>(tag));
    append_varint(to, body.size());
    append(to, body);
}

/// Calls visit(Section, ByteSpan) for each section; false when the bytes do not divide into
/// sections.
template <typename Visit>
bool for_each_section(ByteSpan payload, Visit&& visit) {
    ByteCursor cursor(payload);
    while (cursor.remaining() > 0) {
        const auto tag = cursor.read<Section>();
        const ByteSpan body = cursor.take(cursor.varint());
        if (!cursor.ok()) {
            return false;
        }
        visit(tag, body);
    }
    return true;
}

}  // namespace taffrail::tlog
