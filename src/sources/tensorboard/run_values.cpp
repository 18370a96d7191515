// Everything of a run that is no scalar: listed from memory, read from its place when asked for.
#include "io/files.h"
#include "sources/tensorboard/blob_place.h"
#include "sources/tensorboard/meshes.h"
#include "sources/tensorboard/place_values.h"
#include "sources/tensorboard/projector.h"
#include "sources/tensorboard/run.h"

#include <algorithm>
#include <map>

namespace taffrail::sources::tensorboard {
namespace {

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

std::vector<KeyInfo> TensorboardRun::keys() const {
    std::vector<KeyInfo> keys;
    std::vector<SideFile> side_files;
    std::map<std::string, MeshTags> meshes;
    {
        std::shared_lock lock(mutex_);
        for (const TagData& tag : data_.tags()) {
            if (tag.scalars.count() > 0) {
                const SeriesSummary summary = kept_summary(tag);
                keys.push_back({.key = tag.name,
                                .kind = Kind::Scalar,
                                .count = summary.count,
                                .scalar = summary});
            }
            if (!tag.details) {
                continue;
            }
            for (const PlaceList& list : tag.details->places) {
                if (list.kind != Kind::Mesh && list.kind != Kind::Hparams && !list.places.empty()) {
                    keys.push_back({.key = tag.name,
                                    .kind = list.kind,
                                    .count = list.places.size(),
                                    .scalar = {}});
                }
            }
        }
        if (!data_.graphs().empty()) {
            keys.push_back({.key = std::string(kGraphKey),
                            .kind = Kind::Graph,
                            .count = data_.graphs().size(),
                            .scalar = {}});
        }
        meshes = meshes_of(data_);
        side_files = side_files_;
    }
    for (const auto& [name, mesh] : meshes) {
        keys.push_back(
            {.key = name, .kind = Kind::Mesh, .count = mesh.parts[0].size(), .scalar = {}});
    }
    for (std::size_t number = 0; number < side_files.size(); ++number) {
        if (side_files[number].key != kProjectorConfig) {
            keys.push_back(
                {.key = side_files[number].key, .kind = Kind::Artifact, .count = 1, .scalar = {}});
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
                        lists.push_back({list.kind, tag->details->metadata.plugin,
                                         tag->details->metadata.content, list.places});
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
            Artifact artifact{
                .name = side.key, .type = "profile", .version = "v0", .files = {}, .metadata = {}};
            Blob blob;
            blob.ref = to_ref({.type = BlobPlace::Type::SideFile,
                               .file = number,
                               .offset = 0,
                               .size = side.size});
            artifact.files.push_back(
                {.path = side.path.substr(side.path.rfind('/') + 1), .data = std::move(blob)});
            Entry entry;
            entry.time_ns = side.modified_ns;
            entry.value = std::make_shared<const Value>(std::move(artifact));
            entries.push_back(std::move(entry));
        }
    }
    if (!known) {
        return Error{ErrorCode::NotFound,
                     "run '" + id_ + "' has no key '" + std::string(key) + "'"};
    }
    return entries;
}

}  // namespace taffrail::sources::tensorboard
