#include "codec/tlog/decode_items.h"

#include <cstring>
#include <limits>

namespace taffrail::tlog {
namespace {

BlobPlace decode_blob(ByteCursor& from) {
    BlobPlace blob;
    const ByteSpan hash = from.take(32);
    if (hash.size() == 32) {
        std::memcpy(blob.ref.sha256.data(), hash.data(), 32);
    }
    blob.ref.size = from.varint();
    const auto where = from.read<std::uint8_t>();
    if (where > static_cast<std::uint8_t>(BlobPlace::Where::Store)) {
        from.fail();
    }
    blob.where = static_cast<BlobPlace::Where>(where);
    if (blob.where == BlobPlace::Where::Inline) {
        blob.bytes = from.take(blob.ref.size);
    } else if (blob.where == BlobPlace::Where::Pack) {
        blob.pack = from.varint();
        blob.offset = from.varint();
    }
    return blob;
}

ValueRecord decode_value(ByteCursor& from) {
    ValueRecord value;
    value.seq = from.varint();
    value.key = static_cast<std::uint32_t>(from.varint());
    value.kind = static_cast<Kind>(from.read<std::uint8_t>());
    value.step = from.zigzag();
    value.time_ns = from.zigzag();
    const auto presence = from.read<std::uint8_t>();
    value.epoch =
        (presence & 1) != 0 ? from.read<double>() : std::numeric_limits<double>::quiet_NaN();
    value.samples = (presence & 2) != 0 ? from.zigzag() : INT64_MIN;
    value.phase = static_cast<Phase>(from.read<std::uint8_t>());
    value.route = static_cast<std::uint32_t>(from.varint());
    value.metadata = as_bytes(from.text());
    decode_list(from, value.blobs, decode_blob);
    return value;
}

}  // namespace

void decode_keys(ByteCursor& from, std::vector<KeyDefinition>& out) {
    decode_list(from, out, [](ByteCursor& item) {
        KeyDefinition key;
        key.id = static_cast<std::uint32_t>(item.varint());
        key.kind = static_cast<Kind>(item.read<std::uint8_t>());
        key.name = item.text();
        return key;
    });
}

void decode_schemas(ByteCursor& from, std::vector<SchemaDefinition>& out) {
    decode_list(from, out, [](ByteCursor& item) {
        SchemaDefinition schema;
        schema.id = static_cast<std::uint32_t>(item.varint());
        decode_list(item, schema.keys,
                    [](ByteCursor& key) { return static_cast<std::uint32_t>(key.varint()); });
        return schema;
    });
}

void decode_values(ByteCursor& from, std::vector<ValueRecord>& out) {
    decode_list(from, out, decode_value);
}

void decode_meta(ByteCursor& from, std::vector<MetaRecord>& out) {
    decode_list(from, out, [](ByteCursor& item) {
        MetaRecord record;
        record.type = static_cast<MetaType>(item.varint());
        record.seq = item.varint();
        record.time_ns = item.zigzag();
        record.payload = as_bytes(item.text());
        return record;
    });
}

void decode_ring_positions(ByteCursor& from, std::vector<RingPosition>& out) {
    decode_list(from, out, [](ByteCursor& item) {
        RingPosition place;
        place.ring = static_cast<std::uint32_t>(item.varint());
        place.position = item.read<std::uint64_t>();
        return place;
    });
}

}  // namespace taffrail::tlog
