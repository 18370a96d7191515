#include "codec/formats/tensorboard/encode.h"

#include "base/cell_text.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/mesh.h"
#include "codec/formats/tensorboard/tensor.h"
#include "codec/protobuf_wire.h"

#include <algorithm>
#include <array>

namespace taffrail::formats::tensorboard {
namespace {

std::string valid_text(std::string_view text) {
    return is_valid_utf8(text) ? std::string(text) : repair_utf8(text);
}

EncodedValue tensor_value(std::string_view tag, std::string_view plugin, DataClass data_class,
                          Bytes tensor) {
    EncodedValue value;
    value.tag = valid_text(tag);
    value.metadata.plugin = plugin;
    value.metadata.data_class = data_class;
    value.field = value::kTensor;
    value.body = std::move(tensor);
    return value;
}

template <typename T>
ByteSpan bytes_of(std::span<const T> values) noexcept {
    return {reinterpret_cast<const std::byte*>(values.data()), values.size_bytes()};
}

}  // namespace

EncodedValue encode_scalar(std::string_view tag, double value) {
    EncodedValue result;
    result.tag = valid_text(tag);
    result.metadata.plugin = kScalars;
    result.metadata.data_class = DataClass::Scalar;
    result.field = value::kSimpleValue;
    append(result.body, static_cast<float>(value));
    return result;
}

EncodedValue encode_histogram(std::string_view tag, const Histogram& histogram) {
    std::vector<double> rows;
    const std::size_t count =
        std::min(histogram.counts.size(), histogram.edges.empty() ? 0 : histogram.edges.size() - 1);
    rows.reserve(count * 3);
    for (std::size_t bin = 0; bin < count; ++bin) {
        rows.insert(rows.end(),
                    {histogram.edges[bin], histogram.edges[bin + 1], histogram.counts[bin]});
    }
    const std::array<std::int64_t, 2> dims{static_cast<std::int64_t>(count), 3};
    return tensor_value(
        tag, kHistograms, DataClass::Tensor,
        encode_tensor(TensorType::Double, dims, bytes_of(std::span<const double>(rows))));
}

EncodedValue encode_pictures(std::string_view tag, std::int64_t width, std::int64_t height,
                             std::span<const ByteSpan> encoded, std::string_view description) {
    const std::string width_text = std::to_string(width), height_text = std::to_string(height);
    std::vector<ByteSpan> elements{as_bytes(width_text), as_bytes(height_text)};
    elements.insert(elements.end(), encoded.begin(), encoded.end());
    const std::array<std::int64_t, 1> dims{static_cast<std::int64_t>(elements.size())};
    EncodedValue value =
        tensor_value(tag, kImages, DataClass::BlobSequence, encode_strings(dims, elements));
    value.metadata.description = valid_text(description);
    return value;
}

EncodedValue encode_audio(std::string_view tag, ByteSpan wav, std::string_view description) {
    const std::array<std::int64_t, 1> dims{1};
    EncodedValue value =
        tensor_value(tag, kAudio, DataClass::BlobSequence, encode_strings(dims, {&wav, 1}));
    Bytes content;
    ProtoWriter(content).varint(2, 11);  // encoding: WAV
    value.metadata.content = as_text(content);
    value.metadata.description = valid_text(description);
    return value;
}

EncodedValue encode_text(std::string_view tag, const Text& text) {
    std::string shown = valid_text(text.text);
    if (text.plain) {
        // Four spaces in front of each line make Markdown show it as it is.
        std::string indented = "    ";
        for (char letter : shown) {
            indented += letter;
            if (letter == '\n') {
                indented += "    ";
            }
        }
        shown = std::move(indented);
    }
    return tensor_value(tag, kText, DataClass::Tensor, encode_string(shown));
}

/// Names that are empty or the numbers a reader gave to nameless columns make no header.
static bool has_names(const std::vector<std::string>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].empty() && columns[i] != std::to_string(i)) {
            return true;
        }
    }
    return false;
}

EncodedValue encode_table(std::string_view tag, const Table& table) {
    std::vector<std::string> cells;
    const bool named = has_names(table.columns);
    if (named) {
        for (const std::string& column : table.columns) {
            cells.push_back("**" + valid_text(column) + "**");
        }
    }
    for (const auto& row : table.rows) {
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            cells.push_back(column < row.size() ? valid_text(cell_text(row[column]))
                                                : std::string());
        }
    }
    std::vector<ByteSpan> elements;
    elements.reserve(cells.size());
    for (const std::string& cell : cells) {
        elements.push_back(as_bytes(cell));
    }
    const auto rows = static_cast<std::int64_t>(table.rows.size());
    const std::array<std::int64_t, 2> dims{named ? rows + 1 : rows,
                                           static_cast<std::int64_t>(table.columns.size())};
    const bool list = !named && table.columns.size() == 1;
    return tensor_value(tag, kText, DataClass::Tensor,
                        encode_strings(std::span(dims).first(list ? 1 : 2), elements));
}

EncodedValue encode_pr_curve(std::string_view tag, const PrCurve& curve) {
    const std::size_t count = curve.thresholds.size();
    std::vector<float> rows;
    rows.reserve(count * 6);
    for (const auto* row : {&curve.true_positives, &curve.false_positives, &curve.true_negatives,
                            &curve.false_negatives, &curve.precision, &curve.recall}) {
        for (std::size_t i = 0; i < count; ++i) {
            rows.push_back(i < row->size() ? static_cast<float>((*row)[i]) : 0.0F);
        }
    }
    const std::array<std::int64_t, 2> dims{6, static_cast<std::int64_t>(count)};
    EncodedValue value = tensor_value(
        tag, kPrCurves, DataClass::Tensor,
        encode_tensor(TensorType::Float, dims, bytes_of(std::span<const float>(rows))));
    Bytes content;
    ProtoWriter(content).varint(2, count);
    value.metadata.content = as_text(content);
    return value;
}

EncodedValue encode_tensor_value(std::string_view tag, TensorType type,
                                 std::span<const std::int64_t> dims, ByteSpan content) {
    return tensor_value(tag, "tensor", DataClass::Tensor, encode_tensor(type, dims, content));
}

EncodedValue encode_hparams(std::string_view tag, std::string content) {
    const std::array<std::int64_t, 1> dims{0};
    EncodedValue value =
        tensor_value(tag, kHparams, DataClass::Tensor, encode_tensor(TensorType::Float, dims, {}));
    value.metadata.content = std::move(content);
    return value;
}

EncodedValue encode_layout_value(ByteSpan layout) {
    return tensor_value(kLayoutTag, kCustomScalars, DataClass::Tensor,
                        encode_strings({}, {&layout, 1}));
}

std::vector<EncodedValue> encode_mesh(std::string_view tag, const MeshSpans& mesh) {
    std::vector<EncodedValue> values;
    MeshPart part;
    part.name = valid_text(tag);
    part.json_config = valid_text(mesh.config_json);
    const auto bit = [](MeshContent content) { return 1U << static_cast<unsigned>(content); };
    part.components = bit(MeshContent::Vertex) |
                      (mesh.faces.empty() ? 0U : bit(MeshContent::Face)) |
                      (mesh.colors.empty() ? 0U : bit(MeshContent::Color));
    const auto add = [&](MeshContent content, TensorType type, std::int64_t count, ByteSpan bytes) {
        part.content = content;
        const std::array<std::int64_t, 3> dims{mesh.batch, count, 3};
        EncodedValue value = tensor_value(part.name + std::string(mesh_suffix(content)), kMesh,
                                          DataClass::Tensor, encode_tensor(type, dims, bytes));
        value.metadata.content = encode_mesh_part(part, dims);
        values.push_back(std::move(value));
    };
    add(MeshContent::Vertex, TensorType::Float, mesh.vertex_count, bytes_of(mesh.vertices));
    if (!mesh.faces.empty()) {
        add(MeshContent::Face, TensorType::Int32, mesh.face_count, bytes_of(mesh.faces));
    }
    if (!mesh.colors.empty()) {
        add(MeshContent::Color, TensorType::UInt8, mesh.vertex_count, bytes_of(mesh.colors));
    }
    return values;
}

Bytes encode_summary_value(const EncodedValue& value, bool with_metadata) {
    Bytes bytes;
    bytes.reserve(value.body.size() + value.tag.size() + 64);
    ProtoWriter writer(bytes);
    writer.text(value::kTag, value.tag);
    if (value.field == value::kSimpleValue) {
        writer.fixed32(value::kSimpleValue, load<float>(value.body.data()));
    } else if (value.field != 0) {
        writer.bytes(value.field, value.body);
    }
    if (with_metadata) {
        writer.bytes(value::kMetadata, encode_metadata(value.metadata));
    }
    return bytes;
}

Bytes encode_summary(std::span<const Bytes> values) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    for (const Bytes& value : values) {
        writer.bytes(1, value);
    }
    return bytes;
}

}  // namespace taffrail::formats::tensorboard
