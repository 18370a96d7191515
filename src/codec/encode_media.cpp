// The second half of capturing: what may take milliseconds and therefore happens on the collector.
#include "base/sha256.h"
#include "base/try.h"
#include "codec/capture.h"
#include "codec/image_resize.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/value_check.h"
#include "codec/value_codec.h"
#include "codec/video_encoder.h"

#include <algorithm>
#include <cmath>

namespace taffrail {
namespace {

Result<void> encode_image(Image& image) {
    if (image.format != "raw" || is_floating(image.dtype)) {
        return {};
    }
    for (const Blob& blob : image.images) {
        if (blob.bytes == nullptr) {
            return Error{ErrorCode::NotFound, "a raw picture without its pixels"};
        }
    }
    const int depth = image.dtype == DType::U16 ? 16 : 8;
    for (Blob& blob : image.images) {
        TAFFRAIL_ASSIGN(
            Bytes file,
            encode_png(blob.bytes->data(), static_cast<std::uint32_t>(image.width),
                       static_cast<std::uint32_t>(image.height), image.channels, depth));
        blob = make_blob(std::move(file));
    }
    image.format = "png";
    return {};
}

void encode_frames(Video& video) {
    if (video.format != "frames" || video.data.bytes == nullptr) {
        return;
    }
    // Without an encoder the frames stay frames: nothing is lost, only larger.
    if (auto encoded = encode_video(*video.data.bytes, video); encoded.ok()) {
        video.format = encoded->format;
        video.data = make_blob(std::move(encoded->file));
    }
}

}  // namespace

void seal_blob(Blob& blob) {
    if (blob.bytes != nullptr && blob.ref.sha256 == Sha256{}) {
        blob.ref.size = blob.bytes->size();
        blob.ref.sha256 = sha256(*blob.bytes);
    }
}

Result<void> encode_media(Value& value) {
    // Copies of runs come by here too, with shapes that somebody else wrote down.
    TAFFRAIL_TRY(check_value(value));
    if (auto* image = std::get_if<Image>(&value)) {
        TAFFRAIL_TRY(encode_image(*image));
    } else if (auto* video = std::get_if<Video>(&value)) {
        encode_frames(*video);
    }
    for_each_blob(value, seal_blob);
    return {};
}

Result<Value> capture_embedding(const TensorView& vectors, const EmbeddingOptions& options) {
    TAFFRAIL_TRY(check_tensor(vectors, "embedding"));
    const auto refuse = [&](const std::string& why) {
        return Error{ErrorCode::InvalidArgument, "embedding " + describe(vectors) + ": " + why};
    };
    if (vectors.shape.rank() != 2 || vectors.shape.elements() == 0) {
        return refuse("give vectors as [count, dimensions]");
    }
    Embedding embedding;
    embedding.count = vectors.shape[0];
    embedding.dimensions = vectors.shape[1];
    const std::vector<float> numbers = to_f32(vectors);
    const auto* from = reinterpret_cast<const std::byte*>(numbers.data());
    embedding.vectors = make_blob(Bytes(from, from + numbers.size() * sizeof(float)));
    if (options.metadata != nullptr) {
        TAFFRAIL_TRY(capture_table(*options.metadata));
        if (static_cast<std::int64_t>(options.metadata->rows.size()) != embedding.count) {
            return refuse("metadata has " + std::to_string(options.metadata->rows.size()) +
                          " rows; give one per vector");
        }
        embedding.metadata = *options.metadata;
    }
    if (options.thumbnails == nullptr) {
        return Value(std::move(embedding));
    }

    // One square picture of all thumbnails, as TensorBoard's projector wants it: at most 8192
    // pixels a side.
    TAFFRAIL_ASSIGN(Value captured, capture_image(*options.thumbnails));
    const Image& image = std::get<Image>(captured);
    if (static_cast<std::int64_t>(image.images.size()) != embedding.count) {
        return refuse(std::to_string(image.images.size()) + " thumbnails; give one per vector");
    }
    const auto columns =
        static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(embedding.count))));
    const std::int64_t limit = std::max<std::int64_t>(8192 / columns, 1);
    embedding.thumbnail_width = std::min(image.width, limit);
    embedding.thumbnail_height = std::min(image.height, limit);
    const auto depth = static_cast<std::size_t>(image.channels);
    const auto width = static_cast<std::size_t>(embedding.thumbnail_width * columns);
    const auto height = static_cast<std::size_t>(embedding.thumbnail_height * columns);
    Bytes sprite(width * height * depth);
    for (std::size_t i = 0; i < image.images.size(); ++i) {
        const Bytes& raw = *image.images[i].bytes;
        std::vector<std::uint8_t> pixels =
            to_u8(TensorView(raw.data(), image.dtype,
                             {static_cast<std::int64_t>(raw.size() / size_of(image.dtype))}));
        pixels = resize_image(pixels, static_cast<std::uint32_t>(image.width),
                              static_cast<std::uint32_t>(image.height), image.channels,
                              static_cast<std::uint32_t>(embedding.thumbnail_width),
                              static_cast<std::uint32_t>(embedding.thumbnail_height));
        const auto row_size = static_cast<std::size_t>(embedding.thumbnail_width) * depth;
        const std::size_t left = i % static_cast<std::size_t>(columns) * row_size;
        const std::size_t top = i / static_cast<std::size_t>(columns) *
                                static_cast<std::size_t>(embedding.thumbnail_height);
        for (std::size_t y = 0; y < static_cast<std::size_t>(embedding.thumbnail_height); ++y) {
            std::memcpy(sprite.data() + (top + y) * width * depth + left,
                        pixels.data() + y * row_size, row_size);
        }
    }
    TAFFRAIL_ASSIGN(Bytes file, encode_png(sprite.data(), static_cast<std::uint32_t>(width),
                                           static_cast<std::uint32_t>(height), image.channels));
    embedding.sprite = make_blob(std::move(file));
    return Value(std::move(embedding));
}

}  // namespace taffrail
