#include "codec/capture.h"

#include "base/try.h"
#include "codec/json.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/tensor.h"
#include "codec/wav.h"

#include <algorithm>
#include <cmath>

namespace taffrail {
namespace {

Error refuse(std::string_view what, const TensorView& tensor, std::string_view why) {
    return Error{ErrorCode::InvalidArgument,
                 std::string(what) + " " + describe(tensor) + ": " + std::string(why)};
}

bool plausible_channels(std::int64_t count) {
    return count == 1 || count == 3 || count == 4;
}

/// A picture or batch as N×H×W×C, without a copy.
Result<TensorView> as_nhwc(const TensorView& pixels, Layout layout, std::string_view what) {
    TAFFRAIL_TRY(check_tensor(pixels, what));
    TensorView view = pixels;
    const std::size_t rank = pixels.shape.rank();
    if (rank < 2 || rank > 4) {
        return refuse(what, pixels, "give H×W, H×W×C or C×H×W, with N in front for a batch");
    }
    std::vector<std::size_t> axes(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        axes[axis] = axis;
    }
    if (layout == Layout::Chw && rank > 2) {
        std::rotate(axes.end() - 3, axes.end() - 2, axes.end());
    }
    view = permuted(pixels, axes);
    TensorView nhwc(view.data, view.dtype, {}, {});
    if (rank < 4) {
        nhwc.shape.push_back(1);
        nhwc.strides.push_back(0);
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
        nhwc.shape.push_back(view.shape[axis]);
        nhwc.strides.push_back(view.strides[axis]);
    }
    if (rank == 2) {
        nhwc.shape.push_back(1);
        nhwc.strides.push_back(0);
    }
    if (!plausible_channels(nhwc.shape[3])) {
        const std::int64_t other =
            layout == Layout::Hwc ? pixels.shape[rank - 3] : pixels.shape[rank - 1];
        const std::string_view hint = !plausible_channels(other) ? "1, 3 or 4 channels are taken"
                                      : layout == Layout::Hwc
                                          ? "1, 3 or 4 channels are taken; is this Layout::Chw?"
                                          : "1, 3 or 4 channels are taken; is this Layout::Hwc?";
        return refuse(what, pixels, hint);
    }
    if (nhwc.shape.elements() == 0) {
        return refuse(what, pixels, "it is empty");
    }
    return nhwc;
}

Result<MediaInfo> probe_family(ByteSpan file, std::string_view name, std::string_view family,
                               std::string_view takes) {
    TAFFRAIL_ASSIGN(MediaInfo info, probe_media(file, name));
    // A GIF is a picture and a video at once.
    if (info.family != family && !(family == "video" && info.format == "gif")) {
        return Error{ErrorCode::InvalidArgument, std::string(name) + " is a " + info.format +
                                                     " file; give " + std::string(takes)};
    }
    return info;
}

}  // namespace

Blob make_blob(Bytes bytes) {
    Blob blob;
    blob.ref.size = bytes.size();
    blob.bytes = std::make_shared<const Bytes>(std::move(bytes));
    return blob;
}

Result<Value> capture_image(const ImageView& view, const ImageOptions& options) {
    TAFFRAIL_ASSIGN(const TensorView pixels, as_nhwc(view.pixels, view.layout, "image"));
    Image image;
    image.format = "raw";
    image.dtype = pixels.dtype;
    switch (pixels.dtype) {
        case DType::U8:
        case DType::U16:
        case DType::F16:
        case DType::BF16:
        case DType::F32:
            break;
        case DType::Bool:
            image.dtype = DType::U8;
            break;
        default:
            return refuse("image", view.pixels,
                          "pixels are u8, u16, bool, f16, bf16 or f32; convert them first");
    }
    image.height = pixels.shape[1];
    image.width = pixels.shape[2];
    image.channels = static_cast<int>(pixels.shape[3]);
    const auto count = static_cast<std::size_t>(pixels.shape[0]);
    if (!options.captions.empty() && options.captions.size() != count) {
        return refuse("image", view.pixels,
                      std::to_string(options.captions.size()) + " captions for " +
                          std::to_string(count) + " images; give one per image");
    }
    image.captions.assign(options.captions.begin(), options.captions.end());
    if (image.captions.empty() && !options.caption.empty()) {
        image.captions.emplace_back(options.caption);
    }
    for (std::int64_t i = 0; i < pixels.shape[0]; ++i) {
        const TensorView one = slice(pixels, i);
        if (one.dtype == DType::Bool) {
            const auto levels = to_u8(one);
            const auto* from = reinterpret_cast<const std::byte*>(levels.data());
            image.images.push_back(make_blob(Bytes(from, from + levels.size())));
        } else {
            image.images.push_back(make_blob(gather(one)));
        }
    }
    return Value(std::move(image));
}

Result<Value> capture_audio(const AudioView& view, const MediaOptions& options) {
    TAFFRAIL_TRY(check_tensor(view.samples, "audio"));
    const Shape& shape = view.samples.shape;
    if (shape.rank() < 1 || shape.rank() > 2 || shape.elements() == 0) {
        return refuse("audio", view.samples, "give samples as [frames] or [frames, channels]");
    }
    if (shape.rank() == 2 && shape[1] > 64 && shape[0] <= 64) {
        return refuse("audio", view.samples, "frames come first: [frames, channels]; transpose it");
    }
    Audio audio;
    audio.format = "wav";
    audio.sample_rate = view.sample_rate;
    audio.frames = shape[0];
    const std::int64_t channels = shape.rank() == 2 ? shape[1] : 1;
    if (channels > 65535) {
        return refuse("audio", view.samples, "a WAV file holds at most 65535 channels");
    }
    audio.channels = static_cast<int>(channels);
    audio.caption = options.caption;
    const auto wrap = [&](ByteSpan samples) {
        return encode_wav(samples, view.samples.dtype, audio.channels, view.sample_rate);
    };
    const std::size_t size =
        static_cast<std::size_t>(shape.elements()) * size_of(view.samples.dtype);
    auto file = is_contiguous(view.samples)
                    ? wrap({static_cast<const std::byte*>(view.samples.data), size})
                    : wrap(gather(view.samples));
    if (!file.ok()) {
        return refuse("audio", view.samples, file.error().message);
    }
    audio.data = make_blob(*std::move(file));
    return Value(std::move(audio));
}

Result<Value> capture_video(const VideoView& view, const MediaOptions& options) {
    if (view.frames.shape.rank() != 4) {
        return refuse("video", view.frames, "give frames as T×H×W×C or T×C×H×W");
    }
    TAFFRAIL_ASSIGN(const TensorView frames, as_nhwc(view.frames, view.layout, "video"));
    if (frames.dtype != DType::U8 && !is_floating(frames.dtype)) {
        return refuse("video", view.frames, "frames are u8 or floats 0…1; convert them first");
    }
    if (!(view.frames_per_second > 0) || !std::isfinite(view.frames_per_second)) {
        return refuse("video", view.frames, "frames_per_second must be positive");
    }
    Video video;
    video.format = "frames";
    video.frames = frames.shape[0];
    video.height = frames.shape[1];
    video.width = frames.shape[2];
    video.channels = static_cast<int>(frames.shape[3]);
    video.frames_per_second = view.frames_per_second;
    video.caption = options.caption;
    if (frames.dtype == DType::U8) {
        video.data = make_blob(gather(frames));
    } else {
        const auto levels = to_u8(frames);
        const auto* from = reinterpret_cast<const std::byte*>(levels.data());
        video.data = make_blob(Bytes(from, from + levels.size()));
    }
    return Value(std::move(video));
}

Result<Value> capture_mesh(const MeshView& view) {
    TAFFRAIL_TRY(check_mesh(view));
    Mesh mesh;
    mesh.format = "arrays";
    mesh.vertices = static_cast<std::int64_t>(view.vertices.size() / 3);
    mesh.faces = static_cast<std::int64_t>(view.faces.size() / 3);
    mesh.has_colors = !view.colors.empty();
    mesh.has_normals = !view.normals.empty();
    mesh.config_json = view.config_json;
    mesh.data = make_blob(pack_mesh(view));
    return Value(std::move(mesh));
}

Result<Value> capture_histogram(const TensorView& values, const HistogramOptions& options) {
    TAFFRAIL_TRY(check_tensor(values, "histogram"));
    if (options.bins == 0 || options.bins > 1'000'000) {
        return refuse("histogram", values, "bins must be between 1 and 1000000");
    }
    if (values.dtype == DType::F64 && is_contiguous(values)) {
        const auto* data = static_cast<const double*>(values.data);
        return Value(Histogram::from_values(
            {data, static_cast<std::size_t>(values.shape.elements())}, options.bins));
    }
    return Value(Histogram::from_values(to_f64(values), options.bins));
}

Result<Value> capture_histogram(const Histogram& bins) {
    if (bins.edges.size() != bins.counts.size() + 1 &&
        !(bins.edges.empty() && bins.counts.empty())) {
        return Error{ErrorCode::InvalidArgument,
                     "histogram with " + std::to_string(bins.edges.size()) + " edges and " +
                         std::to_string(bins.counts.size()) +
                         " counts: give one edge more than counts"};
    }
    if (!std::is_sorted(bins.edges.begin(), bins.edges.end())) {
        return Error{ErrorCode::InvalidArgument, "histogram edges must rise"};
    }
    return Value(bins);
}

Result<Value> capture_table(const Table& table) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (table.rows[row].size() != table.columns.size()) {
            return Error{ErrorCode::InvalidArgument,
                         "table row " + std::to_string(row) + " has " +
                             std::to_string(table.rows[row].size()) + " cells for " +
                             std::to_string(table.columns.size()) + " columns"};
        }
    }
    return Value(table);
}

Result<Value> capture_figure(std::string_view plotly_json, const ImageView* picture) {
    Figure figure;
    if (plotly_json.empty() && picture == nullptr) {
        return Error{ErrorCode::InvalidArgument, "figure: give Plotly JSON, a picture, or both"};
    }
    if (!plotly_json.empty()) {
        const auto parsed = parse_json(plotly_json);
        if (!parsed.ok() || !parsed->is_object()) {
            return Error{
                ErrorCode::InvalidArgument,
                "figure: " + (parsed.ok() ? "Plotly JSON is an object" : parsed.error().message)};
        }
        figure.plotly_json = plotly_json;
    }
    if (picture != nullptr) {
        TAFFRAIL_ASSIGN(Value captured, capture_image(*picture));
        Image& image = std::get<Image>(captured);
        if (image.images.size() != 1) {
            return refuse("figure", picture->pixels, "give one picture, not a batch");
        }
        // A figure has one picture format, so pixels become 8-bit PNG here; figures are rare
        // enough.
        if (is_floating(image.dtype)) {
            const auto levels = to_u8(TensorView(
                image.images[0].bytes->data(), image.dtype,
                {static_cast<std::int64_t>(image.images[0].bytes->size() / size_of(image.dtype))}));
            const auto* from = reinterpret_cast<const std::byte*>(levels.data());
            image.images[0] = make_blob(Bytes(from, from + levels.size()));
            image.dtype = DType::U8;
        }
        TAFFRAIL_TRY(encode_media(captured));
        figure.picture = image.images[0];
        figure.picture_format = image.format;
    }
    return Value(std::move(figure));
}

Result<Value> capture_pr_curve(const PrCurve& curve) {
    const std::size_t count = curve.thresholds.size();
    for (const auto* column : {&curve.true_positives, &curve.false_positives, &curve.true_negatives,
                               &curve.false_negatives, &curve.precision, &curve.recall}) {
        if (column->size() != count) {
            return Error{ErrorCode::InvalidArgument,
                         "PR curve: every column needs one number per threshold (" +
                             std::to_string(count) + ")"};
        }
    }
    return Value(curve);
}

Result<Value> capture_tensor(const TensorView& view) {
    TAFFRAIL_TRY(check_tensor(view, "tensor"));
    Tensor tensor;
    tensor.dtype = view.dtype;
    tensor.shape = view.shape;
    tensor.data = make_blob(gather(view));
    return Value(std::move(tensor));
}

Result<Value> capture_image_file(Bytes file, std::string_view name, const ImageOptions& options) {
    TAFFRAIL_ASSIGN(const MediaInfo info, probe_family(file, name, "image", "a PNG, JPEG or GIF"));
    Image image;
    image.format = info.format;
    image.dtype = info.bit_depth > 8 ? DType::U16 : DType::U8;
    image.width = info.width;
    image.height = info.height;
    image.channels = info.channels;
    image.images.push_back(make_blob(std::move(file)));
    if (!options.captions.empty() || !options.caption.empty()) {
        image.captions.emplace_back(options.captions.empty() ? options.caption
                                                             : options.captions[0]);
    }
    return Value(std::move(image));
}

Result<Value> capture_audio_file(Bytes file, std::string_view name, const MediaOptions& options) {
    TAFFRAIL_ASSIGN(const MediaInfo info,
                    probe_family(file, name, "audio", "a WAV, FLAC, Ogg or MP3 file"));
    Audio audio;
    audio.format = info.format;
    audio.sample_rate = info.sample_rate;
    audio.channels = info.channels;
    audio.frames = info.frames;
    audio.caption = options.caption;
    audio.data = make_blob(std::move(file));
    return Value(std::move(audio));
}

Result<Value> capture_video_file(Bytes file, std::string_view name, const MediaOptions& options) {
    TAFFRAIL_ASSIGN(const MediaInfo info, probe_family(file, name, "video", "an MP4, WebM or GIF"));
    Video video;
    video.format = info.format;
    video.width = info.width;
    video.height = info.height;
    video.frames = info.frames;
    video.frames_per_second = info.frames_per_second;
    video.caption = options.caption;
    video.data = make_blob(std::move(file));
    return Value(std::move(video));
}

Result<Value> capture_mesh_file(Bytes file, std::string_view name) {
    TAFFRAIL_ASSIGN(const MediaInfo info,
                    probe_family(file, name, "mesh", "an OBJ, PLY, STL or GLB file"));
    Mesh mesh;
    mesh.format = info.format;
    mesh.vertices = info.vertices;
    mesh.faces = info.faces;
    mesh.has_colors = info.has_colors;
    mesh.has_normals = info.has_normals;
    mesh.data = make_blob(std::move(file));
    return Value(std::move(mesh));
}

}  // namespace taffrail
