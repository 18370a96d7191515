#include "codec/value_files.h"

#include "base/cell_text.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/capture.h"
#include "codec/gif.h"
#include "codec/json_writer.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/npy.h"
#include "codec/raw_picture.h"
#include "codec/tensor.h"
#include "codec/video_encoder.h"

#include <algorithm>
#include <cmath>

namespace taffrail {
namespace {

using Files = std::vector<ValueFile>;

Result<ByteSpan> loaded(const Blob& blob) {
    if (!blob.bytes) {
        return Error{ErrorCode::Internal, "the bytes of a value were not loaded"};
    }
    return ByteSpan(*blob.bytes);
}

ValueFile file_of(std::string name, std::string_view mime, ByteSpan bytes) {
    return {std::move(name), std::string(mime), Bytes(bytes.begin(), bytes.end())};
}

ValueFile text_file(std::string name, std::string_view mime, std::string_view text) {
    return file_of(std::move(name), mime, as_bytes(text));
}

Result<Files> image_files(const Image& image) {
    Files files;
    for (std::size_t i = 0; i < image.images.size(); ++i) {
        const std::string stem = image.images.size() == 1 ? "image" : "image" + std::to_string(i);
        TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(image.images[i]));
        if (image.format != "raw") {
            files.push_back(file_of(stem + "." + std::string(file_extension(image.format)),
                                    mime_type(image.format), bytes));
            continue;
        }
        TAFFRAIL_ASSIGN(const Bytes png, raw_to_png(image, bytes));
        files.push_back(file_of(stem + ".png", "image/png", png));
    }
    return files;
}

Result<Files> video_files(const Video& video) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(video.data));
    if (video.format != "frames") {
        return Files{file_of("video." + std::string(file_extension(video.format)),
                             mime_type(video.format), bytes)};
    }
    if (const auto film = encode_video(bytes, video); film.ok()) {
        return Files{file_of("video." + std::string(file_extension(film->format)),
                             mime_type(film->format), film->file)};
    }
    TAFFRAIL_ASSIGN(const Bytes gif,
                    encode_gif({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                               video.frames, static_cast<std::uint32_t>(video.width),
                               static_cast<std::uint32_t>(video.height), video.channels,
                               video.frames_per_second));
    return Files{file_of("video.gif", "image/gif", gif)};
}

Result<Files> mesh_files(const Mesh& mesh) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(mesh.data));
    if (mesh.format != "arrays") {
        return Files{file_of("mesh." + mesh.format, mime_type(mesh.format), bytes)};
    }
    TAFFRAIL_ASSIGN(const MeshArrays arrays, read_mesh(mesh, bytes));
    return arrays.faces.empty() ? Files{file_of("points.ply", mime_type("ply"), write_ply(arrays))}
                                : Files{file_of("mesh.glb", mime_type("glb"), write_glb(arrays))};
}

Result<ValueFile> npy_file(std::string name, const Blob& blob, DType dtype, const Shape& shape) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(blob));
    if (shape.elements() < 0 ||
        bytes.size() != static_cast<std::size_t>(shape.elements()) * size_of(dtype)) {
        return Error{ErrorCode::InvalidArgument, "the elements do not fill the shape"};
    }
    return ValueFile{std::move(name), "application/octet-stream", encode_npy(bytes, dtype, shape)};
}

Result<Files> embedding_files(const Embedding& embedding) {
    Files files;
    TAFFRAIL_ASSIGN(ValueFile vectors, npy_file("vectors.npy", embedding.vectors, DType::F32,
                                                {embedding.count, embedding.dimensions}));
    files.push_back(std::move(vectors));
    if (!embedding.metadata.columns.empty()) {
        files.push_back(
            text_file("metadata.tsv", "text/tab-separated-values", tsv_of(embedding.metadata)));
    }
    if (embedding.sprite.bytes) {
        files.push_back(file_of("sprite.png", "image/png", *embedding.sprite.bytes));
    }
    return files;
}

Result<Files> figure_files(const Figure& figure) {
    Files files;
    if (!figure.plotly_json.empty()) {
        files.push_back(text_file("figure.plotly.json", "application/json", figure.plotly_json));
    }
    if (figure.picture.bytes) {
        files.push_back(file_of("figure." + std::string(file_extension(figure.picture_format)),
                                mime_type(figure.picture_format), *figure.picture.bytes));
    }
    return files;
}

Result<Files> artifact_files(const Artifact& artifact) {
    Files files;
    for (const ArtifactFile& file : artifact.files) {
        TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(file.data));
        files.push_back(file_of(file.path, "application/octet-stream", bytes));
    }
    return files;
}

}  // namespace

Result<std::vector<ValueFile>> files_of(const Value& value) {
    if (const auto* image = std::get_if<Image>(&value)) {
        return image_files(*image);
    }
    if (const auto* audio = std::get_if<Audio>(&value)) {
        TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(audio->data));
        return Files{file_of("audio." + std::string(file_extension(audio->format)),
                             mime_type(audio->format), bytes)};
    }
    if (const auto* video = std::get_if<Video>(&value)) {
        return video_files(*video);
    }
    if (const auto* mesh = std::get_if<Mesh>(&value)) {
        return mesh_files(*mesh);
    }
    if (const auto* text = std::get_if<Text>(&value)) {
        return Files{text_file("text.md", "text/markdown", text->text)};
    }
    if (const auto* table = std::get_if<Table>(&value)) {
        return Files{text_file("table.json", "application/json", table_json(*table))};
    }
    if (const auto* curve = std::get_if<PrCurve>(&value)) {
        return Files{text_file("curve.json", "application/json", table_json(table_of(*curve)))};
    }
    if (const auto* figure = std::get_if<Figure>(&value)) {
        return figure_files(*figure);
    }
    if (const auto* graph = std::get_if<Graph>(&value)) {
        return Files{text_file("graph.json", "application/json", graph_json(*graph))};
    }
    if (const auto* histogram = std::get_if<Histogram>(&value)) {
        return Files{text_file("histogram.json", "application/json", histogram_json(*histogram))};
    }
    if (const auto* embedding = std::get_if<Embedding>(&value)) {
        return embedding_files(*embedding);
    }
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
        TAFFRAIL_ASSIGN(ValueFile file,
                        npy_file("tensor.npy", tensor->data, tensor->dtype, tensor->shape));
        return Files{std::move(file)};
    }
    if (const auto* artifact = std::get_if<Artifact>(&value)) {
        return artifact_files(*artifact);
    }
    return Files{};
}

std::string tsv_of(const Table& table) {
    std::string text;
    const auto put = [&text](std::size_t place, std::string word) {
        std::ranges::replace_if(
            word, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
        text += (place == 0 ? "" : "\t") + word;
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        put(i, table.columns[i]);
    }
    text += '\n';
    for (const std::vector<Cell>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            put(i, cell_text(row[i]));
        }
        text += '\n';
    }
    return text;
}

Table table_of(const PrCurve& curve) {
    Table table{.columns = {"threshold", "precision", "recall", "true_positives", "false_positives",
                            "true_negatives", "false_negatives"}};
    const auto at = [](const std::vector<double>& values, std::size_t i) -> Cell {
        return i < values.size() ? Cell(values[i]) : Cell();
    };
    for (std::size_t i = 0; i < curve.thresholds.size(); ++i) {
        table.rows.push_back({curve.thresholds[i], at(curve.precision, i), at(curve.recall, i),
                              at(curve.true_positives, i), at(curve.false_positives, i),
                              at(curve.true_negatives, i), at(curve.false_negatives, i)});
    }
    return table;
}

}  // namespace taffrail
