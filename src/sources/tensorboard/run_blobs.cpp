// The bytes behind the refs that entries carry.
#include "base/try.h"
#include "codec/formats/tensorboard/tensor.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/tensorboard/blob_place.h"
#include "sources/tensorboard/meshes.h"
#include "sources/tensorboard/projector.h"
#include "sources/tensorboard/run.h"

#include <map>

namespace taffrail::sources::tensorboard {
namespace {

// Traces and the like are handed out whole, from memory.
constexpr std::uint64_t kMaxSideFileBytes = std::uint64_t{1} << 30;

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
    auto file = io::open_inside(folder_, path);
    if (!file.ok()) {
        return std::move(file).error();
    }
    const auto info = (*file)->info();
    if (!info.ok() || place.length > info->size || place.offset > info->size - place.length) {
        return Error{ErrorCode::Corrupt,
                     path + " is shorter than when it was read; refresh and ask again"};
    }
    Bytes bytes(static_cast<std::size_t>(place.length));
    const auto read = (*file)->read_at(place.offset, bytes);
    if (!read.ok() || *read != bytes.size()) {
        return Error{ErrorCode::Io, "cannot read " + std::to_string(place.length) + " bytes at " +
                                        std::to_string(place.offset) + " of " + path};
    }
    return bytes;
}

Result<std::shared_ptr<const std::vector<std::byte>>> TensorboardRun::load(
    const BlobRef& blob) const {
    const auto where = from_ref(blob);
    if (!where) {
        return Error{ErrorCode::NotFound, "this blob does not come from run '" + id_ + "'"};
    }
    switch (where->type) {
        case BlobPlace::Type::Bytes: {
            TAFFRAIL_ASSIGN(
                Bytes bytes,
                read_place({.offset = where->offset, .length = where->size, .file = where->file}));
            return std::make_shared<const Bytes>(std::move(bytes));
        }
        case BlobPlace::Type::TensorElements: {
            TAFFRAIL_ASSIGN(
                Bytes message,
                read_place({.offset = where->offset, .length = where->size, .file = where->file}));
            ValueView view;
            TensorMessage tensor;
            auto elements = parse_value(message, view) && parse_tensor(view.body, tensor)
                                ? tensor_bytes(tensor)
                                : std::nullopt;
            if (!elements) {
                return Error{ErrorCode::Corrupt,
                             "the tensor changed on disk; refresh and ask again"};
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
                        return std::get<Mesh>(
                                   *entries[static_cast<std::size_t>(where->offset)].value)
                            .data.bytes;
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
                    const auto* embedding = std::get_if<Embedding>(
                        listed[static_cast<std::size_t>(where->offset / 2)].value.get());
                    if (embedding != nullptr) {
                        return where->offset % 2 == 0 ? embedding->vectors.bytes
                                                      : embedding->sprite.bytes;
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
            // A link in a logdir of somebody else must not show files of this machine.
            TAFFRAIL_ASSIGN(Bytes bytes, io::read_inside(folder_, path, kMaxSideFileBytes));
            return std::make_shared<const Bytes>(std::move(bytes));
        }
    }
    return Error{ErrorCode::Internal, "unknown blob place"};
}

}  // namespace taffrail::sources::tensorboard
