#include "codec/formats/tensorboard/event.h"

#include "codec/formats/tensorboard/framing.h"

namespace taffrail::formats::tensorboard {

bool parse_event(ByteSpan payload, EventView& view) noexcept {
    ProtoReader reader(payload);
    WireField field;
    while (reader.next(field)) {
        switch (field.number) {
            case event::kWallTime:
                if (field.type == WireType::Fixed64) {
                    view.wall_time = field.as_double();
                }
                break;
            case event::kStep:
                if (field.type == WireType::Varint) {
                    view.step = field.as_int64();
                }
                break;
            case event::kFileVersion:
            case event::kGraphDef:
            case event::kSummary:
            case event::kLogMessage:
            case event::kSessionLog:
            case event::kTaggedRunMetadata:
            case event::kMetaGraphDef:
                if (field.type == WireType::Length) {
                    view.content =
                        static_cast<EventContent>(field.number - event::kFileVersion + 1);
                    view.body = field.bytes;
                }
                break;
            default:
                break;
        }
    }
    return reader.ok();
}

bool parse_value(ByteSpan message, ValueView& view) noexcept {
    ProtoReader reader(message);
    WireField field;
    const auto take = [&](ValueContent content) {
        if (field.type == WireType::Length) {
            view.content = content;
            view.body = field.bytes;
        }
    };
    while (reader.next(field)) {
        switch (field.number) {
            case value::kTag:
                if (field.type == WireType::Length) {
                    view.tag = field.as_text();
                }
                break;
            case value::kSimpleValue:
                if (field.type == WireType::Fixed32) {
                    view.content = ValueContent::Simple;
                    view.simple = field.as_float();
                }
                break;
            case value::kImage:
                take(ValueContent::Image);
                break;
            case value::kHisto:
                take(ValueContent::Histo);
                break;
            case value::kAudio:
                take(ValueContent::Audio);
                break;
            case value::kTensor:
                take(ValueContent::Tensor);
                break;
            case value::kMetadata:
                if (field.type == WireType::Length) {
                    view.metadata = field.bytes;
                    view.has_metadata = true;
                }
                break;
            default:
                break;
        }
    }
    return reader.ok();
}

bool parse_metadata(ByteSpan message, Metadata& metadata) {
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            ProtoReader plugin(field.bytes);
            WireField inner;
            while (plugin.next(inner)) {
                if (inner.is(1, WireType::Length)) {
                    metadata.plugin = inner.as_text();
                } else if (inner.is(2, WireType::Length)) {
                    metadata.content = inner.as_text();
                }
            }
            if (!plugin.ok()) {
                return false;
            }
        } else if (field.is(2, WireType::Length)) {
            metadata.display_name = field.as_text();
        } else if (field.is(3, WireType::Length)) {
            metadata.description = field.as_text();
        } else if (field.is(4, WireType::Varint)) {
            metadata.data_class =
                field.raw <= 3 ? static_cast<DataClass>(field.raw) : DataClass::Unknown;
        }
    }
    return reader.ok();
}

bool parse_session_log(ByteSpan message, SessionLog& log) noexcept {
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            log.status =
                field.raw <= 3 ? static_cast<SessionStatus>(field.raw) : SessionStatus::Unknown;
        } else if (field.is(2, WireType::Length)) {
            log.checkpoint_path = field.as_text();
        } else if (field.is(3, WireType::Length)) {
            log.message = field.as_text();
        }
    }
    return reader.ok();
}

void append_event(Bytes& to, double wall_time, std::int64_t step, std::uint32_t content_field,
                  ByteSpan content) {
    ProtoWriter writer(to);
    writer.fixed64(event::kWallTime, wall_time);
    if (step != 0) {
        writer.signed_varint(event::kStep, step);
    }
    if (content_field != 0) {
        writer.bytes(content_field, content);
    }
}

void append_file_version_event(Bytes& to, double wall_time) {
    append_event(to, wall_time, 0, event::kFileVersion, as_bytes(kFileVersion));
}

void append_session_event(Bytes& to, double wall_time, std::int64_t step, SessionStatus status) {
    Bytes session;
    ProtoWriter(session).varint(1, static_cast<std::uint64_t>(status));
    append_event(to, wall_time, step, event::kSessionLog, session);
}

Bytes encode_metadata(const Metadata& metadata) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    if (!metadata.plugin.empty() || !metadata.content.empty()) {
        writer.message(1, [&](ProtoWriter& plugin) {
            plugin.text(1, metadata.plugin);
            if (!metadata.content.empty()) {
                plugin.text(2, metadata.content);
            }
        });
    }
    if (!metadata.display_name.empty()) {
        writer.text(2, metadata.display_name);
    }
    if (!metadata.description.empty()) {
        writer.text(3, metadata.description);
    }
    if (metadata.data_class != DataClass::Unknown) {
        writer.varint(4, static_cast<std::uint64_t>(metadata.data_class));
    }
    return bytes;
}

namespace {

std::size_t varint_size(std::uint64_t value) noexcept {
    return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

std::byte* put_varint(std::byte* at, std::uint64_t value) noexcept {
    while (value >= 0x80) {
        *at++ = static_cast<std::byte>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<std::byte>(value);
    return at;
}

std::byte* put(std::byte* at, ByteSpan bytes) noexcept {
    if (!bytes.empty()) {
        std::memcpy(at, bytes.data(), bytes.size());
    }
    return at + bytes.size();
}

template <typename T>
std::byte* put_fixed(std::byte* at, T value) noexcept {
    store_at(at, value);
    return at + sizeof value;
}

}  // namespace

// All sizes are known up front, so the record is laid down in one pass at its final place.
void append_scalar_record(Bytes& to, double wall_time, std::int64_t step, std::string_view tag,
                          float value, ByteSpan metadata) {
    const auto raw_step = static_cast<std::uint64_t>(step);
    std::size_t value_bytes = 1 + varint_size(tag.size()) + tag.size() + 5;
    if (!metadata.empty()) {
        value_bytes += 1 + varint_size(metadata.size()) + metadata.size();
    }
    const std::size_t summary_bytes = 1 + varint_size(value_bytes) + value_bytes;
    const std::size_t payload_bytes = 9 + (step != 0 ? 1 + varint_size(raw_step) : 0) + 1 +
                                      varint_size(summary_bytes) + summary_bytes;
    const std::size_t begin = to.size();
    to.resize(begin + payload_bytes + kFrameBytes);
    std::byte* const header = to.data() + begin;
    std::byte* const payload = header + kHeaderBytes;
    store_at(header, static_cast<std::uint64_t>(payload_bytes));
    store_at(header + 8, masked_crc32c({header, 8}));
    std::byte* at = payload;
    *at++ = std::byte{0x09};
    at = put_fixed(at, wall_time);
    if (step != 0) {
        *at++ = std::byte{0x10};
        at = put_varint(at, raw_step);
    }
    *at++ = std::byte{0x2A};
    at = put_varint(at, summary_bytes);
    *at++ = std::byte{0x0A};
    at = put_varint(at, value_bytes);
    *at++ = std::byte{0x0A};
    at = put_varint(at, tag.size());
    at = put(at, as_bytes(tag));
    *at++ = std::byte{0x15};
    at = put_fixed(at, value);
    if (!metadata.empty()) {
        *at++ = std::byte{0x4A};
        at = put_varint(at, metadata.size());
        at = put(at, metadata);
    }
    store_at(at, masked_crc32c({payload, payload_bytes}));
}

}  // namespace taffrail::formats::tensorboard
