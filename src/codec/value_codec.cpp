#include "codec/value_codec.h"

#include "codec/wire_fields.h"

#include <algorithm>
#include <string>

namespace taffrail {
namespace {

FieldWriter message_of(const BlobRef& ref) {
    FieldWriter out;
    out.always_text(1, {reinterpret_cast<const char*>(ref.sha256.data()), ref.sha256.size()});
    out.number(2, ref.size);
    return out;
}

bool is_present(const Blob& blob) {
    return blob.ref.size != 0 || blob.bytes != nullptr;
}

void put_blob(FieldWriter& out, unsigned field, const Blob& blob) {
    if (is_present(blob)) {
        out.message(field, message_of(blob.ref));
    }
}

Blob blob_of(ByteSpan bytes) {
    Blob blob;
    FieldReader in(bytes);
    while (in.next()) {
        if (in.field() == 1) {
            std::copy_n(in.text().begin(), std::min(in.text().size(), blob.ref.sha256.size()),
                        blob.ref.sha256.begin());
        } else if (in.field() == 2) {
            blob.ref.size = in.number();
        }
    }
    return blob;
}

FieldWriter message_of(const Cell& cell) {
    FieldWriter out;
    if (const auto* truth = std::get_if<bool>(&cell)) {
        out.always_number(1, *truth ? 1 : 0);
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        out.signed_number(2, *whole);
    } else if (const auto* number = std::get_if<double>(&cell)) {
        out.always_real(3, *number);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        out.always_text(4, *text);
    }
    return out;
}

Cell cell_of(ByteSpan bytes) {
    FieldReader in(bytes);
    Cell cell;
    while (in.next()) {
        switch (in.field()) {
            case 1:
                cell = in.number() != 0;
                break;
            case 2:
                cell = in.signed_number();
                break;
            case 3:
                cell = in.real();
                break;
            case 4:
                cell = std::string(in.text());
                break;
            default:
                break;
        }
    }
    return cell;
}

using NamedCell = std::pair<std::string, Cell>;

void put_named(FieldWriter& out, unsigned field, const std::vector<NamedCell>& cells) {
    for (const auto& [name, cell] : cells) {
        FieldWriter member;
        member.text(1, name);
        member.message(2, message_of(cell));
        out.message(field, member);
    }
}

NamedCell named_of(ByteSpan bytes) {
    FieldReader in(bytes);
    NamedCell named;
    while (in.next()) {
        if (in.field() == 1) {
            named.first = in.text();
        } else if (in.field() == 2) {
            named.second = cell_of(in.bytes());
        }
    }
    return named;
}

// One write() and one read() per alternative: field numbers are the format, so they stand side by
// side.

void write(FieldWriter& out, const double& value) {
    out.always_real(1, value);
}

void read(FieldReader& in, double& value) {
    if (in.field() == 1) {
        value = in.real();
    }
}

void write(FieldWriter& out, const Histogram& value) {
    out.reals(1, value.edges);
    out.reals(2, value.counts);
    out.number(3, value.nan_count);
    out.number(4, value.positive_infinity_count);
    out.number(5, value.negative_infinity_count);
    out.real(6, value.min);
    out.real(7, value.max);
    out.real(8, value.sum);
    out.real(9, value.sum_squares);
}

void read(FieldReader& in, Histogram& value) {
    switch (in.field()) {
        case 1:
            value.edges = in.reals();
            break;
        case 2:
            value.counts = in.reals();
            break;
        case 3:
            value.nan_count = in.number();
            break;
        case 4:
            value.positive_infinity_count = in.number();
            break;
        case 5:
            value.negative_infinity_count = in.number();
            break;
        case 6:
            value.min = in.real();
            break;
        case 7:
            value.max = in.real();
            break;
        case 8:
            value.sum = in.real();
            break;
        case 9:
            value.sum_squares = in.real();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Image& value) {
    out.text(1, value.format);
    out.number(2, static_cast<std::uint64_t>(value.dtype));
    out.signed_number(3, value.width);
    out.signed_number(4, value.height);
    out.signed_number(5, value.channels);
    for (const Blob& image : value.images) {
        out.message(6, message_of(image.ref));
    }
    for (const std::string& caption : value.captions) {
        out.always_text(7, caption);
    }
}

void read(FieldReader& in, Image& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.dtype = static_cast<DType>(in.number());
            break;
        case 3:
            value.width = in.signed_number();
            break;
        case 4:
            value.height = in.signed_number();
            break;
        case 5:
            value.channels = static_cast<int>(in.signed_number());
            break;
        case 6:
            value.images.push_back(blob_of(in.bytes()));
            break;
        case 7:
            value.captions.emplace_back(in.text());
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Audio& value) {
    out.text(1, value.format);
    out.signed_number(2, value.sample_rate);
    out.signed_number(3, value.channels);
    out.signed_number(4, value.frames);
    put_blob(out, 5, value.data);
    out.text(6, value.caption);
}

void read(FieldReader& in, Audio& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.sample_rate = static_cast<int>(in.signed_number());
            break;
        case 3:
            value.channels = static_cast<int>(in.signed_number());
            break;
        case 4:
            value.frames = in.signed_number();
            break;
        case 5:
            value.data = blob_of(in.bytes());
            break;
        case 6:
            value.caption = in.text();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Video& value) {
    out.text(1, value.format);
    out.signed_number(2, value.width);
    out.signed_number(3, value.height);
    out.signed_number(4, value.frames);
    out.signed_number(5, value.channels);
    out.real(6, value.frames_per_second);
    put_blob(out, 7, value.data);
    out.text(8, value.caption);
}

void read(FieldReader& in, Video& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.width = in.signed_number();
            break;
        case 3:
            value.height = in.signed_number();
            break;
        case 4:
            value.frames = in.signed_number();
            break;
        case 5:
            value.channels = static_cast<int>(in.signed_number());
            break;
        case 6:
            value.frames_per_second = in.real();
            break;
        case 7:
            value.data = blob_of(in.bytes());
            break;
        case 8:
            value.caption = in.text();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Mesh& value) {
    out.text(1, value.format);
    out.signed_number(2, value.vertices);
    out.signed_number(3, value.faces);
    out.number(4, value.has_colors ? 1 : 0);
    out.number(5, value.has_normals ? 1 : 0);
    out.text(6, value.config_json);
    put_blob(out, 7, value.data);
}

void read(FieldReader& in, Mesh& value) {
    switch (in.field()) {
        case 1:
            value.format = in.text();
            break;
        case 2:
            value.vertices = in.signed_number();
            break;
        case 3:
            value.faces = in.signed_number();
            break;
        case 4:
            value.has_colors = in.number() != 0;
            break;
        case 5:
            value.has_normals = in.number() != 0;
            break;
        case 6:
            value.config_json = in.text();
            break;
        case 7:
            value.data = blob_of(in.bytes());
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Text& value) {
    out.text(1, value.text);
    out.number(2, value.plain ? 1 : 0);
}

void read(FieldReader& in, Text& value) {
    switch (in.field()) {
        case 1:
            value.text = in.text();
            break;
        case 2:
            value.plain = in.number() != 0;
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Table& value) {
    for (const std::string& column : value.columns) {
        out.always_text(1, column);
    }
    for (const auto& row : value.rows) {
        FieldWriter cells;
        for (const Cell& cell : row) {
            cells.message(1, message_of(cell));
        }
        out.message(2, cells);
    }
}

void read(FieldReader& in, Table& value) {
    if (in.field() == 1) {
        value.columns.emplace_back(in.text());
    } else if (in.field() == 2) {
        FieldReader cells(in.bytes());
        auto& row = value.rows.emplace_back();
        while (cells.next()) {
            if (cells.field() == 1) {
                row.push_back(cell_of(cells.bytes()));
            }
        }
    }
}

void write(FieldWriter& out, const Figure& value) {
    out.text(1, value.plotly_json);
    out.text(2, value.picture_format);
    put_blob(out, 3, value.picture);
}

void read(FieldReader& in, Figure& value) {
    switch (in.field()) {
        case 1:
            value.plotly_json = in.text();
            break;
        case 2:
            value.picture_format = in.text();
            break;
        case 3:
            value.picture = blob_of(in.bytes());
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Graph& value) {
    for (const GraphNode& node : value.nodes) {
        FieldWriter inner;
        inner.text(1, node.name);
        inner.text(2, node.op);
        for (const std::string& input : node.inputs) {
            inner.always_text(3, input);
        }
        for (std::int64_t extent : node.output_shape) {
            inner.signed_number(4, extent);
        }
        inner.signed_number(5, node.parameters);
        inner.text(6, node.device);
        put_named(inner, 7, node.attributes);
        out.message(1, inner);
    }
}

void read(FieldReader& in, Graph& value) {
    if (in.field() != 1) {
        return;
    }
    GraphNode& node = value.nodes.emplace_back();
    FieldReader inner(in.bytes());
    while (inner.next()) {
        switch (inner.field()) {
            case 1:
                node.name = inner.text();
                break;
            case 2:
                node.op = inner.text();
                break;
            case 3:
                node.inputs.emplace_back(inner.text());
                break;
            case 4:
                node.output_shape.push_back(inner.signed_number());
                break;
            case 5:
                node.parameters = inner.signed_number();
                break;
            case 6:
                node.device = inner.text();
                break;
            case 7:
                node.attributes.push_back(named_of(inner.bytes()));
                break;
            default:
                break;
        }
    }
}

void write(FieldWriter& out, const PrCurve& value) {
    out.reals(1, value.thresholds);
    out.reals(2, value.true_positives);
    out.reals(3, value.false_positives);
    out.reals(4, value.true_negatives);
    out.reals(5, value.false_negatives);
    out.reals(6, value.precision);
    out.reals(7, value.recall);
}

void read(FieldReader& in, PrCurve& value) {
    switch (in.field()) {
        case 1:
            value.thresholds = in.reals();
            break;
        case 2:
            value.true_positives = in.reals();
            break;
        case 3:
            value.false_positives = in.reals();
            break;
        case 4:
            value.true_negatives = in.reals();
            break;
        case 5:
            value.false_negatives = in.reals();
            break;
        case 6:
            value.precision = in.reals();
            break;
        case 7:
            value.recall = in.reals();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Embedding& value) {
    out.signed_number(1, value.count);
    out.signed_number(2, value.dimensions);
    put_blob(out, 3, value.vectors);
    if (!value.metadata.columns.empty()) {
        FieldWriter table;
        write(table, value.metadata);
        out.message(4, table);
    }
    put_blob(out, 5, value.sprite);
    out.signed_number(6, value.thumbnail_width);
    out.signed_number(7, value.thumbnail_height);
}

void read(FieldReader& in, Embedding& value) {
    switch (in.field()) {
        case 1:
            value.count = in.signed_number();
            break;
        case 2:
            value.dimensions = in.signed_number();
            break;
        case 3:
            value.vectors = blob_of(in.bytes());
            break;
        case 4: {
            FieldReader table(in.bytes());
            while (table.next()) {
                read(table, value.metadata);
            }
            break;
        }
        case 5:
            value.sprite = blob_of(in.bytes());
            break;
        case 6:
            value.thumbnail_width = in.signed_number();
            break;
        case 7:
            value.thumbnail_height = in.signed_number();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Hparams& value) {
    put_named(out, 1, value);
}

void read(FieldReader& in, Hparams& value) {
    if (in.field() == 1) {
        value.push_back(named_of(in.bytes()));
    }
}

void write(FieldWriter& out, const Artifact& value) {
    out.text(1, value.name);
    out.text(2, value.type);
    out.text(3, value.version);
    for (const ArtifactFile& file : value.files) {
        FieldWriter inner;
        inner.text(1, file.path);
        inner.message(2, message_of(file.data.ref));
        out.message(4, inner);
    }
    put_named(out, 5, value.metadata);
}

void read(FieldReader& in, Artifact& value) {
    switch (in.field()) {
        case 1:
            value.name = in.text();
            break;
        case 2:
            value.type = in.text();
            break;
        case 3:
            value.version = in.text();
            break;
        case 4: {
            ArtifactFile& file = value.files.emplace_back();
            FieldReader inner(in.bytes());
            while (inner.next()) {
                if (inner.field() == 1) {
                    file.path = inner.text();
                } else if (inner.field() == 2) {
                    file.data = blob_of(inner.bytes());
                }
            }
            break;
        }
        case 5:
            value.metadata.push_back(named_of(in.bytes()));
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Alert& value) {
    out.number(1, static_cast<std::uint64_t>(value.level));
    out.text(2, value.title);
    out.text(3, value.text);
}

void read(FieldReader& in, Alert& value) {
    switch (in.field()) {
        case 1:
            value.level = static_cast<AlertLevel>(std::min<std::uint64_t>(in.number(), 2));
            break;
        case 2:
            value.title = in.text();
            break;
        case 3:
            value.text = in.text();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Note& value) {
    out.text(1, value.text);
}

void read(FieldReader& in, Note& value) {
    if (in.field() == 1) {
        value.text = in.text();
    }
}

void write(FieldWriter& out, const Tag& value) {
    out.text(1, value.tag);
    out.number(2, value.removed ? 1 : 0);
}

void read(FieldReader& in, Tag& value) {
    if (in.field() == 1) {
        value.tag = in.text();
    } else if (in.field() == 2) {
        value.removed = in.number() != 0;
    }
}

void write(FieldWriter& out, const Tensor& value) {
    out.number(1, static_cast<std::uint64_t>(value.dtype));
    for (std::int64_t extent : value.shape.extents()) {
        out.signed_number(2, extent);
    }
    put_blob(out, 3, value.data);
}

void read(FieldReader& in, Tensor& value) {
    switch (in.field()) {
        case 1:
            value.dtype = static_cast<DType>(in.number());
            break;
        case 2:
            value.shape.push_back(in.signed_number());
            break;
        case 3:
            value.data = blob_of(in.bytes());
            break;
        default:
            break;
    }
}

template <typename T>
Result<Value> read_as(ByteSpan bytes) {
    T value{};
    FieldReader in(bytes);
    while (in.next()) {
        read(in, value);
    }
    if (!in.ok()) {
        return Error{ErrorCode::Corrupt, "a logged value ends in the middle of a field"};
    }
    return Value(std::move(value));
}

Result<Value> read_kind(std::uint64_t kind, ByteSpan bytes) {
    switch (static_cast<Kind>(kind)) {
        case Kind::Scalar:
            return read_as<double>(bytes);
        case Kind::Histogram:
            return read_as<Histogram>(bytes);
        case Kind::Image:
            return read_as<Image>(bytes);
        case Kind::Audio:
            return read_as<Audio>(bytes);
        case Kind::Video:
            return read_as<Video>(bytes);
        case Kind::Mesh:
            return read_as<Mesh>(bytes);
        case Kind::Text:
            return read_as<Text>(bytes);
        case Kind::Table:
            return read_as<Table>(bytes);
        case Kind::Figure:
            return read_as<Figure>(bytes);
        case Kind::Graph:
            return read_as<Graph>(bytes);
        case Kind::PrCurve:
            return read_as<PrCurve>(bytes);
        case Kind::Embedding:
            return read_as<Embedding>(bytes);
        case Kind::Hparams:
            return read_as<Hparams>(bytes);
        case Kind::Artifact:
            return read_as<Artifact>(bytes);
        case Kind::Alert:
            return read_as<Alert>(bytes);
        case Kind::Note:
            return read_as<Note>(bytes);
        case Kind::Tag:
            return read_as<Tag>(bytes);
        case Kind::Tensor:
            return read_as<Tensor>(bytes);
    }
    return Error{ErrorCode::Unsupported,
                 "a logged value of kind " + std::to_string(kind) +
                     ", which this version does not know; read it with a newer one"};
}

template <typename ValueT, typename Visit>
void visit_blobs(ValueT& value, const Visit& visit) {
    const auto one = [&](auto& blob) {
        if (is_present(blob)) {
            visit(blob);
        }
    };
    if (auto* image = std::get_if<Image>(&value)) {
        for (auto& blob : image->images) {
            one(blob);
        }
    } else if (auto* audio = std::get_if<Audio>(&value)) {
        one(audio->data);
    } else if (auto* video = std::get_if<Video>(&value)) {
        one(video->data);
    } else if (auto* mesh = std::get_if<Mesh>(&value)) {
        one(mesh->data);
    } else if (auto* figure = std::get_if<Figure>(&value)) {
        one(figure->picture);
    } else if (auto* embedding = std::get_if<Embedding>(&value)) {
        one(embedding->vectors);
        one(embedding->sprite);
    } else if (auto* artifact = std::get_if<Artifact>(&value)) {
        for (auto& file : artifact->files) {
            one(file.data);
        }
    } else if (auto* tensor = std::get_if<Tensor>(&value)) {
        one(tensor->data);
    }
}

}  // namespace

Bytes encode_value(const Value& value) {
    FieldWriter out;
    out.number(1, static_cast<std::uint64_t>(kind_of(value)));
    FieldWriter inner;
    std::visit([&](const auto& content) { write(inner, content); }, value);
    out.message(2, inner);
    return std::move(out).take();
}

Result<Value> decode_value(ByteSpan bytes) {
    FieldReader in(bytes);
    std::uint64_t kind = 0;
    ByteSpan content;
    while (in.next()) {
        if (in.field() == 1) {
            kind = in.number();
        } else if (in.field() == 2) {
            content = in.bytes();
        }
    }
    if (!in.ok() || kind == 0) {
        return Error{ErrorCode::Corrupt, "a logged value is cut short or has no kind"};
    }
    return read_kind(kind, content);
}

void for_each_blob(Value& value, const std::function<void(Blob&)>& visit) {
    visit_blobs(value, visit);
}

void for_each_blob(const Value& value, const std::function<void(const Blob&)>& visit) {
    visit_blobs(value, visit);
}

}  // namespace taffrail
