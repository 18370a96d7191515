// Readers of the list sections that batches and checkpoints share.
#pragma once

#include "codec/tlog/batch.h"

namespace taffrail::tlog {

void decode_keys(ByteCursor& from, std::vector<KeyDefinition>& out);
void decode_schemas(ByteCursor& from, std::vector<SchemaDefinition>& out);
void decode_values(ByteCursor& from, std::vector<ValueRecord>& out);
void decode_meta(ByteCursor& from, std::vector<MetaRecord>& out);
void decode_ring_positions(ByteCursor& from, std::vector<RingPosition>& out);

/// A count, then that many items. The count is not trusted: items stop at the first one that does
/// not fit.
template <typename Item, typename DecodeItem>
void decode_list(ByteCursor& from, std::vector<Item>& out, DecodeItem decode_item) {
    const std::uint64_t count = from.varint();
    for (std::uint64_t i = 0; i < count && from.ok(); ++i) {
        if (from.remaining() == 0) {
            from.fail();  // every item has at least one byte
            return;
        }
        out.push_back(decode_item(from));
    }
}

}  // namespace taffrail::tlog
