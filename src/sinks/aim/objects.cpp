#include "sinks/aim/objects.h"

#include "base/try.h"
#include "codec/json_writer.h"
#include "codec/mesh.h"
#include "codec/value_files.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sinks::aim {

namespace leaves = formats::aim;
using formats::aim::Path;

namespace {

/// Bytes that are read apart: the key itself holds nothing.
void put_blob(const Path& path, std::string_view leaf, const Put& put) {
    put(path.bytes(), {});
    put(Path({"BLOBS"}).bytes() + path.bytes(), leaf);
}

void put_picture(const Path& path, std::string_view format, ByteSpan bytes, std::int64_t width,
                 std::int64_t height, int channels, std::string_view caption, const Put& put) {
    put(path.bytes(), leaves::custom("aim.image"));
    put((path / "caption").bytes(), leaves::text(caption));
    put_blob(path / "data", leaves::bytes(bytes), put);
    put((path / "format").bytes(), leaves::text(format));
    put((path / "height").bytes(), leaves::whole(height));
    put((path / "mode").bytes(), leaves::text(channels == 1   ? "L"
                                              : channels == 4 ? "RGBA"
                                                              : "RGB"));
    put((path / "source").bytes(), leaves::text("PIL.Image"));
    put((path / "width").bytes(), leaves::whole(width));
}

Result<void> put_image(const Path& path, const Image& image, const Put& put) {
    TAFFRAIL_ASSIGN(const auto files, files_of(Value(image)));
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string caption = image.captions.empty()      ? std::string()
                                    : i < image.captions.size() ? image.captions[i]
                                                                : image.captions.front();
        const std::string format(files[i].ending() == "jpg" ? "jpeg" : files[i].ending());
        put_picture(files.size() == 1 ? path : path / static_cast<std::int64_t>(i), format,
                    files[i].bytes, image.width, image.height, image.channels, caption, put);
    }
    if (files.size() > 1) {
        put(path.bytes(), leaves::array());
    }
    return {};
}

/// Bins of equal width: ours are shared out where they overlap.
void put_distribution(const Path& path, const Histogram& histogram, const Put& put) {
    constexpr std::size_t kMost = 512;
    const std::size_t bins = std::clamp<std::size_t>(histogram.counts.size(), 1, kMost);
    const double low = histogram.edges.empty() ? 0 : histogram.edges.front();
    const double high = histogram.edges.empty() ? 1 : histogram.edges.back();
    const double width = (high - low) / static_cast<double>(bins);
    std::vector<double> weights(bins, 0);
    for (std::size_t i = 0; i < histogram.counts.size() && i + 1 < histogram.edges.size(); ++i) {
        const double from = histogram.edges[i], to = histogram.edges[i + 1];
        if (!(width > 0) || !(to > from)) {
            weights[0] += histogram.counts[i];
            continue;
        }
        const auto first = static_cast<std::size_t>(
            std::clamp((from - low) / width + 1e-9, 0.0, static_cast<double>(bins - 1)));
        for (std::size_t bin = first; bin < bins; ++bin) {
            const double begin = low + width * static_cast<double>(bin);
            const double shared = std::min(to, begin + width) - std::max(from, begin);
            if (shared <= 0) {
                break;
            }
            weights[bin] += histogram.counts[i] * std::min(1.0, shared / (to - from));
        }
    }
    put(path.bytes(), leaves::custom("aim.distribution"));
    put((path / "bin_count").bytes(), leaves::whole(static_cast<std::int64_t>(bins)));
    put_blob(path / "data", leaves::bytes(std::as_bytes(std::span(weights))), put);
    put((path / "dtype").bytes(), leaves::text("float64"));
    put((path / "range").bytes(), leaves::array());
    put((path / "range" / std::int64_t{0}).bytes(), leaves::number(low));
    put((path / "range" / std::int64_t{1}).bytes(), leaves::number(high));
}

void put_figure(const Path& path, std::string_view json, const Put& put) {
    put(path.bytes(), leaves::custom("aim.figure"));
    put_blob(path / "data", leaves::text(json), put);
    put((path / "format").bytes(), leaves::text("raw_json"));
    put((path / "source").bytes(), leaves::text("plotly"));
    put((path / "version").bytes(), leaves::text("5.0.0"));
}

std::string mesh_figure(const MeshArrays& mesh) {
    JsonWriter json;
    const bool is_cloud = mesh.faces.empty();
    json.begin_object().key("data").begin_array().begin_object();
    json.member("type", is_cloud ? "scatter3d" : "mesh3d");
    if (is_cloud) {
        json.member("mode", "markers");
    }
    constexpr std::string_view kAxes[] = {"x", "y", "z"}, kCorners[] = {"i", "j", "k"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        json.key(kAxes[axis]).begin_array();
        for (std::size_t i = axis; i < mesh.vertices.size(); i += 3) {
            json.value(static_cast<double>(mesh.vertices[i]));
        }
        json.end_array();
    }
    for (std::size_t corner = 0; corner < 3 && !is_cloud; ++corner) {
        json.key(kCorners[corner]).begin_array();
        for (std::size_t i = corner; i < mesh.faces.size(); i += 3) {
            json.value(mesh.faces[i]);
        }
        json.end_array();
    }
    json.end_object().end_array().key("layout").begin_object().end_object().end_object();
    return std::move(json).take();
}

std::string curve_figure(const PrCurve& curve) {
    JsonWriter json;
    json.begin_object().key("data").begin_array().begin_object().member("type", "scatter");
    json.key("x").begin_array();
    for (const double value : curve.recall) {
        json.value(value);
    }
    json.end_array().key("y").begin_array();
    for (const double value : curve.precision) {
        json.value(value);
    }
    json.end_array().end_object().end_array().key("layout").begin_object();
    json.end_object().end_object();
    return std::move(json).take();
}

}  // namespace

ObjectType type_of(const Value& value) {
    if (const auto* image = std::get_if<Image>(&value)) {
        return image->images.size() == 1
                   ? ObjectType{"aim.image", "images"}
                   : ObjectType{"list(aim.image)", "images",
                                static_cast<std::int64_t>(image->images.size())};
    }
    const auto* audio = std::get_if<Audio>(&value);
    const auto* figure = std::get_if<Figure>(&value);
    return std::holds_alternative<Histogram>(value)
               ? ObjectType{"aim.distribution", "distributions"}
           : audio != nullptr &&
                   (audio->format == "wav" || audio->format == "mp3" || audio->format == "flac")
               ? ObjectType{"aim.audio", "audios"}
           : (figure != nullptr && !figure->plotly_json.empty()) ||
                   std::holds_alternative<Mesh>(value) || std::holds_alternative<PrCurve>(value)
               ? ObjectType{"aim.figure", "figures"}
           : std::holds_alternative<Text>(value) || std::holds_alternative<Table>(value) ||
                   std::holds_alternative<Graph>(value) || std::holds_alternative<Alert>(value)
               ? ObjectType{"aim.text", "texts"}
               : ObjectType{};
}

Result<void> put_object(const Path& path, const Value& value, const Put& put) {
    if (const auto* image = std::get_if<Image>(&value)) {
        return put_image(path, *image, put);
    }
    if (const auto* histogram = std::get_if<Histogram>(&value)) {
        put_distribution(path, *histogram, put);
        return {};
    }
    if (const auto* figure = std::get_if<Figure>(&value)) {
        put_figure(path, figure->plotly_json, put);
        return {};
    }
    if (const auto* curve = std::get_if<PrCurve>(&value)) {
        put_figure(path, curve_figure(*curve), put);
        return {};
    }
    if (const auto* mesh = std::get_if<Mesh>(&value)) {
        if (!mesh->data.bytes) {
            return Error{ErrorCode::Internal, "the bytes of a mesh were not loaded"};
        }
        TAFFRAIL_ASSIGN(const MeshArrays arrays, read_mesh(*mesh, *mesh->data.bytes));
        put_figure(path, mesh_figure(arrays), put);
        return {};
    }
    if (const auto* audio = std::get_if<Audio>(&value)) {
        TAFFRAIL_ASSIGN(const auto files, files_of(value));
        put(path.bytes(), leaves::custom("aim.audio"));
        put((path / "caption").bytes(), leaves::text(audio->caption));
        put_blob(path / "data", leaves::bytes(files.front().bytes), put);
        put((path / "format").bytes(), leaves::text(audio->format));
        return {};
    }
    const auto* text = std::get_if<Text>(&value);
    const auto* alert = std::get_if<Alert>(&value);
    std::string words = text != nullptr    ? text->text
                        : alert != nullptr ? alert->title + ": " + alert->text
                                           : std::string();
    if (text == nullptr && alert == nullptr) {
        TAFFRAIL_ASSIGN(const auto files, files_of(value));
        words = files.empty() ? std::string() : std::string(as_text(files.front().bytes));
    }
    put(path.bytes(), leaves::custom("aim.text"));
    put_blob(path / "data", leaves::text(words), put);
    return {};
}

}  // namespace taffrail::sinks::aim
