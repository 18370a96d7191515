#include "sinks/tensorboard/encode_record.h"

#include "base/try.h"
#include "codec/formats/tensorboard/tensor.h"
#include "codec/gif.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/raw_picture.h"
#include "codec/tensor.h"
#include "codec/video_encoder.h"

#include <algorithm>

namespace taffrail::sinks::tensorboard {
namespace {

Error missing(std::string_view tag) {
    return {ErrorCode::Internal,
            "the bytes of '" + std::string(tag) + "' were not loaded for TensorBoard"};
}

std::string join_captions(const std::vector<std::string>& captions) {
    std::string text;
    for (const std::string& caption : captions) {
        text += (text.empty() ? "" : " · ") + caption;
    }
    return text;
}

Result<EncodedValue> encode_image(std::string_view tag, const Image& image) {
    std::vector<Bytes> converted;
    std::vector<ByteSpan> pictures;
    converted.reserve(image.images.size());
    for (const Blob& blob : image.images) {
        if (!blob.bytes) {
            return missing(tag);
        }
        if (image.format == "raw") {
            TAFFRAIL_ASSIGN(Bytes png, raw_to_png(image, *blob.bytes));
            pictures.emplace_back(converted.emplace_back(std::move(png)));
        } else {
            pictures.emplace_back(*blob.bytes);
        }
    }
    return encode_pictures(tag, image.width, image.height, pictures, join_captions(image.captions));
}

Result<EncodedValue> encode_frames(std::string_view tag, const Video& video, ByteSpan bytes) {
    const std::span<const std::uint8_t> frames(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               bytes.size());
    TAFFRAIL_ASSIGN(const Bytes gif,
                    encode_gif(frames, video.frames, static_cast<std::uint32_t>(video.width),
                               static_cast<std::uint32_t>(video.height), video.channels,
                               video.frames_per_second));
    const ByteSpan picture = gif;
    return encode_pictures(tag, video.width, video.height, {&picture, 1}, video.caption);
}

/// The top left part of every frame.
Bytes cropped(const DecodedVideo& video, std::int64_t width, std::int64_t height) {
    Bytes frames;
    frames.reserve(static_cast<std::size_t>(video.count * width * height) * 3);
    for (std::int64_t frame = 0; frame < video.count; ++frame) {
        for (std::int64_t y = 0; y < height; ++y) {
            const auto begin =
                static_cast<std::size_t>((frame * video.height + y) * video.width) * 3;
            append(frames,
                   ByteSpan(video.frames).subspan(begin, static_cast<std::size_t>(width) * 3));
        }
    }
    return frames;
}

Result<EncodedValue> encode_video(std::string_view tag, const Video& video) {
    if (!video.data.bytes) {
        return missing(tag);
    }
    const ByteSpan bytes = *video.data.bytes;
    if (video.format == "gif") {
        return encode_pictures(tag, video.width, video.height, {&bytes, 1}, video.caption);
    }
    if (video.format == "frames") {
        return encode_frames(tag, video, bytes);
    }
    // The store keeps MP4 or WebM; TensorBoard shows animated GIF only.
    auto decoded = decode_video(bytes);
    if (!decoded.ok()) {
        return Error{ErrorCode::Unsupported, "TensorBoard shows animated GIF only; '" +
                                                 std::string(tag) + "' is " + video.format +
                                                 " and stays in the native store (" +
                                                 decoded.error().message + ")"};
    }
    Video frames = video;
    frames.channels = 3;
    frames.frames = decoded->count;
    // The codecs made odd sizes even by one pixel more.
    frames.width = std::min(video.width > 0 ? video.width : decoded->width, decoded->width);
    frames.height = std::min(video.height > 0 ? video.height : decoded->height, decoded->height);
    if (!(frames.frames_per_second > 0)) {
        frames.frames_per_second =
            decoded->frames_per_second > 0 ? decoded->frames_per_second : 10.0;
    }
    return encode_frames(tag, frames, cropped(*decoded, frames.width, frames.height));
}

Result<std::vector<EncodedValue>> encode_logged_mesh(std::string_view tag, const Mesh& mesh) {
    if (!mesh.data.bytes) {
        return missing(tag);
    }
    TAFFRAIL_ASSIGN(const MeshArrays arrays, read_mesh(mesh, *mesh.data.bytes));
    std::vector<std::int32_t> faces(arrays.faces.begin(), arrays.faces.end());
    return encode_mesh(tag, {.batch = 1,
                             .vertex_count = static_cast<std::int64_t>(arrays.vertices.size() / 3),
                             .face_count = static_cast<std::int64_t>(faces.size() / 3),
                             .vertices = arrays.vertices,
                             .faces = faces,
                             .colors = arrays.colors,
                             .config_json = mesh.config_json});
}

Result<EncodedValue> encode_one(std::string_view tag, const Value& value) {
    switch (kind_of(value)) {
        case Kind::Scalar:
            return encode_scalar(tag, std::get<double>(value));
        case Kind::Histogram:
            return encode_histogram(tag, std::get<Histogram>(value));
        case Kind::Image:
            return encode_image(tag, std::get<Image>(value));
        case Kind::Video:
            return encode_video(tag, std::get<Video>(value));
        case Kind::Audio: {
            const auto& audio = std::get<Audio>(value);
            if (!audio.data.bytes) {
                return missing(tag);
            }
            return encode_audio(tag, *audio.data.bytes, audio.caption);
        }
        case Kind::Text:
            return encode_text(tag, std::get<Text>(value));
        case Kind::Table:
            return encode_table(tag, std::get<Table>(value));
        case Kind::PrCurve:
            return encode_pr_curve(tag, std::get<PrCurve>(value));
        case Kind::Figure: {
            const auto& figure = std::get<Figure>(value);
            if (figure.picture.bytes) {
                Image image;
                image.format = figure.picture_format;
                if (const auto info = probe_media(*figure.picture.bytes); info.ok()) {
                    image.width = info->width;
                    image.height = info->height;
                }
                image.images.push_back(figure.picture);
                return encode_image(tag, image);
            }
            return encode_text(tag, {.text = figure.plotly_json, .plain = true});
        }
        case Kind::Note:
            return encode_text(tag, {.text = std::get<Note>(value).text, .plain = false});
        case Kind::Alert: {
            const auto& alert = std::get<Alert>(value);
            return encode_text(
                tag, {.text = "**" + alert.title + "**\n\n" + alert.text, .plain = false});
        }
        case Kind::Tensor: {
            const auto& tensor = std::get<Tensor>(value);
            if (!tensor.data.bytes) {
                return missing(tag);
            }
            const TensorType type = tensor_type_of(tensor.dtype);
            if (type == TensorType::Invalid) {
                const auto floats =
                    to_f32(TensorView(tensor.data.bytes->data(), tensor.dtype, tensor.shape));
                return encode_tensor_value(tag, TensorType::Float, tensor.shape.extents(),
                                           {reinterpret_cast<const std::byte*>(floats.data()),
                                            floats.size() * sizeof(float)});
            }
            return encode_tensor_value(tag, type, tensor.shape.extents(), *tensor.data.bytes);
        }
        default:
            return Error{ErrorCode::Unsupported, "event files have no place for this kind"};
    }
}

}  // namespace

bool has_place(Kind kind) noexcept {
    return kind != Kind::Artifact && kind != Kind::Tag && kind != Kind::MetricDefinition &&
           kind != Kind::Summary;
}

Result<std::vector<EncodedValue>> encode_logged(std::string_view tag, const Value& value) {
    if (const auto* mesh = std::get_if<Mesh>(&value)) {
        return encode_logged_mesh(tag, *mesh);
    }
    TAFFRAIL_ASSIGN(EncodedValue one, encode_one(tag, value));
    std::vector<EncodedValue> values;
    values.push_back(std::move(one));
    return values;
}

}  // namespace taffrail::sinks::tensorboard
