#include "codec/formats/tensorboard/mesh.h"

#include "base/utf8.h"
#include "codec/protobuf_wire.h"

namespace taffrail::formats::tensorboard {

std::string_view mesh_suffix(MeshContent content) noexcept {
    switch (content) {
        case MeshContent::Face:
            return "_FACE";
        case MeshContent::Color:
            return "_COLOR";
        default:
            return "_VERTEX";
    }
}

std::optional<MeshPart> decode_mesh_part(ByteSpan plugin_content) {
    MeshPart part;
    ProtoReader reader(plugin_content);
    WireField field;
    bool known = false;
    while (reader.next(field)) {
        if (field.is(2, WireType::Length)) {
            part.name = repair_utf8(field.as_text());
        } else if (field.is(3, WireType::Varint)) {
            known = field.raw >= 1 && field.raw <= 3;
            part.content = known ? static_cast<MeshContent>(field.raw) : MeshContent::Vertex;
        } else if (field.is(5, WireType::Length)) {
            part.json_config = repair_utf8(field.as_text());
        } else if (field.is(7, WireType::Varint)) {
            part.components = static_cast<std::uint32_t>(field.raw);
        }
    }
    return reader.ok() && known ? std::optional(std::move(part)) : std::nullopt;
}

std::string encode_mesh_part(const MeshPart& part, std::span<const std::int64_t> shape) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.text(2, part.name);
    writer.varint(3, static_cast<std::uint64_t>(part.content));
    writer.text(
        5, part.json_config.empty() ? std::string_view("{}") : std::string_view(part.json_config));
    Bytes packed;
    for (std::int64_t extent : shape) {
        append_varint(packed, static_cast<std::uint64_t>(extent));
    }
    writer.bytes(6, packed);
    writer.varint(7, part.components);
    return std::string(as_text(bytes));
}

}  // namespace taffrail::formats::tensorboard
