#include "sinks/comet/uploads.h"

#include "base/md5.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/csv.h"
#include "codec/formats/comet/histogram.h"
#include "codec/json_writer.h"
#include "codec/mesh.h"
#include "codec/png.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace taffrail::sinks::comet {

using namespace formats::comet;

namespace {

ValueFile document(std::string name, std::string_view text) {
    const ByteSpan bytes = as_bytes(text);
    return {std::move(name), "application/json", Bytes(bytes.begin(), bytes.end())};
}

std::string csv_of(const Table& table) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        text += (i == 0 ? "" : ",") + csv_cell(table.columns[i]);
    }
    text += '\n';
    for (const std::vector<Cell>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto* held = std::get_if<std::string>(&row[i]);
            const bool is_empty = std::holds_alternative<std::monostate>(row[i]);
            JsonWriter json;
            text += (i == 0 ? "" : ",") +
                    (is_empty ? std::string()
                              : csv_cell(held != nullptr ? *held : json.value(row[i]).text()));
        }
        text += '\n';
    }
    return text;
}

/// Precision over recall, as the tracker draws curves.
std::string curve_document(std::string_view key, const PrCurve& curve) {
    JsonWriter json;
    const auto put = [&](std::string_view name, const std::vector<double>& numbers) {
        json.key(name).begin_array();
        for (const double number : numbers) {
            json.value(std::isfinite(number) ? number : 0);
        }
        json.end_array();
    };
    json.begin_object();
    put("x", curve.recall);
    put("y", curve.precision);
    json.member("name", key).end_object();
    return std::move(json).take();
}

struct Box {
    std::array<float, 3> low, high;
};

Box box_of(const std::vector<float>& vertices) {
    Box box;
    box.low.fill(std::numeric_limits<float>::max());
    box.high.fill(std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < vertices.size() / 3 * 3; ++i) {
        box.low[i % 3] = std::min(box.low[i % 3], vertices[i]);
        box.high[i % 3] = std::max(box.high[i % 3], vertices[i]);
    }
    return box;
}

/// The points seen along z, white on black.
Result<Bytes> thumbnail_of(const std::vector<float>& vertices, const Box& box) {
    constexpr std::size_t kSide = 128;
    std::vector<std::uint8_t> pixels(kSide * kSide, 0);
    const auto place = [&](std::size_t axis, float value) {
        const double width = static_cast<double>(box.high[axis]) - box.low[axis];
        const double share = width > 0 ? (static_cast<double>(value) - box.low[axis]) / width : 0.5;
        return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * (kSide - 1));
    };
    for (std::size_t i = 0; i + 2 < vertices.size(); i += 3) {
        if (std::isfinite(vertices[i]) && std::isfinite(vertices[i + 1])) {
            pixels[(kSide - 1 - place(1, vertices[i + 1])) * kSide + place(0, vertices[i])] = 255;
        }
    }
    return encode_png(reinterpret_cast<const std::byte*>(pixels.data()), kSide, kSide, 1);
}

std::string points_document(const MeshArrays& mesh) {
    constexpr std::size_t kMostPoints = 1'000'000;  // what the tracker takes
    JsonWriter json;
    std::string text;
    for (std::size_t i = 0; i + 2 < mesh.vertices.size() && i / 3 < kMostPoints; i += 3) {
        json.clear();
        json.begin_array();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float value = mesh.vertices[i + axis];
            json.value(std::isfinite(value) ? static_cast<double>(value) : 0.0);
        }
        for (std::size_t axis = 0; axis < 3 && i + axis < mesh.colors.size(); ++axis) {
            json.value(mesh.colors[i + axis] / 255.0);
        }
        json.end_array();
        text += json.text() + "\n";
    }
    return text;
}

std::string ranges_of(const Box& box) {
    JsonWriter json;
    json.begin_object();
    constexpr std::array<std::string_view, 3> kNames = {"xRange", "yRange", "zRange"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        json.key(kNames[axis]).begin_array();
        json.value(static_cast<double>(box.low[axis])).value(static_cast<double>(box.high[axis]));
        json.end_array();
    }
    json.end_object();
    return std::move(json).take();
}

std::string_view type_of(Kind kind) {
    return kind == Kind::Image   ? "visualization"
           : kind == Kind::Audio ? "audio"
           : kind == Kind::Video ? "video"
           : kind == Kind::Text  ? "text-sample"
                                 : "asset";
}

}  // namespace

Result<std::string> Uploads::store(const ValueFile& file) {
    std::string ending(file.ending());
    std::erase_if(ending,
                  [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
    const std::string name = "file" + std::to_string(number_ + 1) + "-" +
                             to_hex(sha256(file.bytes)).substr(0, 12) +
                             (ending.empty() ? "" : "." + ending);
    TAFFRAIL_TRY(folder_.store(name, file.bytes));
    return name;
}

Result<void> Uploads::put(const About& about, const std::string& shown, const ValueFile& file) {
    Upload upload;
    TAFFRAIL_ASSIGN(upload.path, store(file));
    upload.type = about.type;
    upload.name = shown;
    upload.id = to_hex(md5(as_bytes(upload.path + " " + shown)));
    upload.ending = file.ending();
    upload.step = about.step;
    upload.time_ns = about.time_ns;
    JsonWriter metadata;
    metadata.begin_object().member("taffrail_kind", about.kind).member("taffrail_key", about.key);
    metadata.member("taffrail_file", file.name).member("taffrail_value", about.value);
    if (!about.caption.empty()) {
        metadata.member("caption", about.caption);
    }
    metadata.end_object();
    upload.metadata_json = std::move(metadata).take();
    folder_.add(upload_line(upload, ++number_));
    return {};
}

Result<void> Uploads::mesh(const About& about, const Mesh& mesh) {
    if (!mesh.data.bytes) {
        return Error{ErrorCode::Internal, "the bytes of a mesh were not loaded"};
    }
    const auto arrays = read_mesh(mesh, *mesh.data.bytes);
    if (!arrays.ok() || arrays->vertices.empty()) {
        return {};  // the file itself is there
    }
    const Box box = box_of(arrays->vertices);
    TAFFRAIL_ASSIGN(const Bytes picture, thumbnail_of(arrays->vertices, box));
    PointCloud cloud{.name = std::string(about.key), .metadata_json = ranges_of(box)};
    cloud.step = about.step;
    TAFFRAIL_ASSIGN(cloud.points_path, store(document("points.jsonl", points_document(*arrays))));
    TAFFRAIL_ASSIGN(cloud.thumbnail_path, store({"thumbnail.png", "image/png", picture}));
    folder_.add(points_line(cloud, ++number_));
    return {};
}

Result<void> Uploads::embedding(const About& about, const Embedding& embedding) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, embedding.count));
    const auto width = static_cast<std::size_t>(std::max<std::int64_t>(0, embedding.dimensions));
    if (!embedding.vectors.bytes ||
        embedding.vectors.bytes->size() != count * width * sizeof(float)) {
        return Error{ErrorCode::InvalidArgument, "the vectors do not fill their shape"};
    }
    std::string rows;
    for (std::size_t i = 0; i < count * width; ++i) {
        rows += format_double(static_cast<double>(
                    load<float>(embedding.vectors.bytes->data() + i * sizeof(float)))) +
                ((i + 1) % width == 0 ? '\n' : '\t');
    }
    const std::string name(about.key);
    return put(about, name + "/vectors.tsv", document("vectors.tsv", rows));
}

Result<void> Uploads::take(const Record& record) {
    const Value& value = *record.value;
    About about{.key = record.key,
                .kind = to_string(record.kind),
                .type = type_of(record.kind),
                .step = record.step,
                .time_ns = record.time_ns,
                .value = number_ + 1};
    const std::string key(record.key);
    if (const auto* histogram = std::get_if<Histogram>(&value)) {
        about.type = "histogram3d";
        return put(about, key, document("histogram.json", histogram_document(*histogram)));
    }
    if (const auto* table = std::get_if<Table>(&value)) {
        return put(about, key + ".csv", document("table.csv", csv_of(*table)));
    }
    if (const auto* curve = std::get_if<PrCurve>(&value)) {
        About drawn = about;
        drawn.type = "curve";
        drawn.kind = {};
        TAFFRAIL_TRY(put(drawn, key, document("curve.json", curve_document(key, *curve))));
    }
    if (const auto* graph = std::get_if<Graph>(&value)) {
        folder_.add(graph_line(graph_json(*graph), ++number_));
        return {};
    }
    if (const auto* held = std::get_if<Mesh>(&value)) {
        TAFFRAIL_TRY(mesh(about, *held));
    }
    if (const auto* held = std::get_if<Embedding>(&value)) {
        TAFFRAIL_TRY(embedding(about, *held));
    }
    TAFFRAIL_ASSIGN(const std::vector<ValueFile> files, files_of(value));
    const auto* image = std::get_if<Image>(&value);
    const auto* audio = std::get_if<Audio>(&value);
    const auto* video = std::get_if<Video>(&value);
    const auto* artifact = std::get_if<Artifact>(&value);
    for (std::size_t i = 0; i < files.size(); ++i) {
        about.caption = audio != nullptr   ? std::string_view(audio->caption)
                        : video != nullptr ? std::string_view(video->caption)
                        : image == nullptr || image->captions.empty() ? std::string_view()
                        : image->captions.size() == 1 ? std::string_view(image->captions.front())
                        : i < image->captions.size()  ? std::string_view(image->captions[i])
                                                      : std::string_view();
        const bool is_media = image != nullptr || audio != nullptr || video != nullptr;
        const std::string shown = artifact != nullptr ? artifact->name + "/" + files[i].name
                                  : is_media          ? key
                                                      : key + "/" + files[i].name;
        TAFFRAIL_TRY(put(about, shown, files[i]));
    }
    return {};
}

}  // namespace taffrail::sinks::comet
