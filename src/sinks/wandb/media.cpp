#include "sinks/wandb/media.h"

#include "base/sha256.h"
#include "base/try.h"
#include "codec/escaped_names.h"
#include "codec/gif.h"
#include "codec/json_writer.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/raw_picture.h"
#include "codec/video_encoder.h"
#include "io/files.h"
#include "sinks/wandb/tables.h"

#include <algorithm>

namespace taffrail::sinks::wandb {
namespace {

Result<ByteSpan> bytes_of(const Blob& blob, std::string_view key) {
    if (!blob.bytes) {
        return Error{ErrorCode::Internal,
                     "the bytes of '" + std::string(key) + "' were not loaded for wandb"};
    }
    return ByteSpan(*blob.bytes);
}

JsonWriter& put_file(JsonWriter& json, std::string_view type, const StoredFile& file) {
    return json.begin_object()
        .member("_type", type)
        .member("sha256", file.sha256)
        .member("size", file.size)
        .member("path", file.path);
}

std::string file_json(std::string_view type, const StoredFile& file) {
    JsonWriter json;
    put_file(json, type, file).end_object();
    return std::move(json).take();
}

std::string caption_of(const Image& image, std::size_t index) {
    return image.captions.empty()          ? std::string()
           : image.captions.size() == 1    ? image.captions.front()
           : index < image.captions.size() ? image.captions[index]
                                           : std::string();
}

/// A point cloud: a list of points, with colours where there are some.
std::string points_json(const MeshArrays& mesh) {
    JsonWriter json;
    json.begin_array();
    for (std::size_t i = 0; i + 2 < mesh.vertices.size(); i += 3) {
        json.begin_array();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            json.value(static_cast<double>(mesh.vertices[i + axis]));
        }
        for (std::size_t axis = 0; axis < 3 && i + axis < mesh.colors.size(); ++axis) {
            json.value(static_cast<int>(mesh.colors[i + axis]));
        }
        json.end_array();
    }
    json.end_array();
    return std::move(json).take();
}

}  // namespace

Result<StoredFile> MediaFiles::store(std::string_view kind, std::string_view key, Step step,
                                     std::string_view ending, ByteSpan bytes) {
    StoredFile file;
    file.sha256 = to_hex(sha256(bytes));
    file.size = bytes.size();
    file.path = "media/" + std::string(kind) + "/" + path_of_key(key) + "_" + std::to_string(step) +
                "_" + file.sha256.substr(0, 20) + "." + std::string(ending);
    const std::string url = io::join(folder_, file.path);
    TAFFRAIL_TRY(io::make_directories(io::parent(url)));
    TAFFRAIL_TRY(io::write_file_atomically(url, bytes, false));
    written_.push_back(file.path);
    return file;
}

Result<std::string> MediaFiles::image(std::string_view key, Step step, const Image& image) {
    const bool is_raw = image.format == "raw";
    const std::string format = is_raw ? "png" : image.format;
    std::vector<StoredFile> files;
    for (const Blob& blob : image.images) {
        TAFFRAIL_ASSIGN(const ByteSpan bytes, bytes_of(blob, key));
        Bytes converted;
        if (is_raw) {
            TAFFRAIL_ASSIGN(converted, raw_to_png(image, bytes));
        }
        TAFFRAIL_ASSIGN(StoredFile file, store("images", key, step, file_extension(format),
                                               is_raw ? ByteSpan(converted) : bytes));
        files.push_back(std::move(file));
    }
    JsonWriter json;
    if (files.size() == 1) {
        put_file(json, "image-file", files.front());
        json.member("format", file_extension(format));
        json.member("width", image.width).member("height", image.height);
        if (const std::string caption = caption_of(image, 0); !caption.empty()) {
            json.member("caption", caption);
        }
        json.end_object();
        return std::move(json).take();
    }
    json.begin_object().member("_type", "images/separated").member("count", files.size());
    json.member("width", image.width).member("height", image.height);
    json.member("format", file_extension(format)).key("filenames").begin_array();
    for (const StoredFile& file : files) {
        json.value(file.path);
    }
    json.end_array();
    if (!image.captions.empty()) {
        json.key("captions").begin_array();
        for (std::size_t i = 0; i < files.size(); ++i) {
            json.value(caption_of(image, i));
        }
        json.end_array();
    }
    json.end_object();
    return std::move(json).take();
}

Result<std::string> MediaFiles::audio(std::string_view key, Step step, const Audio& audio) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, bytes_of(audio.data, key));
    TAFFRAIL_ASSIGN(const StoredFile file,
                    store("audio", key, step, file_extension(audio.format), bytes));
    JsonWriter json;
    put_file(json, "audio-file", file);
    if (!audio.caption.empty()) {
        json.member("caption", audio.caption);
    }
    json.end_object();
    return std::move(json).take();
}

Result<std::string> MediaFiles::video(std::string_view key, Step step, const Video& video) {
    TAFFRAIL_ASSIGN(ByteSpan bytes, bytes_of(video.data, key));
    std::string ending(file_extension(video.format));
    Bytes encoded;
    if (video.format == "frames") {
        if (auto film = encode_video(bytes, video); film.ok()) {
            encoded = std::move(film->file);
            ending = file_extension(film->format);
        } else {
            TAFFRAIL_ASSIGN(
                encoded,
                encode_gif({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                           video.frames, static_cast<std::uint32_t>(video.width),
                           static_cast<std::uint32_t>(video.height), video.channels,
                           video.frames_per_second));
            ending = "gif";
        }
        bytes = encoded;
    }
    TAFFRAIL_ASSIGN(const StoredFile file, store("videos", key, step, ending, bytes));
    JsonWriter json;
    put_file(json, "video-file", file);
    json.member("width", video.width).member("height", video.height);
    if (!video.caption.empty()) {
        json.member("caption", video.caption);
    }
    json.end_object();
    return std::move(json).take();
}

Result<std::string> MediaFiles::mesh(std::string_view key, Step step, const Mesh& mesh) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, bytes_of(mesh.data, key));
    // The page there shows obj, stl and glb as they are, and lists of points.
    if (mesh.format == "obj" || mesh.format == "stl" || mesh.format == "glb") {
        TAFFRAIL_ASSIGN(const StoredFile file, store("object3D", key, step, mesh.format, bytes));
        return file_json("object3D-file", file);
    }
    TAFFRAIL_ASSIGN(const MeshArrays arrays, read_mesh(mesh, bytes));
    if (arrays.faces.empty()) {
        const std::string text = points_json(arrays);
        TAFFRAIL_ASSIGN(const StoredFile file,
                        store("object3D", key, step, "pts.json", as_bytes(text)));
        return file_json("object3D-file", file);
    }
    TAFFRAIL_ASSIGN(const StoredFile file, store("object3D", key, step, "glb", write_glb(arrays)));
    return file_json("object3D-file", file);
}

Result<std::string> MediaFiles::figure(std::string_view key, Step step, const Figure& figure) {
    if (!figure.plotly_json.empty()) {
        TAFFRAIL_ASSIGN(const StoredFile file,
                        store("plotly", key, step, "plotly.json", as_bytes(figure.plotly_json)));
        return file_json("plotly-file", file);
    }
    TAFFRAIL_ASSIGN(const ByteSpan bytes, bytes_of(figure.picture, key));
    TAFFRAIL_ASSIGN(const MediaInfo info, probe_media(bytes));
    return image(key, step,
                 {.format = figure.picture_format,
                  .width = info.width,
                  .height = info.height,
                  .channels = info.channels,
                  .images = {figure.picture},
                  .captions = {}});
}

Result<std::optional<std::string>> MediaFiles::json_of(std::string_view key, Step step,
                                                       const Value& value) {
    const auto whole = [](Result<std::string> json) -> Result<std::optional<std::string>> {
        if (!json.ok()) {
            return std::move(json).error();
        }
        return std::optional(*std::move(json));
    };
    if (const auto* histogram = std::get_if<Histogram>(&value)) {
        return std::optional(histogram_document(*histogram));
    }
    if (const auto* text = std::get_if<Text>(&value)) {
        std::string json;
        append_json_string(json, text->text);
        return std::optional(std::move(json));
    }
    if (const auto* held = std::get_if<Image>(&value)) {
        return whole(image(key, step, *held));
    }
    if (const auto* held = std::get_if<Audio>(&value)) {
        return whole(audio(key, step, *held));
    }
    if (const auto* held = std::get_if<Video>(&value)) {
        return whole(video(key, step, *held));
    }
    if (const auto* held = std::get_if<Mesh>(&value)) {
        return whole(mesh(key, step, *held));
    }
    if (const auto* held = std::get_if<Figure>(&value)) {
        return whole(figure(key, step, *held));
    }
    if (const auto* graph = std::get_if<Graph>(&value)) {
        TAFFRAIL_ASSIGN(const StoredFile file,
                        store("graph", key, step, "graph.json", as_bytes(graph_document(*graph))));
        return std::optional(file_json("graph-file", file));
    }
    if (const auto* page = std::get_if<Artifact>(&value); page != nullptr && is_page(*page)) {
        TAFFRAIL_ASSIGN(const ByteSpan bytes, bytes_of(page->files.front().data, key));
        TAFFRAIL_ASSIGN(const StoredFile file, store("html", key, step, "html", bytes));
        return std::optional(file_json("html-file", file));
    }
    return std::optional<std::string>();
}

}  // namespace taffrail::sinks::wandb
