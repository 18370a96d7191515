#include "query/export/media_files.h"

#include "base/names.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/escaped_names.h"
#include "codec/gif.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/npy.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/value_codec.h"
#include "io/files.h"

#include <algorithm>

namespace taffrail::query {
namespace {

constexpr std::string_view kNativeSource = "taffrail";

/// What one blob becomes outside.
struct Outside {
    std::string extension;
    Bytes file;
    std::string preview_extension;
    Bytes preview;
};

std::string extension_of(std::string_view format) {
    return std::string(file_extension(format));
}

Result<Outside> float_image(const Image& image, ByteSpan bytes) {
    const Shape shape{image.height, image.width, image.channels};
    if (shape.elements() < 0 ||
        static_cast<std::size_t>(shape.elements()) * size_of(image.dtype) != bytes.size()) {
        return Error{ErrorCode::Corrupt, "a raw image does not have the size its shape says"};
    }
    const auto levels = to_u8(TensorView(bytes.data(), image.dtype, shape));
    TAFFRAIL_ASSIGN(Bytes preview,
                    encode_png(reinterpret_cast<const std::byte*>(levels.data()),
                               static_cast<std::uint32_t>(image.width),
                               static_cast<std::uint32_t>(image.height), image.channels));
    return Outside{"npy", encode_npy(bytes, image.dtype, shape), "png", std::move(preview)};
}

Result<Outside> raw_frames(const Video& video, ByteSpan bytes) {
    const Shape shape{video.frames, video.height, video.width, video.channels};
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(bytes.data());
    TAFFRAIL_ASSIGN(Bytes preview, encode_gif({pixels, bytes.size()}, video.frames,
                                              static_cast<std::uint32_t>(video.width),
                                              static_cast<std::uint32_t>(video.height),
                                              video.channels, video.frames_per_second));
    return Outside{"npy", encode_npy(bytes, DType::U8, shape), "gif", std::move(preview)};
}

Outside as_it_is(std::string extension, ByteSpan bytes) {
    return {std::move(extension), Bytes(bytes.begin(), bytes.end()), "", {}};
}

/// `index` counts the blobs of the value in the order for_each_blob gives them.
Result<Outside> convert(const Value& value, std::size_t index, ByteSpan bytes) {
    if (const auto* image = std::get_if<Image>(&value)) {
        return image->format == "raw" ? float_image(*image, bytes)
                                      : as_it_is(extension_of(image->format), bytes);
    }
    if (const auto* audio = std::get_if<Audio>(&value)) {
        return as_it_is(extension_of(audio->format), bytes);
    }
    if (const auto* video = std::get_if<Video>(&value)) {
        return video->format == "frames" ? raw_frames(*video, bytes)
                                         : as_it_is(extension_of(video->format), bytes);
    }
    if (const auto* mesh = std::get_if<Mesh>(&value)) {
        if (mesh->format != "arrays") {
            return as_it_is(extension_of(mesh->format), bytes);
        }
        TAFFRAIL_ASSIGN(const MeshArrays arrays, read_mesh(*mesh, bytes));
        return Outside{"ply", write_ply(arrays), "glb", write_glb(arrays)};
    }
    if (const auto* figure = std::get_if<Figure>(&value)) {
        return as_it_is(extension_of(figure->picture_format), bytes);
    }
    if (const auto* embedding = std::get_if<Embedding>(&value)) {
        if (index == 1) {
            return as_it_is("png", bytes);
        }
        return Outside{"npy",
                       encode_npy(bytes, DType::F32, {embedding->count, embedding->dimensions}),
                       "",
                       {}};
    }
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
        return Outside{"npy", encode_npy(bytes, tensor->dtype, tensor->shape), "", {}};
    }
    return as_it_is("bin", bytes);
}

/// A path inside an artifact, made harmless: no absolute parts, no "..", no control characters.
std::string safe_path(std::string_view path) {
    std::string out;
    for (std::string_view part : split(path, '/')) {
        if (!part.empty() && part != "." && part != "..") {
            out += (out.empty() ? "" : "/") + std::string(part);
        }
    }
    return out.empty() ? "file" : path_of_key(out);
}

/// Empty files have no blob, so the n-th blob need not belong to the n-th file.
const ArtifactFile& file_with_blob(const Artifact& artifact, const Blob& blob) {
    return *std::find_if(artifact.files.begin(), artifact.files.end(),
                         [&](const ArtifactFile& file) { return &file.data == &blob; });
}

}  // namespace

Result<void> MediaFiles::write(const std::string& relative, ByteSpan bytes) {
    const std::string path = io::join(folder_, relative);
    if (const std::string parent = io::parent(path); made_folders_.insert(parent).second) {
        TAFFRAIL_TRY(io::make_directories(parent));
    }
    return io::write_file_atomically(path, bytes, false);
}

const std::string& MediaFiles::folder_of(const RunInfo& info) {
    const auto known = run_folders_.find(info.id);
    if (known != run_folders_.end()) {
        return known->second;
    }
    std::string folder = folder_safe(info.name);
    const bool is_taken = std::any_of(run_folders_.begin(), run_folders_.end(),
                                      [&](const auto& other) { return other.second == folder; });
    if (is_taken || folder.empty()) {
        folder += "-" + to_hex(sha256(as_bytes(info.id))).substr(0, 12);
    }
    return run_folders_.emplace(info.id, std::move(folder)).first->second;
}

Result<std::vector<MediaFile>> MediaFiles::files(const RecordedRun& run, const RunInfo& info,
                                                 const Record& record) {
    std::vector<const Blob*> blobs;
    for_each_blob(*record.value, [&](const Blob& blob) { blobs.push_back(&blob); });
    std::vector<MediaFile> out;
    for (std::size_t index = 0; index < blobs.size(); ++index) {
        const BlobRef& ref = blobs[index]->ref;
        // References of the native store name the bytes; those of a foreign source name a place.
        if (folder_.empty() && info.source == kNativeSource) {
            out.push_back({"", "", to_hex(ref.sha256), ref.size});
            continue;
        }
        auto loaded =
            blobs[index]->bytes != nullptr
                ? Result<std::shared_ptr<const std::vector<std::byte>>>(blobs[index]->bytes)
                : run.load(ref);
        if (!loaded.ok()) {
            return loaded.error();
        }
        const ByteSpan bytes = **loaded;
        if (folder_.empty()) {
            out.push_back({"", "", to_hex(sha256(bytes)), bytes.size()});
            continue;
        }
        TAFFRAIL_ASSIGN(Outside outside, convert(*record.value, index, bytes));
        MediaFile media{"", "", to_hex(sha256(outside.file)), outside.file.size()};
        // Two keys may look the same once made safe; the key's own hash keeps their files apart.
        const std::string key_hash = to_hex(sha256(as_bytes(record.key))).substr(0, 6);
        const std::string folder = folder_of(info) + "/" + folder_safe(record.key) + "-" + key_hash;
        if (const auto* artifact = std::get_if<Artifact>(record.value)) {
            media.file = folder + "/" +
                         (artifact->version.empty() ? "" : folder_safe(artifact->version) + "/") +
                         safe_path(file_with_blob(*artifact, *blobs[index]).path);
        } else {
            const std::string stem =
                folder + "/" + std::to_string(record.step) + "-" + media.sha256.substr(0, 12);
            media.file = stem + "." + outside.extension;
            if (!outside.preview.empty()) {
                media.preview = stem + "." + outside.preview_extension;
                TAFFRAIL_TRY(write(media.preview, outside.preview));
            }
        }
        TAFFRAIL_TRY(write(media.file, outside.file));
        out.push_back(std::move(media));
    }
    return out;
}

}  // namespace taffrail::query
