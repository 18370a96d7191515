// Everything of a run that is no scalar: read from its place in the file when asked for.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/try.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/hparams.h"
#include "codec/formats/tensorboard/mesh.h"
#include "codec/formats/tensorboard/tensor.h"
#include "io/files.h"
#include "sources/tensorboard/blob_place.h"
#include "sources/tensorboard/projector.h"
#include "sources/tensorboard/run.h"

namespace taffrail::tensorboard {
namespace {

constexpr std::string_view kGraphKey = "graph";
constexpr std::string_view kHparamsKey = "hparams";
constexpr std::string_view kProjectorConfig = "projector_config.pbtxt";

/// One decoded tag's worth of places.
struct Listed {
    Kind kind = Kind::Tensor;
    std::string plugin, content;
    std::vector<Place> places;
};

Entry entry_at(const Place& place) {
    Entry entry;
    entry.step = place.step;
    entry.time_ns = to_time_ns(place.wall_time);
    entry.attempt = place.attempt;
    entry.writer = place.file;
    entry.seq = place.offset;
    return entry;
}

/// Blobs inside `message`, which stands at `place`: their refs name the place instead of the content.
BlobMaker places_in(const Place& place, ByteSpan message) {
    return [place, message](ByteSpan bytes) {
        const bool inside = bytes.data() >= message.data() && bytes.data() + bytes.size() <= message.data() + message.size();
        if (!inside) {
            return loaded_blob(bytes);
        }
        Blob blob;
        blob.ref = to_ref({.type = BlobPlace::Type::Bytes,
                           .file = place.file,
                           .offset = place.offset + static_cast<std::uint64_t>(bytes.data() - message.data()),
                           .size = bytes.size()});
        return blob;
    };
}

std::optional<Value> decode_at(const Listed& listed, const Place& place, ByteSpan message) {
    if (listed.kind == Kind::Graph) {
        auto graph = decode_graph(message);
        return graph ? std::optional<Value>(std::move(*graph)) : std::nullopt;
    }
    ValueView view;
    if (!parse_value(message, view)) {
        return std::nullopt;
    }
    auto value = decode_value(listed.kind, listed.plugin, listed.content, view, places_in(place, message));
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

/// The three tags of one mesh key.
struct MeshTags {
    std::array<std::vector<Place>, 3> parts;  ///< vertices, faces, colours
    std::string config_json;
};

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

struct MeshPiece {
    std::int64_t batch = 0, count = 0;
    std::vector<double> numbers;
};

std::optional<MeshPiece> read_mesh_piece(const TensorboardRun& run, const std::vector<Place>& places, const Place& at) {
    const auto place = std::find_if(places.begin(), places.end(), [&](const Place& other) {
        return other.step == at.step && other.attempt == at.attempt;
    });
    if (place == places.end()) {
        return std::nullopt;
    }
    const auto message = run.read_place(*place);
    ValueView view;
    TensorMessage tensor;
    if (!message.ok() || !parse_value(*message, view) || !parse_tensor(view.body, tensor) || tensor.dims.size() != 3 ||
        tensor.dims[2] != 3) {
        return std::nullopt;
    }
    auto numbers = tensor_numbers(tensor);
    if (!numbers) {
        return std::nullopt;
    }
    return MeshPiece{.batch = tensor.dims[0], .count = tensor.dims[1], .numbers = std::move(*numbers)};
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
        append(to, static_cast<T>(std::clamp(number, static_cast<double>(std::numeric_limits<T>::lowest()),
                                             static_cast<double>(std::numeric_limits<T>::max()))));
    }
    return piece->count;
}

std::vector<Entry> mesh_entries(const TensorboardRun& run, std::string_view key, const MeshTags& tags,
                                bool keep_bytes) {
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

/// Gives the blobs of an embedding refs that load() finds again.
void name_blobs(Embedding& embedding, std::string_view key, std::size_t entry) {
    const auto name = [&](Blob& blob, std::uint64_t part) {
        if (blob.ref.size > 0) {
            blob.ref = to_ref({.type = BlobPlace::Type::Embedding,
                               .file = key_number(key),
                               .offset = entry * 2 + part,
                               .size = blob.ref.size});
        }
    };
    name(embedding.vectors, 0);
    name(embedding.sprite, 1);
}

}  // namespace

Result<Bytes> TensorboardRun::read_place(const Place& place) const {
    std::string path;
    {
        std::shared_lock lock(mutex_);
        if (place.file >= files_.size()) {
            return Error{ErrorCode::NotFound, "the event file this value stood in is gone"};
        }
        path = files_[place.file].path;
    }
    auto file = io::open(path, io::OpenMode::Read);
    if (!file.ok()) {
        return std::move(file).error();
    }
    const auto info = (*file)->info();
    if (!info.ok() || place.length > info->size || place.offset > info->size - place.length) {
        return Error{ErrorCode::Corrupt, path + " is shorter than when it was read; refresh and ask again"};
    }
    Bytes bytes(static_cast<std::size_t>(place.length));
    const auto read = (*file)->read_at(place.offset, bytes);
    if (!read.ok() || *read != bytes.size()) {
        return Error{ErrorCode::Io, "cannot read " + std::to_string(place.length) + " bytes at " +
                                        std::to_string(place.offset) + " of " + path};
    }
    return bytes;
}

std::vector<KeyInfo> TensorboardRun::keys() const {
    std::vector<KeyInfo> keys;
    std::vector<SideFile> side_files;
    std::map<std::string, MeshTags> meshes;
    {
        std::shared_lock lock(mutex_);
        for (const TagData& tag : data_.tags()) {
            if (tag.scalars.count() > 0) {
                keys.push_back({.key = tag.name, .kind = Kind::Scalar, .count = tag.scalars.count(),
                                .scalar = tag.scalars.summary()});
            }
            if (!tag.details) {
                continue;
            }
            for (const PlaceList& list : tag.details->places) {
                if (list.kind != Kind::Mesh && list.kind != Kind::Hparams && !list.places.empty()) {
                    keys.push_back({.key = tag.name, .kind = list.kind, .count = list.places.size(), .scalar = {}});
                }
            }
        }
        if (!data_.graphs().empty()) {
            keys.push_back({.key = std::string(kGraphKey), .kind = Kind::Graph, .count = data_.graphs().size(),
                            .scalar = {}});
        }
        meshes = meshes_of(data_);
        side_files = side_files_;
    }
    for (const auto& [name, mesh] : meshes) {
        keys.push_back({.key = name, .kind = Kind::Mesh, .count = mesh.parts[0].size(), .scalar = {}});
    }
    for (std::size_t number = 0; number < side_files.size(); ++number) {
        if (side_files[number].key != kProjectorConfig) {
            keys.push_back({.key = side_files[number].key, .kind = Kind::Artifact, .count = 1, .scalar = {}});
            continue;
        }
        std::map<std::string, std::uint64_t> embeddings;
        for (const ProjectorEmbedding& embedding : read_projector_config(side_files[number].path)) {
            ++embeddings[embedding.key()];
        }
        for (const auto& [key, count] : embeddings) {
            keys.push_back({.key = key, .kind = Kind::Embedding, .count = count, .scalar = {}});
        }
    }
    std::sort(keys.begin(), keys.end(), [](const KeyInfo& a, const KeyInfo& b) {
        return a.key != b.key ? a.key < b.key : a.kind < b.kind;
    });
    return keys;
}

Result<std::vector<Entry>> TensorboardRun::entries(std::string_view key) const {
    std::vector<Listed> lists;
    std::optional<MeshTags> mesh;
    std::vector<SideFile> side_files;
    bool scalar = false;
    {
        std::shared_lock lock(mutex_);
        if (const TagData* tag = data_.find(key); tag != nullptr) {
            scalar = tag->scalars.count() > 0;
            if (tag->details) {
                for (const PlaceList& list : tag->details->places) {
                    if (list.kind != Kind::Mesh) {
                        lists.push_back({list.kind, tag->details->metadata.plugin, tag->details->metadata.content,
                                         list.places});
                    }
                }
            }
        }
        if (key == kGraphKey && !data_.graphs().empty()) {
            lists.push_back({Kind::Graph, "", "", data_.graphs()});
        }
        auto meshes = meshes_of(data_);
        if (const auto found = meshes.find(std::string(key)); found != meshes.end()) {
            mesh = std::move(found->second);
        }
        side_files = side_files_;
    }
    std::vector<Entry> entries;
    bool known = scalar || mesh || !lists.empty();
    for (const Listed& listed : lists) {
        for (const Place& place : listed.places) {
            const auto message = read_place(place);
            if (!message.ok()) {
                return message.error();
            }
            if (auto value = decode_at(listed, place, *message)) {
                Entry entry = entry_at(place);
                entry.value = std::make_shared<const Value>(std::move(*value));
                entries.push_back(std::move(entry));
            }
        }
    }
    if (mesh) {
        for (Entry& entry : mesh_entries(*this, key, *mesh, false)) {
            entries.push_back(std::move(entry));
        }
    }
    for (std::uint32_t number = 0; number < side_files.size(); ++number) {
        const SideFile& side = side_files[number];
        if (side.key == kProjectorConfig) {
            for (const ProjectorEmbedding& embedding : read_projector_config(side.path)) {
                if (embedding.key() == key) {
                    known = true;
                    if (auto value = read_embedding(embedding)) {
                        name_blobs(*value, key, entries.size());
                        Entry entry;
                        entry.step = embedding.step();
                        entry.time_ns = side.modified_ns;
                        entry.value = std::make_shared<const Value>(std::move(*value));
                        entries.push_back(std::move(entry));
                    }
                }
            }
        } else if (side.key == key) {
            known = true;
            Artifact artifact{.name = side.key, .type = "profile", .version = "v0", .files = {}, .metadata = {}};
            Blob blob;
            blob.ref = to_ref({.type = BlobPlace::Type::SideFile, .file = number, .offset = 0, .size = side.size});
            artifact.files.push_back({.path = side.path.substr(side.path.rfind('/') + 1), .data = std::move(blob)});
            Entry entry;
            entry.time_ns = side.modified_ns;
            entry.value = std::make_shared<const Value>(std::move(artifact));
            entries.push_back(std::move(entry));
        }
    }
    if (!known) {
        return Error{ErrorCode::NotFound, "run '" + id_ + "' has no key '" + std::string(key) + "'"};
    }
    return entries;
}

Result<std::shared_ptr<const std::vector<std::byte>>> TensorboardRun::load(const BlobRef& blob) const {
    const auto where = from_ref(blob);
    if (!where) {
        return Error{ErrorCode::NotFound, "this blob does not come from run '" + id_ + "'"};
    }
    switch (where->type) {
        case BlobPlace::Type::Bytes: {
            TAFFRAIL_ASSIGN(Bytes bytes, read_place({.offset = where->offset, .length = where->size, .file = where->file}));
            return std::make_shared<const Bytes>(std::move(bytes));
        }
        case BlobPlace::Type::TensorElements: {
            TAFFRAIL_ASSIGN(Bytes message, read_place({.offset = where->offset, .length = where->size, .file = where->file}));
            ValueView view;
            TensorMessage tensor;
            auto elements = parse_value(message, view) && parse_tensor(view.body, tensor) ? tensor_bytes(tensor)
                                                                                          : std::nullopt;
            if (!elements) {
                return Error{ErrorCode::Corrupt, "the tensor changed on disk; refresh and ask again"};
            }
            return std::make_shared<const Bytes>(std::move(*elements));
        }
        case BlobPlace::Type::Mesh: {
            std::map<std::string, MeshTags> meshes;
            {
                std::shared_lock lock(mutex_);
                meshes = meshes_of(data_);
            }
            for (const auto& [name, tags] : meshes) {
                if (key_number(name) == where->file) {
                    const auto entries = mesh_entries(*this, name, tags, true);
                    if (where->offset < entries.size()) {
                        return std::get<Mesh>(*entries[static_cast<std::size_t>(where->offset)].value).data.bytes;
                    }
                }
            }
            return Error{ErrorCode::NotFound, "the mesh is gone from run '" + id_ + "'"};
        }
        case BlobPlace::Type::Embedding: {
            for (const KeyInfo& key : keys()) {
                if (key.kind != Kind::Embedding || key_number(key.key) != where->file) {
                    continue;
                }
                TAFFRAIL_ASSIGN(const std::vector<Entry> listed, entries(key.key));
                if (where->offset / 2 < listed.size()) {
                    const auto* embedding =
                        std::get_if<Embedding>(listed[static_cast<std::size_t>(where->offset / 2)].value.get());
                    if (embedding != nullptr) {
                        return where->offset % 2 == 0 ? embedding->vectors.bytes : embedding->sprite.bytes;
                    }
                }
            }
            return Error{ErrorCode::NotFound, "the embedding is gone from run '" + id_ + "'"};
        }
        case BlobPlace::Type::SideFile: {
            std::string path;
            {
                std::shared_lock lock(mutex_);
                if (where->file >= side_files_.size()) {
                    return Error{ErrorCode::NotFound, "the file is gone from run '" + id_ + "'"};
                }
                path = side_files_[where->file].path;
            }
            TAFFRAIL_ASSIGN(Bytes bytes, io::read_file(path));
            return std::make_shared<const Bytes>(std::move(bytes));
        }
    }
    return Error{ErrorCode::Internal, "unknown blob place"};
}

Result<void> TensorboardRun::for_each(const std::function<bool(const Record&)>& visit) const {
    std::vector<EventFile> files;
    std::vector<Restart> restarts;
    std::map<std::string, Metadata, std::less<>> metadata;
    std::vector<std::string> last_keys;
    const RunInfo about = info();
    {
        std::shared_lock lock(mutex_);
        files = files_;
        restarts = data_.restarts();
        for (const TagData& tag : data_.tags()) {
            if (tag.details && tag.details->has_metadata) {
                metadata.emplace(tag.name, tag.details->metadata);
            }
        }
        for (const auto& [name, mesh] : meshes_of(data_)) {
            last_keys.push_back(name);
        }
    }
    bool going = true;
    if (!about.config.empty()) {
        const Value value = about.config;
        going = visit({.key = kHparamsKey, .kind = Kind::Hparams, .time_ns = about.start_time_ns, .value = &value});
    }
    Bytes buffer;
    for (std::uint32_t number = 0; going && number < files.size(); ++number) {
        const auto file = io::open(files[number].path, io::OpenMode::Read);
        if (!file.ok()) {
            continue;
        }
        RecordStream stream(**file, 0, files[number].position, files[number].position, false, buffer);
        ByteSpan payload;
        while (going && stream.next(payload)) {
            EventView event;
            if (!parse_event(payload, event)) {
                continue;
            }
            Place place{.step = event.step, .wall_time = event.wall_time, .file = number};
            const std::uint64_t base = stream.record_offset() + kHeaderBytes;
            for (const Restart& restart : restarts) {
                if (std::pair(restart.file, restart.offset) <= std::pair(number, base)) {
                    place.attempt = std::max(place.attempt, restart.attempt);
                }
            }
            Record record{.step = event.step,
                          .time_ns = to_time_ns(event.wall_time),
                          .attempt = place.attempt,
                          .writer = number,
                          .seq = base};
            const auto emit = [&](const Listed& listed, std::string_view key, ByteSpan message) {
                place.offset = base + static_cast<std::uint64_t>(message.data() - payload.data());
                place.length = message.size();
                const auto value = decode_at(listed, place, message);
                if (!value) {
                    return;
                }
                record.key = key;
                record.kind = listed.kind;
                record.value = listed.kind == Kind::Scalar ? nullptr : &*value;
                record.scalar = listed.kind == Kind::Scalar ? std::get<double>(*value)
                                                            : std::numeric_limits<double>::quiet_NaN();
                going = visit(record);
            };
            if (event.content == EventContent::GraphDef) {
                emit({Kind::Graph, "", "", {}}, kGraphKey, event.body);
            } else if (event.content == EventContent::Summary) {
                for_each_value(event.body, [&](const ValueView& view, ByteSpan message) {
                    if (!going) {
                        return;
                    }
                    const std::string tag = repair_utf8(view.tag);
                    const auto known = metadata.find(tag);
                    const std::string plugin = known != metadata.end() ? known->second.plugin : std::string();
                    const auto kind = classify(plugin, view);
                    if (kind && *kind != Kind::Mesh && *kind != Kind::Hparams) {
                        emit({*kind, plugin, known != metadata.end() ? known->second.content : std::string(), {}}, tag,
                             message);
                    }
                });
            }
        }
    }
    // What lies over several tags or outside of event files comes last.
    for (const KeyInfo& key : keys()) {
        if (key.kind == Kind::Embedding || key.kind == Kind::Artifact) {
            last_keys.push_back(key.key);
        }
    }
    for (const std::string& key : last_keys) {
        const auto listed = going ? entries(key) : Result<std::vector<Entry>>(std::vector<Entry>());
        if (!listed.ok()) {
            continue;
        }
        for (const Entry& entry : *listed) {
            const Kind kind = kind_of(*entry.value);
            if (!going || (kind != Kind::Mesh && kind != Kind::Embedding && kind != Kind::Artifact)) {
                continue;
            }
            going = visit({.key = key,
                           .kind = kind,
                           .step = entry.step,
                           .time_ns = entry.time_ns,
                           .attempt = entry.attempt,
                           .writer = entry.writer,
                           .seq = entry.seq,
                           .value = entry.value.get()});
        }
    }
    return {};
}

}  // namespace taffrail::tensorboard
