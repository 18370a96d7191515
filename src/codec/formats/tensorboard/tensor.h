// TensorProto: numbers and strings of any element type, in either of its two storage forms.
#pragma once

#include <taffrail/value.h>

#include "base/bytes.h"
#include "codec/formats/tensorboard/names.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace taffrail::formats::tensorboard {

/// A tensor message seen without copying its elements.
struct TensorMessage {
    TensorType type = TensorType::Invalid;
    std::vector<std::int64_t> dims;
    bool has_shape = false;
    ByteSpan content;  ///< raw little-endian elements, where that form was used
    ByteSpan message;  ///< the whole message: element lists are read from it
    /// Product of the dims; -1 for a negative or absurd shape (above kMaxElements).
    [[nodiscard]] std::int64_t elements() const noexcept;

    static constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
    /// A short list is repeated up to this many elements: a few bytes must not ask for gigabytes.
    static constexpr std::size_t kMaxFill = std::size_t{1} << 22;
};

bool parse_tensor(ByteSpan message, TensorMessage& tensor);

/// Bytes of one element; 0 for strings and unknown types.
std::size_t element_bytes(TensorType type) noexcept;
std::optional<DType> dtype_of(TensorType type) noexcept;
TensorType tensor_type_of(DType dtype) noexcept;  ///< Invalid for fp8

/// The elements as doubles. A list shorter than the shape repeats its last element, as TensorFlow
/// reads it. Nothing when the type is no number or the shape does not fit.
std::optional<std::vector<double>> tensor_numbers(const TensorMessage& tensor);
/// The elements of a string tensor, viewed.
std::vector<ByteSpan> tensor_strings(const TensorMessage& tensor);
/// The elements as contiguous bytes of their own type.
std::optional<Bytes> tensor_bytes(const TensorMessage& tensor);

/// A rank-0 or one-element number; allocates only for odd field orders. `exact_float` tells that a
/// float holds the value.
struct ScalarElement {
    double value = 0;
    bool exact_float = true;
};

std::optional<ScalarElement> tensor_scalar(ByteSpan message);

// ---- writing ----

Bytes encode_tensor(TensorType type, std::span<const std::int64_t> dims, ByteSpan content);
Bytes encode_strings(std::span<const std::int64_t> dims, std::span<const ByteSpan> elements);

inline Bytes encode_string(std::string_view text) {
    const ByteSpan only = as_bytes(text);
    return encode_strings({}, {&only, 1});
}

}  // namespace taffrail::formats::tensorboard
