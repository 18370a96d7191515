#include "sources/tensorboard/meshes.h"

#include "codec/formats/tensorboard/mesh.h"
#include "codec/formats/tensorboard/tensor.h"
#include "sources/tensorboard/blob_place.h"
#include "sources/tensorboard/place_values.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace taffrail::sources::tensorboard {

std::map<std::string, MeshTags> meshes_of(const RunPart& data) {
    std::map<std::string, MeshTags> meshes;
    for (const TagData& tag : data.tags()) {
        if (!tag.details || tag.plugin() != kMesh) {
            continue;
        }
        const auto part = decode_mesh_part(as_bytes(tag.details->metadata.content));
        if (!part) {
            continue;
        }
        MeshTags& mesh = meshes[part->name.empty() ? tag.name : part->name];
        mesh.config_json = part->json_config;
        for (const PlaceList& list : tag.details->places) {
            if (list.kind == Kind::Mesh) {
                mesh.parts[static_cast<std::size_t>(part->content) - 1] = list.places;
            }
        }
    }
    return meshes;
}

namespace {

struct MeshPiece {
    std::int64_t batch = 0, count = 0;
    std::vector<double> numbers;
};

std::optional<MeshPiece> read_mesh_piece(const TensorboardRun& run,
                                         const std::vector<Place>& places, const Place& at) {
    const auto place = std::find_if(places.begin(), places.end(), [&](const Place& other) {
        return other.step == at.step && other.attempt == at.attempt;
    });
    if (place == places.end()) {
        return std::nullopt;
    }
    const auto message = run.read_place(*place);
    ValueView view;
    TensorMessage tensor;
    if (!message.ok() || !parse_value(*message, view) || !parse_tensor(view.body, tensor) ||
        tensor.dims.size() != 3 || tensor.dims[2] != 3) {
        return std::nullopt;
    }
    auto numbers = tensor_numbers(tensor);
    // Meshes of no points would cost an entry each and no byte of the file.
    if (!numbers || tensor.dims[0] < 0 || tensor.dims[1] <= 0 ||
        static_cast<std::size_t>(tensor.dims[0]) > numbers->size() / 3 ||
        static_cast<std::size_t>(tensor.dims[1]) !=
            numbers->size() / 3 /
                static_cast<std::size_t>(std::max<std::int64_t>(tensor.dims[0], 1))) {
        return std::nullopt;
    }
    return MeshPiece{
        .batch = tensor.dims[0], .count = tensor.dims[1], .numbers = std::move(*numbers)};
}

/// Appends one batch entry of a piece as T.
template <typename T>
std::int64_t append_piece(Bytes& to, const std::optional<MeshPiece>& piece, std::int64_t index) {
    if (!piece || index >= piece->batch) {
        return 0;
    }
    const auto numbers = static_cast<std::size_t>(piece->count * 3);
    for (std::size_t i = 0; i < numbers; ++i) {
        const double number = piece->numbers[static_cast<std::size_t>(index) * numbers + i];
        append(to, static_cast<T>(std::clamp(number,
                                             static_cast<double>(std::numeric_limits<T>::lowest()),
                                             static_cast<double>(std::numeric_limits<T>::max()))));
    }
    return piece->count;
}

}  // namespace

std::vector<Entry> mesh_entries(const TensorboardRun& run, std::string_view key,
                                const MeshTags& tags, bool keep_bytes) {
    std::vector<Entry> entries;
    for (std::uint32_t at = 0; at < tags.parts[0].size(); ++at) {
        const Place& place = tags.parts[0][at];
        const auto vertices = read_mesh_piece(run, tags.parts[0], place);
        if (!vertices) {
            continue;
        }
        const auto faces = read_mesh_piece(run, tags.parts[1], place);
        const auto colors = read_mesh_piece(run, tags.parts[2], place);
        for (std::int64_t index = 0; index < vertices->batch; ++index) {
            Mesh mesh;
            mesh.format = "arrays";
            mesh.config_json = tags.config_json == "{}" ? std::string() : tags.config_json;
            Bytes bytes;
            mesh.vertices = append_piece<float>(bytes, vertices, index);
            mesh.faces = append_piece<std::uint32_t>(bytes, faces, index);
            mesh.has_colors = append_piece<std::uint8_t>(bytes, colors, index) > 0;
            mesh.data.ref = to_ref({.type = BlobPlace::Type::Mesh,
                                    .file = key_number(key),
                                    .offset = static_cast<std::uint64_t>(entries.size()),
                                    .size = bytes.size()});
            if (keep_bytes) {
                mesh.data.bytes = std::make_shared<const Bytes>(std::move(bytes));
            }
            Entry entry = entry_at(place);
            entry.value = std::make_shared<const Value>(std::move(mesh));
            entries.push_back(std::move(entry));
        }
    }
    return entries;
}

}  // namespace taffrail::sources::tensorboard
