// Fields of messages in protobuf's wire format, the lengths around a change kept right.
#include "codec/protobuf_wire.h"
#include "mutate_parts.h"

#include <algorithm>
#include <span>

namespace taffrail::fuzzing {
namespace {

struct Field {
    std::uint64_t key = 0, number = 0;
    Bytes bytes;

    [[nodiscard]] WireType type() const { return static_cast<WireType>(key & 7); }
};

/// Nothing for bytes that are no message.
std::vector<Field> fields_of(ByteSpan message) {
    std::vector<Field> fields;
    ByteCursor from(message);
    while (from.remaining() > 0 && from.ok() && fields.size() < 10000) {
        Field field;
        field.key = from.varint();
        ByteSpan taken;
        switch (field.type()) {
            case WireType::Varint:
                field.number = from.varint();
                break;
            case WireType::Fixed64:
                taken = from.take(8);
                break;
            case WireType::Fixed32:
                taken = from.take(4);
                break;
            case WireType::Length:
                taken = from.take(from.varint());
                break;
            default:
                return {};
        }
        field.bytes.assign(taken.begin(), taken.end());
        fields.push_back(std::move(field));
    }
    return from.ok() ? fields : std::vector<Field>();
}

Bytes message_of(const std::vector<Field>& fields) {
    Bytes message;
    for (const Field& field : fields) {
        append_varint(message, field.key);
        if (field.type() == WireType::Varint) {
            append_varint(message, field.number);
            continue;
        }
        if (field.type() == WireType::Length) {
            append_varint(message, field.bytes.size());
        }
        append(message, field.bytes);
    }
    return message;
}

void mutate_field(Field& field, Chance& chance, unsigned depth) {
    if (field.type() == WireType::Varint) {
        chance.number(field.number);
    } else if (field.type() == WireType::Length) {
        if (depth < 8 && !chance.one_in(4) && !fields_of(field.bytes).empty()) {
            mutate_message(field.bytes, chance, depth + 1);
        } else {
            chance.bytes(field.bytes);
        }
    } else {
        const std::size_t size = field.bytes.size();
        chance.bytes(field.bytes);
        field.bytes.resize(size);
    }
}

}  // namespace

void mutate_message(Bytes& message, Chance& chance, unsigned depth) {
    std::vector<Field> fields = fields_of(message);
    if (fields.empty() || chance.one_in(12)) {
        chance.bytes(message);
        return;
    }
    switch (chance.below(10)) {
        case 0:
            fields.push_back(chance.pick(fields));
            break;
        case 1:
            fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(chance.below(fields.size())));
            break;
        case 2:
            chance.pick(fields).key = chance.below(32) << 3 | chance.below(3);
            break;
        default:
            mutate_field(chance.pick(fields), chance, depth);
    }
    message = message_of(fields);
}

void rename_blob(Bytes& message, const BlobRef& before, const BlobRef& now, unsigned depth) {
    std::vector<Field> fields = fields_of(message);
    bool is_named_here = false;
    for (Field& field : fields) {
        if (field.type() != WireType::Length) {
            continue;
        }
        if (std::ranges::equal(field.bytes, std::as_bytes(std::span(before.sha256)))) {
            const auto name = std::as_bytes(std::span(now.sha256));
            field.bytes.assign(name.begin(), name.end());
            is_named_here = true;
        } else if (depth < 8) {
            rename_blob(field.bytes, before, now, depth + 1);
        }
    }
    for (Field& field : fields) {
        if (is_named_here && field.type() == WireType::Varint && field.number == before.size) {
            field.number = now.size;
        }
    }
    if (!fields.empty()) {
        message = message_of(fields);
    }
}

}  // namespace taffrail::fuzzing
