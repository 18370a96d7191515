// What decodes must encode to bytes that decode to the same bytes, and be fit for use: with its
// blobs filled in, every value becomes what an export makes of it.
#include "codec/capture.h"
#include "codec/gif.h"
#include "codec/image_resize.h"
#include "codec/mesh.h"
#include "codec/npy.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/value_check.h"
#include "codec/value_codec.h"
#include "query/export/value_json.h"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace taffrail;

// Sizes beyond are the business of whoever loads blobs: no file of a test holds them.
constexpr std::uint64_t kMostBlobBytes = 1u << 16;

/// Gives every blob the bytes its size promises. False for sizes that are not worth a try.
bool fill_blobs(Value& value, ByteSpan pattern) {
    bool is_small = true;
    for_each_blob(value, [&](Blob& blob) {
        if (blob.ref.size > kMostBlobBytes) {
            is_small = false;
            return;
        }
        Bytes bytes(static_cast<std::size_t>(blob.ref.size));
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = pattern[i % pattern.size()];
        }
        blob = make_blob(std::move(bytes));
    });
    return is_small;
}

void use(const Image& image) {
    for (const Blob& blob : image.images) {
        if (image.format != "raw" || blob.bytes == nullptr) {
            continue;
        }
        const Shape shape{image.height, image.width, image.channels};
        const TensorView pixels(blob.bytes->data(), image.dtype, shape);
        const auto width = static_cast<std::uint32_t>(image.width),
                   height = static_cast<std::uint32_t>(image.height);
        (void)to_f32(pixels);
        const auto levels = to_u8(pixels);
        (void)encode_png(reinterpret_cast<const std::byte*>(levels.data()), width, height,
                         image.channels);
        (void)resize_image(levels, width, height, image.channels, std::min(width, 3u),
                           std::min(height, 3u));
        (void)encode_npy(*blob.bytes, image.dtype, shape);
    }
}

void use(const Video& video) {
    if (video.format == "frames" && video.data.bytes != nullptr) {
        const std::span pixels(reinterpret_cast<const std::uint8_t*>(video.data.bytes->data()),
                               video.data.bytes->size());
        (void)encode_gif(pixels, video.frames, static_cast<std::uint32_t>(video.width),
                         static_cast<std::uint32_t>(video.height), video.channels,
                         video.frames_per_second);
    }
}

void use(const Mesh& mesh) {
    if (mesh.data.bytes == nullptr) {
        return;
    }
    if (const auto arrays = read_mesh(mesh, *mesh.data.bytes); arrays.ok()) {
        (void)write_obj(*arrays);
        (void)write_ply(*arrays);
        (void)write_glb(*arrays);
    }
}

void use(const Embedding& embedding) {
    if (embedding.vectors.bytes != nullptr) {
        (void)encode_npy(*embedding.vectors.bytes, DType::F32,
                         {embedding.count, embedding.dimensions});
    }
}

void use(const Tensor& tensor) {
    if (tensor.data.bytes != nullptr) {
        const TensorView view(tensor.data.bytes->data(), tensor.dtype, tensor.shape);
        (void)to_f64(view);
        (void)capture_histogram(view);
        (void)encode_npy(*tensor.data.bytes, tensor.dtype, tensor.shape);
    }
}

template <typename T>
void use(const T&) {}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan input(reinterpret_cast<const std::byte*>(data), size);
    auto value = decode_value(input);
    if (!value.ok()) {
        return 0;
    }
    const Bytes bytes = encode_value(*value);
    const auto again = decode_value(bytes);
    if (!again.ok() || encode_value(*again) != bytes) {
        std::abort();
    }
    JsonWriter json;
    query::write_value(json, *value, {});
    if (!fill_blobs(*value, input)) {
        return 0;
    }
    // Bytes of exactly the sizes on record cannot make a good value a bad one.
    if (!check_value(*value).ok()) {
        std::abort();
    }
    std::visit([](const auto& content) { use(content); }, *value);
    (void)encode_media(*value);
    return 0;
}
