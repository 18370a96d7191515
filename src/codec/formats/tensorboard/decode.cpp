#include "codec/formats/tensorboard/decode.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/hparams.h"
#include "codec/formats/tensorboard/layout.h"
#include "codec/formats/tensorboard/media.h"
#include "codec/formats/tensorboard/tensor.h"
#include "codec/protobuf_wire.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffrail::formats::tensorboard {
namespace {

std::optional<Histogram> decode_histogram_rows(ByteSpan message) {
    TensorMessage tensor;
    if (!parse_tensor(message, tensor) || tensor.dims.size() != 2 || tensor.dims[1] != 3) {
        return std::nullopt;
    }
    const auto rows = tensor_numbers(tensor);
    if (!rows) {
        return std::nullopt;
    }
    Histogram histogram;
    const std::size_t count = rows->size() / 3;
    for (std::size_t row = 0; row < count; ++row) {
        if (row == 0) {
            histogram.edges.push_back((*rows)[0]);
        }
        histogram.edges.push_back((*rows)[row * 3 + 1]);
        histogram.counts.push_back((*rows)[row * 3 + 2]);
    }
    if (count > 0) {
        histogram.min = histogram.edges.front();
        histogram.max = histogram.edges.back();
    }
    return histogram;
}

std::optional<Histogram> decode_legacy_histogram(ByteSpan message) {
    Histogram histogram;
    std::vector<double> limits, counts;
    ProtoReader reader(message);
    WireField field;
    bool whole = true;
    while (reader.next(field)) {
        switch (field.number) {
            case 1:
                histogram.min = field.as_double();
                break;
            case 2:
                histogram.max = field.as_double();
                break;
            case 4:
                histogram.sum = field.as_double();
                break;
            case 5:
                histogram.sum_squares = field.as_double();
                break;
            case 6:
            case 7: {
                std::vector<double>& to = field.number == 6 ? limits : counts;
                whole &= for_each_number(field, WireType::Fixed64, [&](std::uint64_t raw) {
                    to.push_back(std::bit_cast<double>(raw));
                });
                break;
            }
            default:
                break;
        }
    }
    if (!reader.ok() || !whole || limits.size() != counts.size()) {
        return std::nullopt;
    }
    // Empty outer buckets only widen the picture; the outer edges of the rest are the true
    // extremes.
    std::size_t first = 0, last = counts.size();
    while (first < last && !(counts[first] > 0)) {
        ++first;
    }
    while (last > first && !(counts[last - 1] > 0)) {
        --last;
    }
    for (std::size_t i = first; i < last; ++i) {
        if (i == first) {
            histogram.edges.push_back(histogram.min);
        }
        histogram.edges.push_back(i + 1 == last ? histogram.max : limits[i]);
        histogram.counts.push_back(counts[i]);
    }
    return histogram;
}

std::string text_of(ByteSpan bytes) {
    const std::string_view text = as_text(bytes);
    return is_valid_utf8(text) ? std::string(text) : repair_utf8(text);
}

/// A first row all in bold holds the names of the columns: so tables are written.
void take_header(Table& table) {
    std::vector<std::string> names;
    for (const Cell& cell : table.rows.empty() ? std::vector<Cell>() : table.rows.front()) {
        const std::string_view text = std::get<std::string>(cell);
        if (text.size() < 4 || !text.starts_with("**") || !text.ends_with("**")) {
            return;
        }
        names.emplace_back(text.substr(2, text.size() - 4));
    }
    if (!names.empty() && table.rows.size() > 1) {
        table.columns = std::move(names);
        table.rows.erase(table.rows.begin());
    }
}

std::optional<Value> decode_text(ByteSpan message) {
    TensorMessage tensor;
    if (!parse_tensor(message, tensor)) {
        return std::nullopt;
    }
    const auto strings = tensor_strings(tensor);
    if (tensor.elements() == 1) {
        return Text{.text = strings.empty() ? std::string() : text_of(strings.front()),
                    .plain = false};
    }
    // Higher ranks are cut to their first two-dimensional slice, as TensorBoard shows them.
    const std::size_t rank = tensor.dims.size();
    const auto columns =
        static_cast<std::size_t>(rank == 1 ? 1 : std::max<std::int64_t>(tensor.dims[rank - 1], 0));
    const auto rows =
        static_cast<std::size_t>(std::max<std::int64_t>(tensor.dims[rank == 1 ? 0 : rank - 2], 0));
    Table table;
    if (columns == 0 || columns > strings.size()) {
        return table;
    }
    table.columns.reserve(columns);
    for (std::size_t column = 0; column < columns; ++column) {
        table.columns.push_back(std::to_string(column));
    }
    for (std::size_t row = 0; row < rows && (row + 1) * columns <= strings.size(); ++row) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (std::size_t column = 0; column < columns; ++column) {
            cells.emplace_back(text_of(strings[row * columns + column]));
        }
    }
    take_header(table);
    return table;
}

std::optional<Value> decode_pr_curve(ByteSpan message) {
    TensorMessage tensor;
    if (!parse_tensor(message, tensor) || tensor.dims.size() != 2 || tensor.dims[0] != 6 ||
        tensor.dims[1] < 1) {
        return std::nullopt;
    }
    const auto numbers = tensor_numbers(tensor);
    if (!numbers) {
        return std::nullopt;
    }
    const auto count = static_cast<std::size_t>(tensor.dims[1]);
    const auto row = [&](std::size_t index) {
        const auto begin = numbers->begin() + static_cast<std::ptrdiff_t>(index * count);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    PrCurve curve;
    curve.true_positives = row(0);
    curve.false_positives = row(1);
    curve.true_negatives = row(2);
    curve.false_negatives = row(3);
    curve.precision = row(4);
    curve.recall = row(5);
    for (std::size_t i = 0; i < count; ++i) {
        curve.thresholds.push_back(
            count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1));
    }
    return curve;
}

std::optional<Value> decode_tensor(ByteSpan message, const BlobMaker& blobs) {
    TensorMessage tensor;
    if (!parse_tensor(message, tensor)) {
        return std::nullopt;
    }
    if (tensor.type == TensorType::String) {
        return decode_text(message);
    }
    const auto dtype = dtype_of(tensor.type);
    Shape shape{std::span<const std::int64_t>(tensor.dims)};
    if (!dtype || !shape.valid()) {
        return std::nullopt;
    }
    Tensor value{.dtype = *dtype, .shape = shape, .data = {}};
    if (!tensor.content.empty()) {
        value.data = blobs(tensor.content);
    } else {
        const auto bytes = tensor_bytes(tensor);
        if (!bytes) {
            return std::nullopt;
        }
        // Listed elements have no contiguous place of their own to point at.
        value.data = loaded_blob(*bytes);
    }
    return value;
}

}  // namespace

Blob loaded_blob(ByteSpan bytes) {
    Blob blob;
    blob.ref.sha256 = sha256(bytes);
    blob.ref.size = bytes.size();
    blob.bytes = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
    return blob;
}

std::optional<Kind> kind_of_plugin(std::string_view plugin) noexcept {
    if (plugin == kImages) {
        return Kind::Image;
    }
    if (plugin == kAudio) {
        return Kind::Audio;
    }
    if (plugin == kHistograms) {
        return Kind::Histogram;
    }
    if (plugin == kHparams) {
        return Kind::Hparams;
    }
    if (plugin == kMesh) {
        return Kind::Mesh;
    }
    if (plugin == kCustomScalars) {
        return Kind::Text;
    }
    return plugin == kPrCurves ? std::optional(Kind::PrCurve) : std::nullopt;
}

std::optional<Kind> classify(std::string_view plugin, const ValueView& value) {
    switch (value.content) {
        case ValueContent::Simple:
            return Kind::Scalar;
        case ValueContent::Image:
            return is_gif(legacy_image_bytes(value.body)) ? Kind::Video : Kind::Image;
        case ValueContent::Histo:
            return Kind::Histogram;
        case ValueContent::Audio:
            return Kind::Audio;
        case ValueContent::None:
            return plugin == kHparams ? std::optional(Kind::Hparams) : std::nullopt;
        case ValueContent::Tensor:
            break;
    }
    if (plugin == kScalars) {
        return Kind::Scalar;
    }
    if (const auto kind = kind_of_plugin(plugin)) {
        return kind == Kind::Image && is_gif(first_tensor_image(value.body)) ? Kind::Video : *kind;
    }
    TensorMessage tensor;
    if (!parse_tensor(value.body, tensor)) {
        return std::nullopt;
    }
    if (tensor.type == TensorType::String) {
        return tensor.elements() == 1 ? Kind::Text
                                      : Kind::Table;  // most writers put text into a list of one
    }
    // A number that forgot to say what it is shows as a number: hiding it helps nobody.
    return plugin.empty() && tensor_scalar(value.body) ? Kind::Scalar : Kind::Tensor;
}

std::optional<Value> decode_value(Kind kind, std::string_view plugin,
                                  std::string_view plugin_content, const ValueView& value,
                                  const BlobMaker& blobs) {
    switch (kind) {
        case Kind::Scalar: {
            if (value.content == ValueContent::Simple) {
                return static_cast<double>(value.simple);
            }
            const auto scalar = tensor_scalar(value.body);
            return scalar ? std::optional<Value>(scalar->value) : std::nullopt;
        }
        case Kind::Histogram: {
            const auto histogram = value.content == ValueContent::Histo
                                       ? decode_legacy_histogram(value.body)
                                       : decode_histogram_rows(value.body);
            return histogram ? std::optional<Value>(*histogram) : std::nullopt;
        }
        case Kind::Image:
        case Kind::Video:
            return decode_pictures(kind, value, blobs);
        case Kind::Audio:
            return decode_audio(value, blobs);
        case Kind::Text:
        case Kind::Table:
            if (plugin == kCustomScalars) {
                return Text{.text = layout_to_text(value.body), .plain = true};
            }
            return decode_text(value.body);
        case Kind::PrCurve:
            return decode_pr_curve(value.body);
        case Kind::Hparams: {
            const auto session = decode_hparams(as_bytes(plugin_content));
            return session ? std::optional<Value>(session->hparams) : std::nullopt;
        }
        case Kind::Tensor:
        case Kind::Mesh:
            return decode_tensor(value.body, blobs);
        default:
            return std::nullopt;
    }
}

}  // namespace taffrail::formats::tensorboard
