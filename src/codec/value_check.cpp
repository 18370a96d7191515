#include "codec/value_check.h"

#include "base/try.h"
#include "codec/value_fields.h"

#include <string>

namespace taffrail {
namespace {

Error wrong_size(const char* what, const Blob& blob, std::optional<std::uint64_t> expected) {
    return {ErrorCode::Corrupt,
            std::string(what) + " has " +
                std::to_string(blob.bytes ? blob.bytes->size() : blob.ref.size) + " bytes where " +
                (expected ? "its shape takes " + std::to_string(*expected) : "its shape is none")};
}

Result<void> check_size(const char* what, const Blob& blob, std::optional<std::uint64_t> expected) {
    // A blob that was recorded without its bytes has no size either; nothing is read of it.
    if (expected && !value_fields::is_present(blob)) {
        return {};
    }
    const std::uint64_t size = blob.bytes ? blob.bytes->size() : blob.ref.size;
    if (!expected || size != *expected) {
        return wrong_size(what, blob, expected);
    }
    return {};
}

Result<void> check(const Image& image) {
    if (image.format != "raw") {
        return {};
    }
    const std::int64_t extents[] = {image.height, image.width, image.channels};
    const auto expected = bytes_of_shape(extents, image.dtype);
    if (!expected || *expected == 0 || image.channels > 4) {
        return wrong_size("a raw picture", image.images.empty() ? Blob{} : image.images[0],
                          std::nullopt);
    }
    for (const Blob& blob : image.images) {
        if (!value_fields::is_present(blob)) {
            return wrong_size("a raw picture", blob, expected);
        }
        TAFFRAIL_TRY(check_size("a raw picture", blob, expected));
    }
    return {};
}

Result<void> check(const Video& video) {
    if (video.format != "frames") {
        return {};
    }
    const std::int64_t extents[] = {video.frames, video.height, video.width, video.channels};
    return check_size("a video of frames", video.data, bytes_of_shape(extents, DType::U8));
}

Result<void> check(const Embedding& embedding) {
    const std::int64_t extents[] = {embedding.count, embedding.dimensions};
    return check_size("an embedding", embedding.vectors, bytes_of_shape(extents, DType::F32));
}

Result<void> check(const Tensor& tensor) {
    return check_size(
        "a tensor", tensor.data,
        tensor.shape.valid() ? bytes_of_shape(tensor.shape.extents(), tensor.dtype) : std::nullopt);
}

template <typename T>
Result<void> check(const T&) {
    return {};
}

}  // namespace

std::optional<std::uint64_t> bytes_of_shape(std::span<const std::int64_t> extents,
                                            DType dtype) noexcept {
    std::int64_t product = static_cast<std::int64_t>(size_of(dtype));
    if (product == 0) {
        return std::nullopt;
    }
    for (const std::int64_t extent : extents) {
        if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) {
            return std::nullopt;
        }
    }
    return static_cast<std::uint64_t>(product);
}

Result<void> check_value(const Value& value) {
    return std::visit([](const auto& content) { return check(content); }, value);
}

}  // namespace taffrail
