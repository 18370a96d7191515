// GraphDef, both ways: nodes, inputs, devices, output shapes and simple attributes.
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/encode.h"
#include "codec/formats/tensorboard/map_entry.h"
#include "codec/protobuf_wire.h"

#include <charconv>

namespace taffrail::formats::tensorboard {
namespace {

constexpr std::string_view kOutputShapes = "_output_shapes";
constexpr std::string_view kParameters = "parameters";

std::vector<std::int64_t> decode_shape(ByteSpan message) {
    std::vector<std::int64_t> extents;
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(2, WireType::Length) && extents.size() < 254) {
            std::int64_t size = 0;
            ProtoReader dim(field.bytes);
            WireField part;
            while (dim.next(part)) {
                size = part.is(1, WireType::Varint) ? part.as_int64() : size;
            }
            extents.push_back(size);
        }
    }
    return extents;
}

Bytes encode_shape(std::span<const std::int64_t> extents) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    for (std::int64_t extent : extents) {
        writer.message(2, [&](ProtoWriter& dim) { dim.signed_varint(1, extent); });
    }
    return bytes;
}

void decode_attribute(std::string name, ByteSpan message, GraphNode& node) {
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length) && name == kOutputShapes) {
            ProtoReader list(field.bytes);
            WireField element;
            while (list.next(element)) {
                if (element.is(7, WireType::Length) && node.output_shape.empty()) {
                    node.output_shape = decode_shape(element.bytes);
                }
            }
        } else if (field.is(2, WireType::Length)) {
            node.attributes.emplace_back(name, repair_utf8(field.as_text()));
        } else if (field.is(3, WireType::Varint)) {
            if (name == kParameters) {
                node.parameters = field.as_int64();
            } else {
                node.attributes.emplace_back(name, field.as_int64());
            }
        } else if (field.is(4, WireType::Fixed32)) {
            node.attributes.emplace_back(name, static_cast<double>(field.as_float()));
        } else if (field.is(5, WireType::Varint)) {
            node.attributes.emplace_back(name, field.raw != 0);
        }
    }
}

GraphNode decode_node(ByteSpan message, bool& ok) {
    GraphNode node;
    ProtoReader reader(message);
    WireField field;
    while (reader.next(field)) {
        if (field.type != WireType::Length) {
            continue;
        }
        switch (field.number) {
            case 1:
                node.name = repair_utf8(field.as_text());
                break;
            case 2:
                node.op = repair_utf8(field.as_text());
                break;
            case 3:
                node.inputs.push_back(repair_utf8(field.as_text()));
                break;
            case 4:
                node.device = repair_utf8(field.as_text());
                break;
            case 5: {
                MapEntry entry = decode_map_entry(field.bytes);
                decode_attribute(std::move(entry.name), entry.message, node);
                break;
            }
            default:
                break;
        }
    }
    ok &= reader.ok();
    return node;
}

template <typename Body>
void write_attribute(ProtoWriter& node, std::string_view name, Body&& body) {
    node.message(5, [&](ProtoWriter& entry) {
        entry.text(1, name);
        entry.message(2, body);
    });
}

void write_node(ProtoWriter& to, const GraphNode& node) {
    to.text(1, node.name);
    to.text(2, node.op);
    for (const std::string& input : node.inputs) {
        to.text(3, input);
    }
    if (!node.device.empty()) {
        to.text(4, node.device);
    }
    if (!node.output_shape.empty()) {
        write_attribute(to, kOutputShapes, [&](ProtoWriter& attribute) {
            attribute.message(
                1, [&](ProtoWriter& list) { list.bytes(7, encode_shape(node.output_shape)); });
        });
    }
    if (node.parameters != 0) {
        write_attribute(to, kParameters, [&](ProtoWriter& attribute) {
            attribute.signed_varint(3, node.parameters);
        });
    }
    for (const auto& [name, cell] : node.attributes) {
        write_attribute(to, name, [&](ProtoWriter& attribute) {
            if (const auto* truth = std::get_if<bool>(&cell)) {
                attribute.boolean(5, *truth);
            } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
                attribute.signed_varint(3, *whole);
            } else if (const auto* number = std::get_if<double>(&cell)) {
                attribute.fixed32(4, static_cast<float>(*number));
            } else if (const auto* text = std::get_if<std::string>(&cell)) {
                attribute.text(2, *text);
            }
        });
    }
}

}  // namespace

std::optional<Graph> decode_graph(ByteSpan graph_def) {
    Graph graph;
    bool ok = true;
    ProtoReader reader(graph_def);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            graph.nodes.push_back(decode_node(field.bytes, ok));
        }
    }
    return ok && reader.ok() ? std::optional(std::move(graph)) : std::nullopt;
}

Bytes encode_graph(const Graph& graph) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    for (const GraphNode& node : graph.nodes) {
        writer.message(1, [&](ProtoWriter& to) { write_node(to, node); });
    }
    writer.message(4, [](ProtoWriter& versions) { versions.varint(1, 22); });
    return bytes;
}

}  // namespace taffrail::formats::tensorboard
