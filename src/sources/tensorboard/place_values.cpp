#include "sources/tensorboard/place_values.h"

#include "codec/formats/tensorboard/decode.h"
#include "sources/tensorboard/blob_place.h"

namespace taffrail::sources::tensorboard {

Entry entry_at(const Place& place) {
    Entry entry;
    entry.step = place.step;
    entry.time_ns = to_time_ns(place.wall_time);
    entry.attempt = place.attempt;
    entry.writer = place.file;
    entry.seq = place.offset;
    return entry;
}

namespace {

/// Blobs inside `message`, which stands at `place`: their refs name the place instead of the
/// content.
BlobMaker places_in(const Place& place, ByteSpan message) {
    return [place, message](ByteSpan bytes) {
        const bool inside = bytes.data() >= message.data() &&
                            bytes.data() + bytes.size() <= message.data() + message.size();
        if (!inside) {
            return loaded_blob(bytes);
        }
        Blob blob;
        blob.ref = to_ref(
            {.type = BlobPlace::Type::Bytes,
             .file = place.file,
             .offset = place.offset + static_cast<std::uint64_t>(bytes.data() - message.data()),
             .size = bytes.size()});
        return blob;
    };
}

}  // namespace

std::optional<Value> decode_at(const Listed& listed, const Place& place, ByteSpan message) {
    if (listed.kind == Kind::Graph) {
        auto graph = decode_graph(message);
        return graph ? std::optional<Value>(std::move(*graph)) : std::nullopt;
    }
    ValueView view;
    if (!parse_value(message, view)) {
        return std::nullopt;
    }
    auto value =
        decode_value(listed.kind, listed.plugin, listed.content, view, places_in(place, message));
    if (value) {
        if (auto* tensor = std::get_if<Tensor>(&*value); tensor != nullptr && tensor->data.bytes) {
            tensor->data.ref = to_ref({.type = BlobPlace::Type::TensorElements,
                                       .file = place.file,
                                       .offset = place.offset,
                                       .size = place.length});
            tensor->data.ref.size = tensor->data.bytes->size();
            tensor->data.bytes.reset();
        }
    }
    return value;
}

}  // namespace taffrail::sources::tensorboard
