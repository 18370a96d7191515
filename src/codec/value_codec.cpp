#include "codec/value_codec.h"

#include "codec/value_check.h"
#include "codec/value_fields.h"

#include <string>

namespace taffrail {
namespace {

using namespace value_fields;

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
        case Kind::MetricDefinition:
            return read_as<MetricDefinition>(bytes);
        case Kind::Summary:
            return read_as<SummaryValues>(bytes);
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
    auto value = read_kind(kind, content);
    if (value.ok()) {
        if (auto checked = check_value(*value); !checked.ok()) {
            return std::move(checked).error();
        }
    }
    return value;
}

void for_each_blob(Value& value, const std::function<void(Blob&)>& visit) {
    visit_blobs(value, visit);
}

void for_each_blob(const Value& value, const std::function<void(const Blob&)>& visit) {
    visit_blobs(value, visit);
}

}  // namespace taffrail
