#include "sources/wandb/media_values.h"

#include "base/try.h"
#include "codec/capture.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/value_files.h"
#include "sources/wandb/json_cells.h"

#include <algorithm>

namespace taffrail::sources::wandb {
namespace {

// Documents are parsed whole, in memory.
constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxMediaBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMaxPictures = 10'000;

std::string type_of(const Json& json) {
    return json.string_or("_type", "");
}

std::vector<double> numbers_of(const Json* json) {
    std::vector<double> numbers;
    if (const auto* items = json != nullptr ? json->array() : nullptr) {
        for (const Json& item : *items) {
            numbers.push_back(item.number().value_or(0));
        }
    }
    return numbers;
}

std::vector<std::string> texts_of(const Json* json) {
    std::vector<std::string> texts;
    if (const auto* items = json != nullptr ? json->array() : nullptr) {
        for (const Json& item : *items) {
            texts.push_back(item.string() != nullptr ? *item.string() : std::string());
        }
    }
    return texts;
}

Result<Json> document_of(const Blob& blob, const PartFiles& files) {
    TAFFRAIL_ASSIGN(const Bytes bytes, files.read(blob, kMaxDocumentBytes));
    return parse_json(as_text(bytes));
}

Result<Value> graph_of(const Json& document) {
    Graph graph;
    if (const auto* nodes =
            document.find("nodes") != nullptr ? document.find("nodes")->array() : nullptr) {
        for (const Json& node : *nodes) {
            GraphNode& made = graph.nodes.emplace_back();
            made.name = node.string_or("name", node.string_or("id", ""));
            made.op = node.string_or("class_name", "");
            made.parameters = node.integer_or("num_parameters", 0);
        }
    }
    if (const auto* edges =
            document.find("edges") != nullptr ? document.find("edges")->array() : nullptr) {
        for (const Json& edge : *edges) {
            const std::vector<std::string> ends = texts_of(&edge);
            const auto to =
                std::ranges::find(graph.nodes, ends.size() == 2 ? ends[1] : "", &GraphNode::name);
            if (ends.size() == 2 && to != graph.nodes.end()) {
                to->inputs.push_back(ends[0]);
            }
        }
    }
    return Value(std::move(graph));
}

/// A list of points, with colours where each has some.
Result<Value> points_of(const Json& document) {
    const auto* points = document.array();
    if (points == nullptr) {
        points = document.find("points") != nullptr ? document.find("points")->array() : nullptr;
    }
    MeshArrays mesh;
    for (const Json& point : points != nullptr ? *points : Json::Array()) {
        const std::vector<double> numbers = numbers_of(&point);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            mesh.vertices.push_back(axis < numbers.size() ? static_cast<float>(numbers[axis]) : 0);
        }
        for (std::size_t axis = 3; numbers.size() == 6 && axis < 6; ++axis) {
            mesh.colors.push_back(static_cast<std::uint8_t>(std::clamp(numbers[axis], 0.0, 255.0)));
        }
    }
    if (mesh.colors.size() != mesh.vertices.size()) {
        mesh.colors.clear();
    }
    return capture_mesh(view_of(mesh));
}

/// As the file itself tells: sizes, channels, frames. Its bytes are not kept.
Result<Value> probed(const Blob& blob, const std::string& path, const PartFiles& files,
                     const Json& json) {
    TAFFRAIL_ASSIGN(Bytes bytes, files.read(blob, kMaxMediaBytes));
    TAFFRAIL_ASSIGN(const MediaInfo info, probe_media(bytes, path));
    const std::string caption = json.string_or("caption", "");
    Result<Value> value =
        info.family == "image" && type_of(json) != "video-file"
            ? capture_image_file(std::move(bytes), path, {.caption = caption})
        : info.family == "audio" ? capture_audio_file(std::move(bytes), path, {.caption = caption})
        : info.family == "mesh"  ? capture_mesh_file(std::move(bytes), path)
                                 : capture_video_file(std::move(bytes), path, {.caption = caption});
    if (value.ok()) {
        set_file_blob(*value, blob);
    }
    return value;
}

Result<Value> pictures_of(const std::string& key, Step step, const Json& json, PartFiles& files) {
    std::vector<std::string> names = texts_of(json.find("filenames"));
    const std::int64_t count = std::min<std::int64_t>(json.integer_or("count", 0), kMaxPictures);
    for (std::int64_t i = 0; json.find("filenames") == nullptr && i < count; ++i) {
        names.push_back("media/images/" + key + "_" + std::to_string(step) + "_" +
                        std::to_string(i) + "." + json.string_or("format", "png"));
    }
    if (names.empty() || names.size() > kMaxPictures) {
        return Error{ErrorCode::NotFound, "a list of pictures that names no files"};
    }
    std::optional<Image> all;
    for (const std::string& name : names) {
        TAFFRAIL_ASSIGN(const Blob blob, files.media(name));
        if (!all) {
            TAFFRAIL_ASSIGN(const Value first, probed(blob, name, files, Json()));
            const auto* image = std::get_if<Image>(&first);
            if (image == nullptr) {
                return Error{ErrorCode::Corrupt, "'" + name + "' is no picture"};
            }
            all = *image;
        } else {
            all->images.push_back(blob);
        }
    }
    all->captions = texts_of(json.find("captions"));
    if (all->captions.size() != all->images.size()) {
        all->captions.clear();
    }
    return Value(*std::move(all));
}

Value text_of(std::string text) {
    return Text{.text = std::move(text), .plain = true};
}

}  // namespace

Kind kind_of_json(const Json& json) {
    const std::string type = type_of(json);
    return !json.is_object()                                          ? Kind::Text
           : type == "histogram"                                      ? Kind::Histogram
           : type == "image-file" || type == "images/separated"       ? Kind::Image
           : type == "audio-file"                                     ? Kind::Audio
           : type == "video-file"                                     ? Kind::Video
           : type == "object3D-file"                                  ? Kind::Mesh
           : type == "table-file" || type == "incremental-table-file" ? Kind::Table
           : type == "plotly-file"                                    ? Kind::Figure
           : type == "graph-file"                                     ? Kind::Graph
           : json.find("path") != nullptr                             ? Kind::Artifact
                                                                      : Kind::Text;
}

Result<Value> value_of(const std::string& key, Step step, const Json& json, PartFiles& files) {
    if (const auto* text = json.string()) {
        return text_of(*text);
    }
    const Kind kind = kind_of_json(json);
    const std::string type = type_of(json);
    if (kind == Kind::Histogram) {
        return histogram_of_json(json);
    }
    if (type == "images/separated") {
        return pictures_of(key, step, json, files);
    }
    if (kind == Kind::Text) {
        return text_of(json.dump());
    }
    const std::string path = json.string_or("path", "");
    TAFFRAIL_ASSIGN(const Blob blob, files.media(path));
    if (kind == Kind::Mesh && !path.ends_with(".json")) {
        return probed(blob, path, files, json);
    }
    if (kind == Kind::Image || kind == Kind::Audio || kind == Kind::Video) {
        return probed(blob, path, files, json);
    }
    if (kind == Kind::Artifact) {
        Artifact artifact{.name = key, .type = type};
        artifact.files = {{path.substr(path.rfind('/') + 1), blob}};
        return Value(std::move(artifact));
    }
    if (kind == Kind::Figure) {
        TAFFRAIL_ASSIGN(const Bytes bytes, files.read(blob, kMaxDocumentBytes));
        return capture_figure(as_text(bytes));
    }
    TAFFRAIL_ASSIGN(const Json document, document_of(blob, files));
    if (kind == Kind::Table) {
        TAFFRAIL_ASSIGN(Table table, table_of_json(document));
        return Value(std::move(table));
    }
    return kind == Kind::Graph ? graph_of(document) : points_of(document);
}

}  // namespace taffrail::sources::wandb
