#include "trackers/value_files.h"

#include "base/strings.h"
#include "base/try.h"
#include "codec/gif.h"
#include "codec/jpeg.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/npy.h"
#include "codec/png.h"
#include "codec/raw_picture.h"
#include "codec/tensor.h"
#include "codec/value_files.h"
#include "codec/video_encoder.h"

namespace taffrail::trackers {
namespace {

using Files = std::vector<ValueFile>;

Result<ByteSpan> loaded(const Blob& blob, std::string_view key) {
    if (!blob.bytes) {
        return Error{ErrorCode::Internal,
                     "the bytes of '" + std::string(key) + "' were not loaded"};
    }
    return ByteSpan(*blob.bytes);
}

Bytes copy_of(ByteSpan bytes) {
    return {bytes.begin(), bytes.end()};
}

ValueFile text_file(std::string name, std::string mime, std::string_view text) {
    return {std::move(name), std::move(mime), copy_of(as_bytes(text))};
}

ValueFile json_file(std::string name, std::string_view json) {
    return text_file(std::move(name), "application/json", json);
}

Result<Files> of(std::string_view, const Histogram& histogram) {
    return Files{json_file("histogram.json", histogram_json(histogram))};
}

Result<Files> of(std::string_view key, const Image& image) {
    Files files;
    for (std::size_t i = 0; i < image.images.size(); ++i) {
        const std::string name = image.images.size() == 1 ? "image" : std::to_string(i);
        TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(image.images[i], key));
        if (image.format == "raw") {
            TAFFRAIL_ASSIGN(Bytes png, raw_to_png(image, bytes));
            files.push_back({name + ".png", "image/png", std::move(png)});
        } else {
            files.push_back({name + "." + std::string(file_extension(image.format)),
                             std::string(mime_type(image.format)), copy_of(bytes)});
        }
    }
    return files;
}

Result<Files> of(std::string_view key, const Audio& audio) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(audio.data, key));
    return Files{{"audio." + std::string(file_extension(audio.format)),
                  std::string(mime_type(audio.format)), copy_of(bytes)}};
}

Result<Files> of(std::string_view key, const Video& video) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(video.data, key));
    if (video.format != "frames") {
        return Files{{"video." + std::string(file_extension(video.format)),
                      std::string(mime_type(video.format)), copy_of(bytes)}};
    }
    if (auto film = encode_video(bytes, video); film.ok()) {
        return Files{{"video." + std::string(file_extension(film->format)),
                      std::string(mime_type(film->format)), std::move(film->file)}};
    }
    TAFFRAIL_ASSIGN(Bytes gif,
                    encode_gif({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                               video.frames, static_cast<std::uint32_t>(video.width),
                               static_cast<std::uint32_t>(video.height), video.channels,
                               video.frames_per_second));
    return Files{{"video.gif", "image/gif", std::move(gif)}};
}

Result<Files> of(std::string_view key, const Mesh& mesh) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(mesh.data, key));
    if (mesh.format != "arrays") {
        return Files{{"mesh." + mesh.format, std::string(mime_type(mesh.format)), copy_of(bytes)}};
    }
    TAFFRAIL_ASSIGN(const MeshArrays arrays, read_mesh(mesh, bytes));
    return arrays.faces.empty()
               ? Files{{"points.ply", std::string(mime_type("ply")), write_ply(arrays)}}
               : Files{{"mesh.glb", std::string(mime_type("glb")), write_glb(arrays)}};
}

Result<Files> of(std::string_view, const Text& text) {
    return Files{text.plain ? text_file("text.txt", "text/plain", text.text)
                            : text_file("text.md", "text/markdown", text.text)};
}

Result<Files> of(std::string_view, const Table& table) {
    return Files{json_file("table.json", table_json(table))};
}

Result<Files> of(std::string_view key, const Figure& figure) {
    Files files;
    if (!figure.plotly_json.empty()) {
        files.push_back(json_file("figure.json", figure.plotly_json));
    }
    if (figure.picture.bytes || figure.plotly_json.empty()) {
        TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(figure.picture, key));
        files.push_back({"figure." + std::string(file_extension(figure.picture_format)),
                         std::string(mime_type(figure.picture_format)), copy_of(bytes)});
    }
    return files;
}

Result<Files> of(std::string_view, const Graph& graph) {
    return Files{json_file("graph.json", graph_json(graph))};
}

Result<Files> of(std::string_view, const PrCurve& curve) {
    return Files{json_file("pr_curve.json", table_json(table_of(curve)))};
}

Result<ValueFile> npy_file(std::string name, std::string_view key, const Blob& blob, DType dtype,
                           const Shape& shape) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(blob, key));
    if (shape.elements() < 0 ||
        bytes.size() != static_cast<std::size_t>(shape.elements()) * size_of(dtype)) {
        return Error{ErrorCode::InvalidArgument,
                     "the elements of '" + std::string(key) + "' do not fill its shape"};
    }
    return ValueFile{std::move(name), "application/octet-stream", encode_npy(bytes, dtype, shape)};
}

Result<Files> of(std::string_view key, const Tensor& tensor) {
    TAFFRAIL_ASSIGN(ValueFile file,
                    npy_file("tensor.npy", key, tensor.data, tensor.dtype, tensor.shape));
    return Files{std::move(file)};
}

Result<Files> of(std::string_view key, const Embedding& embedding) {
    TAFFRAIL_ASSIGN(ValueFile vectors, npy_file("vectors.npy", key, embedding.vectors, DType::F32,
                                                Shape{embedding.count, embedding.dimensions}));
    Files files{std::move(vectors)};
    if (!embedding.metadata.columns.empty()) {
        files.push_back(json_file("metadata.json", table_json(embedding.metadata)));
    }
    if (embedding.sprite.bytes) {
        files.push_back({"sprite.png", "image/png", copy_of(*embedding.sprite.bytes)});
    }
    return files;
}

Result<Files> of(std::string_view key, const Artifact& artifact) {
    Files files;
    for (const ArtifactFile& file : artifact.files) {
        TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(file.data, key));
        const auto info = probe_media(bytes, file.path);
        files.push_back({file.path,
                         info.ok() ? std::string(mime_type(info->format))
                                   : std::string("application/octet-stream"),
                         copy_of(bytes)});
    }
    return files;
}

/// Kinds that say something about the run: they are no files anywhere.
template <typename Other>
Result<Files> of(std::string_view, const Other&) {
    return Files{};
}

}  // namespace

Result<std::vector<ValueFile>> files_of(std::string_view key, const Value& value) {
    return std::visit([&](const auto& held) { return of(key, held); }, value);
}

Result<PictureBytes> picture_of(const Image& image, std::size_t index) {
    TAFFRAIL_ASSIGN(const ByteSpan bytes, loaded(image.images.at(index), "an image"));
    PictureBytes picture;
    if (image.format == "raw") {
        TAFFRAIL_ASSIGN(picture.pixels, raw_pixels(image, bytes));
        picture.width = static_cast<std::uint32_t>(image.width);
        picture.height = static_cast<std::uint32_t>(image.height);
        picture.channels = image.channels;
        return picture;
    }
    Result<Pixels> decoded =
        image.format == "png" ? decode_png(bytes)
        : image.format == "jpeg"
            ? decode_jpeg(bytes)
            : Result<Pixels>(Error{ErrorCode::Unsupported,
                                   "pictures of format " + image.format + " are not taken apart"});
    if (!decoded.ok()) {
        return decoded.error();
    }
    picture.width = decoded->width;
    picture.height = decoded->height;
    picture.channels = decoded->channels;
    const std::size_t step = decoded->bit_depth == 16 ? 2 : 1;
    picture.pixels.reserve(decoded->data.size() / step);
    // The high byte of a 16-bit sample; they are in the order of this machine.
    for (std::size_t i = step - 1; i < decoded->data.size(); i += step) {
        picture.pixels.push_back(static_cast<std::uint8_t>(decoded->data[i]));
    }
    return picture;
}

}  // namespace taffrail::trackers
