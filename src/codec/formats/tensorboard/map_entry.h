// An entry of a protobuf map from names to messages.
#pragma once

#include "base/bytes.h"
#include "base/utf8.h"
#include "codec/protobuf_wire.h"

#include <string>

namespace taffrail::formats::tensorboard {

struct MapEntry {
    std::string name = {};
    ByteSpan message = {};
};

inline MapEntry decode_map_entry(ByteSpan bytes) {
    MapEntry entry;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            entry.name = repair_utf8(field.as_text());
        } else if (field.is(2, WireType::Length)) {
            entry.message = field.bytes;
        }
    }
    return entry;
}

}  // namespace taffrail::formats::tensorboard
