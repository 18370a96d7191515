// The template part of event.h.
#pragma once

#include "codec/protobuf_wire.h"

namespace taffrail::formats::tensorboard {

template <typename Visit>
bool for_each_value(ByteSpan summary, Visit&& visit) {
    ProtoReader reader(summary);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            ValueView value;
            if (!parse_value(field.bytes, value)) {
                return false;
            }
            visit(static_cast<const ValueView&>(value), field.bytes);
        }
    }
    return reader.ok();
}

}  // namespace taffrail::formats::tensorboard
